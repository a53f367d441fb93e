"""The whole story with three teams, and a campaign; `make rehearsal` plays it with twenty teams."""

from pathlib import Path

import pytest

from tests.rehearsal import campaign
from tests.rehearsal.databases import POSTGRESQL, empty_databases, has_server
from tests.rehearsal.invented import Invented
from tests.rehearsal.play import Rehearsal
from tests.rehearsal.story import rehearse, staged


def test_whole_task_works_from_the_first_account_to_the_last_comparison(tmp_path: Path) -> None:
    if not has_server():
        pytest.skip("missed: the rehearsal; run `make test`, or give TEST_DATABASE_URL")
    invented = Invented(seed=1, n=24, teams=3, runs=2)
    with (
        empty_databases(tmp_path, ("sqlite", POSTGRESQL, "sqlite")) as databases,
        staged(tmp_path, invented, databases) as play,
    ):
        rehearse(play, Rehearsal("3 teams, from SQLite to PostgreSQL"))


def test_campaign_of_twelve_annotators_ends_in_gold_and_a_leaderboard(tmp_path: Path) -> None:
    with empty_databases(tmp_path, ("sqlite",)) as databases, campaign.staged(tmp_path, databases[0]) as play:
        campaign.rehearse(play, Rehearsal("twelve annotators, on sqlite"))
