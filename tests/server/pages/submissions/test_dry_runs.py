"""Test uploads: a file is scored like an upload, and nothing is stored."""

import html
import re
from collections.abc import Sequence

import pytest
from sqlalchemy import func, select

from server.audit.models import AuditEntry
from server.core.db import Base
from server.scoring.models import Score
from server.web.formatting import sentence
from tests import run_files
from tests.server.players import BAD
from tests.server.small_task import GOOD
from tests.server.visitors import words
from tests.server.world import World

pytestmark = pytest.mark.one_database

PATH = "/tasks/small/organize/dry-run"


def counts(world: World) -> dict[str, int]:
    """How many rows there are; browsers that signed in aside."""
    world.session.rollback()
    tables = [table for table in Base.metadata.sorted_tables if table.name != "sign_in"]
    return {
        table.name: world.session.scalar(select(func.count()).select_from(table)) or 0 for table in tables
    }


def test_test_upload_has_the_scores_of_a_real_upload_and_stores_nothing(world: World) -> None:
    ada, files = world.client("ada"), world.site.config.data_dir / "files"
    before, stored = counts(world), sorted(files.rglob("*"))
    response = ada.upload(PATH, GOOD, target="p2s.test")
    assert response.status_code == 200
    assert counts(world) == {**before, "audit_entry": before["audit_entry"] + 1}
    assert sorted(files.rglob("*")) == stored
    newest = select(AuditEntry).order_by(AuditEntry.number.desc()).limit(1)
    entry = world.session.scalars(newest).one()
    assert (entry.action, entry.actor) == ("gold.dry-run", world.actor("ada").label)
    assert entry.details == {"level": "p2s", "split": "test", "version": 1}

    submission = world.upload(world.run(), "p2s")
    scores = world.session.query(Score).filter_by(submission_id=submission.id).all()
    assert len(scores) == 2
    for score in scores:
        assert f'<data value="{score.value!r}"' in response.text
        assert score.signature in response.text
    assert re.search(r"Pearson official all [01]\.\d{4} 4 pearson\|n:4", words(response))


def test_test_upload_of_a_bad_file_shows_the_message_that_a_team_would_see(world: World) -> None:
    ada, before = world.client("ada"), counts(world)
    refused = ada.upload(PATH, BAD, target="p2s.test")
    assert refused.status_code == 422
    assert 'Line 2 Score "n/a" is not a number' in words(refused)
    assert ada.upload(PATH, b"1" * 70_000, target="p2s.test").status_code == 422
    assert ada.post(PATH, {"target": "p2s.test"}).status_code == 422
    assert ada.upload(PATH, GOOD, target="s2p.trial").status_code == 422
    assert counts(world) == before
    assert "Pearson has no value" in words(ada.upload(PATH, b"2\n2\n2\n2\n", target="p2s.trial"))


def place_of(line: int | None, count: int = 1, others: Sequence[int] = ()) -> str:
    if line is None or not others:
        return "Whole file" if line is None else f"Line {line}"
    more = count - 1 - len(others)
    return f"Lines {', '.join(map(str, (line, *others)))}{f' and {more} more' if more else ''}"


def test_every_file_of_the_table_gets_its_expected_messages_on_the_site(world: World) -> None:
    """The files that the scorer is checked with, too."""
    ada = world.client("ada")
    for case in run_files.cases():
        if case.format != "aligned" or not case.said["count"] or not case.data:
            continue
        answer = ada.upload(PATH, case.data, filename=run_files.SOURCE, target="p2s.test")
        shown = re.findall(r"<p><strong>(.*?)</strong> <span>(.*?)</span></p>", answer.text)
        expected = [
            (place_of(line, *others), sentence(message.replace(" (first_is_score)", "")))
            for line, _, message, *others in case.said["problems"]
        ]
        assert [(place, html.unescape(words)) for place, words in shown] == expected, case.name
