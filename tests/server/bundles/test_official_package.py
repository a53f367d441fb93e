"""The official CLSS package, hosted: page, JSON, preview and command agree to the last digit."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from flask import Flask

from scorer.baselines import open_senses
from scorer.cli.__main__ import cli as scorer
from scorer.errors import DataError
from server import bundles
from server.access import tasks
from server.boards import service as boards
from server.core import db
from server.core.actors import CONSOLE
from server.core.site_resources import Site
from server.personal_data.account_management import create_account
from server.phases.models import Phase
from server.releases import creation as release_creation, service as releases
from server.web.context import site_of
from tests.server.round_trip import bring, packed, unpack
from tests.server.small_task import PASSWORD
from tests.server.visitors import Visitor
from tests.server.world import DURING

# One process has these tests, so that the package is read and printed once.
pytestmark = pytest.mark.xdist_group("official-package")

CONFIG = Path(__file__).parents[3] / "deploy" / "tasks" / "clss-2014.toml"


@pytest.fixture(scope="module")
def task_toml(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped task.toml, with entries for the runs that lie in the package here."""
    package = shared / "data" / "clss"
    entries = [
        f'\n[[run]]\nteam = "{team.name}"\nname = "run1"\n[run.files]\n'
        + "".join(
            f'{file.name.removesuffix(".train.tsv")} = "{file.relative_to(package).as_posix()}"\n'
            for file in sorted(team.iterdir())
        )
        for team in sorted((package / "runs").iterdir())
    ]
    path = tmp_path_factory.mktemp("clss") / "clss-2014.toml"
    path.write_text(CONFIG.read_text(encoding="utf-8") + "".join(entries), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def plan(shared: Path, task_toml: Path) -> bundles.ImportPlan:
    """The package, read, and its baselines computed, once."""
    try:
        open_senses(None)
    except DataError:
        pytest.skip("missed: agreement with the official package; WordNet 3.0 is missing (wordnet-base)")
    return bundles.plan_import(shared / "data" / "clss", task_toml)


@pytest.fixture(scope="module")
def printed(shared: Path, plan: bundles.ImportPlan) -> bytes:  # noqa: ARG001  (skips where WordNet is missing)
    """What the command prints for the same files, the runs added by --runs."""
    package = shared / "data" / "clss"
    options = ["--config", str(CONFIG), "--runs", str(package / "runs"), "--format", "json"]
    result = CliRunner().invoke(scorer, ["board", str(package), *options])
    assert result.exit_code == 0, result.stderr
    return result.stdout_bytes


@pytest.fixture
def phase(app: Flask, plan: bundles.ImportPlan) -> Iterator[Phase]:
    """The practice phase of the hosted package, which ada organizes."""
    with app.app_context():
        site = site_of(app)
        session = site.session()
        with db.writing(session):
            ada = create_account(session, "ada@example.org", "ada", PASSWORD)
            task = bundles.import_task(session, CONSOLE, plan, [ada], DURING, published=True)
            phase = tasks.get_phase(session, task, "practice")
        yield phase


def shown_figures(page: str) -> list[float]:
    """The figures of a page with all digits, in their order on the page."""
    return [float(value) for value in re.findall(r'<data value="([^"]*)"', page)]


def figures_of(board: dict[str, Any]) -> list[float]:
    """Those of the board, in that order: by the official metric, then by the other one."""
    rows = [*board["official"], *board["late"], *board["baselines"]]
    values = []
    for metric in ("pearson", "spearman"):
        for row in rows:
            cells = [row["levels"][level["slug"]][metric] for level in board["levels"]]
            values += [cell["value"] for cell in (row["total"][metric], *cells)]
    return [value for value in values if value is not None]


def test_page_json_preview_and_command_show_the_same_digits(app: Flask, phase: Phase, printed: bytes) -> None:
    phase_id = phase.id
    ada = Visitor(app.test_client())
    assert ada.post("/sign-in", {"email": "ada@example.org", "password": PASSWORD}).status_code == 302
    organize, board = "/tasks/clss-2014/organize/boards/practice", "/tasks/clss-2014/boards/practice"
    assert ada.get(f"{organize}.json").data == printed
    preview = shown_by_both(ada, organize)

    session = site_of(app).session()
    with db.writing(session):
        released = release_creation.release_board(session, CONSOLE, session.get_one(Phase, phase_id), DURING)
        sha256 = released.sha256
    assert released.board.encode() == printed
    visitor = Visitor(app.test_client())
    assert visitor.get(f"{board}.json").data == printed
    assert sha256 in visitor.get(f"{board}/releases/1").text
    expected = figures_of(json.loads(printed))
    assert len(expected) > 50
    assert shown_by_both(visitor, board) == preview == sorted(expected)


def shown_by_both(reader: Visitor, address: str) -> list[float]:
    """The figures of a board, as it is shown by each of its metrics."""
    views = (reader.get(f"{address}?metric={metric}").text for metric in ("pearson", "spearman"))
    return sorted(figure for view in views for figure in shown_figures(view))


def test_official_package_has_four_teams_and_two_baselines(printed: bytes) -> None:
    board = json.loads(printed)
    assert {row["team"] for row in board["official"]} == {"ash", "birch", "cedar", "dogwood"}
    assert {row["run"] for row in board["baselines"]} == {"LCS", "GST"}
    assert [level["slug"] for level in board["levels"]] == [
        "paragraph2sentence",
        "sentence2phrase",
        "phrase2word",
        "word2sense",
    ]


def test_official_package_exported_to_an_empty_site_has_the_same_boards(
    app: Flask, phase: Phase, printed: bytes, second_site: Site, tmp_path: Path
) -> None:
    """Out of one site, into another: the same board, release and export, byte for byte."""
    site, phase_id = site_of(app), phase.id
    with db.writing(site.session()):
        released = release_creation.release_board(
            site.session(), CONSOLE, site.session().get_one(Phase, phase_id), DURING
        ).board
    data = packed(site, "clss-2014")
    folder = unpack(data, tmp_path / "clss-2014")
    task = bring(second_site, folder)
    session = second_site.session()
    brought = tasks.get_phase(session, task, "practice")
    assert boards.board_text(session, brought).encode() == printed
    assert releases.get_public(session, brought).release.board == released
    assert packed(second_site, "clss-2014") == data
    result = CliRunner().invoke(scorer, ["board", str(folder), "--format", "json"])
    assert result.stdout_bytes == printed
