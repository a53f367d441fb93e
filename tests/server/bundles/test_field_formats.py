"""SICK, STS and SemRel on the site: import, accepted and rejected uploads, and the bytes of the board."""

import gzip
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pytest
from click.testing import CliRunner
from flask import Flask
from sqlalchemy.orm import Session

from scorer.cli.__main__ import cli as scorer
from server import bundles
from server.access import tasks
from server.accounts.models import User
from server.boards import service as boards
from server.core import db
from server.core.actors import CONSOLE, Actor
from server.core.site_resources import Site
from server.personal_data.account_management import create_account
from server.runs import service as runs
from server.runs.models import Run
from server.scoring.models import Score
from server.submissions.models import Rejection, Submission
from server.tasks.models import Task
from server.teams import service as teams
from server.web.context import site_of
from tests.field_formats import EMPTY, FAMILIES, GOOD, PACKAGES, Package, write_package
from tests.server.round_trip import bring, packed, unpack
from tests.server.small_task import PASSWORD
from tests.server.visitors import Visitor, words
from tests.server.world import DURING

pytestmark = pytest.mark.one_database


@dataclass
class Hosted:
    """A package on a site: ada organizes it, bo's team birch has the run "mine" in its evaluation."""

    app: Flask
    package: Package
    run_id: int

    @property
    def site(self) -> Site:
        return site_of(self.app)

    @property
    def session(self) -> Session:
        return self.site.session()

    @property
    def task(self) -> Task:
        return tasks.get_task(self.session, self.package.name)

    @property
    def level(self) -> str:
        return self.task.levels[0].slug

    @property
    def file(self) -> bytes:
        """A good run for the first level, which is no other team's."""
        return self.package.run_file(GOOD[1][::-1], level=self.level)

    def sign_in(self, name: str) -> Visitor:
        visitor = Visitor(self.app.test_client())
        form = {"email": f"{name}@example.org", "password": PASSWORD}
        assert visitor.post("/sign-in", form).status_code == 302
        return visitor

    def upload(self, visitor: Visitor, data: bytes, filename: str = "run.txt"):
        return visitor.upload(f"{self.root}/runs/{self.run_id}/{self.level}/upload", data, filename)

    @property
    def root(self) -> str:
        return f"/tasks/{self.package.name}"

    def board(self) -> str:
        return boards.board_text(self.session, tasks.get_phase(self.session, self.task, "evaluation"))


def host(app: Flask, package: Package, *, people: bool = True) -> Hosted:
    """Host a package; `people`: make the accounts first."""
    site = site_of(app)
    session = site.session()
    plan = bundles.plan_import(package.folder, package.config)
    with db.writing(session):
        for name in ("ada", "bo") if people else ():
            create_account(session, f"{name}@example.org", name, PASSWORD)
    ada, bo = (session.query(User).filter_by(email=f"{name}@example.org").one() for name in ("ada", "bo"))
    with db.writing(session):
        task = bundles.import_task(session, CONSOLE, plan, [ada], DURING, published=True)
    with db.writing(session):
        team = teams.create_team(session, Actor(user_id=bo.id), task, "cypress", DURING)
        run = runs.add_run(session, team, tasks.get_phase(session, task, "evaluation"), "mine", "", DURING)
        run_id = run.id
    session.expunge_all()
    return Hosted(app, package, run_id)


@pytest.fixture(params=FAMILIES)
def hosted(
    app: Flask, tmp_path: Path, set_clock: Callable[[datetime], None], request: pytest.FixtureRequest
) -> Iterator[Hosted]:
    set_clock(DURING)
    with app.app_context():
        yield host(app, write_package(tmp_path / "package", request.param))


@pytest.fixture
def sick(app: Flask, tmp_path: Path) -> Iterator[Hosted]:
    with app.app_context():
        yield host(app, write_package(tmp_path / "package", "sick-2014"))


def printed(package: Package) -> str:
    arguments = ["board", str(package.folder), "--config", str(package.config), "--format", "json"]
    result = CliRunner().invoke(scorer, arguments)
    assert result.exit_code == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize("name", PACKAGES)
def test_board_of_every_package_equals_command_output_byte_for_byte(
    app: Flask, tmp_path: Path, name: str
) -> None:
    with app.app_context():
        package = write_package(tmp_path / "package", name)
        assert host(app, package).board() == printed(package)


def test_run_in_official_format_is_accepted_on_the_page_and_ranked_as_offline(hosted: Hosted) -> None:
    data, bo = hosted.file, hosted.sign_in("bo")
    response = hosted.upload(bo, data)
    assert response.status_code == 302, words(response)
    page = words(bo.get(response.headers["Location"]))
    assert "scored" in page
    package = hosted.package
    path = package.folder / "runs" / "cypress" / "mine" / f"{hosted.level}.{package.run_ending}"
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    assert hosted.board() == printed(package)
    assert '"cypress"' in hosted.board()


def test_upload_page_shows_the_expected_file_format(hosted: Hosted) -> None:
    page = words(hosted.sign_in("bo").get(f"{hosted.root}/runs/{hosted.run_id}/{hosted.level}/upload"))
    expected = {
        "sick-2014": [
            "A tab-separated UTF-8 table with a header",
            "relatedness_score: a score from 1 to 5",
            "NA on every line does not",
        ],
        "sts-2015": ["6 lines, one for each item", "a confidence from 0 to 100", "1.5 → 90"],
        "semrel-2024": [
            "A comma-separated UTF-8 table with a header",
            "Pred_Score: a score from 0 to 1",
            "an-id,0.5",
        ],
    }
    for sentence in expected[hosted.package.name]:
        assert sentence in page


def test_items_are_downloaded_unchanged_with_a_fitting_file_name(hosted: Hosted) -> None:
    files = {(level, split): files for level, split, files in hosted.package.splits()}
    name = f"{hosted.level}.test.items"
    response = hosted.sign_in("bo").get(f"{hosted.root}/data/{name}.tsv")
    assert response.data == (hosted.package.folder / files[hosted.level, "test"]["items"]).read_bytes()
    ending = "csv" if hosted.package.name.startswith("semrel") else "tsv"
    assert response.headers["Content-Disposition"] == f'attachment; filename="{name}.{ending}"'


def broken(hosted: Hosted) -> dict[str, tuple[bytes, str]]:
    """Each malformed form of a good file, and what the page says of it."""
    good, keyed = hosted.file, not hosted.package.name.startswith("sts")
    end = b"\r\n" if b"\r\n" in good else b"\n"
    lines = good.split(end)[:-1]
    first = 2 if keyed else 1

    def line(at: int, text: bytes) -> bytes:
        return end.join([*lines[: at - 1], text, *lines[at - 1 :], b""])

    whole = {
        "gzip": (gzip.compress(good), "Whole file This is a gzip archive; unpack it first."),
        "zip": (b"PK\x03\x04" + bytes(30), "Whole file This is a zip archive; unpack it first."),
        "xlsx": (b"PK\x03\x04" + b"xl/workbook.xml", "Whole file This is an Excel workbook; save it as tab-"),
        "pdf": (b"%PDF-1.7\n", "Whole file This is a PDF document; export it as plain text."),
        "utf-16": (good.decode().encode("utf-16"), "Whole file This is UTF-16; save it as UTF-8."),
        "utf-16 without mark": (good.decode().encode("utf-16-le"), "Whole file This is UTF-16; save it as"),
        "empty": (b"", "Whole file The file is empty; is it the right one?"),
        "latin-1": (line(2, b"\xe9t\xe9"), "Line 2 Byte 0xE9 at column 1 (é in Windows-1252) is not UTF-8;"),
        "quotes": (line(2, b"\x93"), "Line 2 Byte 0x93 at column 1 (“ in Windows-1252) is not UTF-8; save"),
        "NUL": (line(3, b"1\x002"), "Line 3 The line has a NUL byte; write plain text."),
        "sep": (b"sep=," + end + good, "Line 1 This line is one that Excel adds for itself; remove it."),
        "too few": (
            end.join([*lines[:-1], b""]),
            "1 of 6 items has no row" if keyed else "1 line is missing",
        ),
        "comma": (
            good.replace(lines[first], lines[first].replace(b".", b",")),
            "decimals with a point" if b"," in lines[first] else "has a decimal comma; write",
        ),
    }
    if keyed:
        whole["semicolons"] = (
            good.replace(b"\t", b";").replace(b",", b";"),
            "separated by semicolons: write",
        )
    else:
        whole["blank"] = (line(3, b""), "Line 3 Empty line; ")
        whole["header"] = (
            line(1, b"score\tconfidence"),
            "Line 1 Looks like a header; a file with one line for each item has none",
        )
    return whole


def test_malformed_file_is_rejected_with_the_same_message_on_page_and_command(hosted: Hosted) -> None:
    bo, good = hosted.sign_in("bo"), hosted.file
    run = hosted.package.folder / "runs" / "birch" / "one" / f"{hosted.level}.{hosted.package.run_ending}"
    for name, (data, sentence) in broken(hosted).items():
        assert data != good, name
        response = hosted.upload(bo, data)
        assert response.status_code == 422, name
        assert sentence in words(response), (name, words(response))
        run.write_bytes(data)
        arguments = ["board", str(hosted.package.folder), "--config", str(hosted.package.config)]
        result = CliRunner().invoke(scorer, arguments)
        assert result.exit_code == 1, name
        spoken = re.sub(r"^(Line \d+|Whole file) ", "", sentence).rstrip(".")
        assert spoken[1:] in result.stderr, (name, result.stderr)
    assert hosted.session.query(Submission).join(Run).filter(Run.name == "mine").count() == 0
    assert hosted.session.query(Rejection).count() == len(broken(hosted))


def test_empty_lines_beyond_the_items_are_skipped_with_a_warning_on_page_and_command(hosted: Hosted) -> None:
    bo, good = hosted.sign_in("bo"), hosted.file
    run = hosted.package.folder / "runs" / "birch" / "one" / f"{hosted.level}.{hosted.package.run_ending}"
    end = b"\r\n" if b"\r\n" in good else b"\n"
    first, *rest = good.split(end)
    blank = {"Blank line at the end; it was skipped": good + end}
    if not hosted.package.name.startswith("sts"):
        blank = {"Empty line; it is not an item and was skipped": end.join([first, b"", *rest])}
    for sentence, data in blank.items():
        response = hosted.upload(bo, data)
        assert response.status_code == 302, words(response)
        assert sentence.lower() in words(bo.get(response.headers["Location"])).lower()
        run.write_bytes(data)
        printed(hosted.package)


def test_line_ends_and_byte_order_mark_do_not_change_scores(hosted: Hosted) -> None:
    bo = hosted.sign_in("bo")
    plain = hosted.file.replace(b"\r\n", b"\n")
    found = set()
    for data in (plain, plain.replace(b"\n", b"\r"), plain.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + plain):
        response = hosted.upload(bo, data)
        assert response.status_code == 302, words(response)
        number = int(response.headers["Location"].rpartition("/")[2])
        scores = hosted.session.query(Score).filter_by(submission_id=number).order_by(Score.metric)
        found.add(tuple(score.value for score in scores))
    assert len(found) == 1


def test_file_with_only_na_is_not_entered_and_uses_no_quota(sick: Hosted) -> None:
    bo = sick.sign_in("bo")
    header, *rows = sick.file.decode().split("\r\n")[:-1]
    cells = [row.split("\t") for row in rows]
    data = "\r\n".join([header, *(f"{a}\tNA\t{b}" for a, _, b in cells)]).encode()
    response = sick.upload(bo, data, "sick.txt")
    assert response.status_code == 422
    page = words(response)
    assert "Rejected: sick.txt does not enter this level." in page
    assert (
        "Every score is NA: the run does not enter this level, and there is nothing to score; leave" in page
    )
    assert sick.session.query(Submission).filter_by(run_id=sick.run_id).count() == 0
    mixed = data.replace(b"NA", b"3.5", 2)
    page = words(sick.upload(bo, mixed))
    assert "Rejected: run.txt has 4 problems." in page
    assert 'Lines 4, 5, 6, 7 Score "NA" is not a number, and every item needs a score' in page


def test_bundled_run_with_only_na_has_no_row_on_the_site(app: Flask, tmp_path: Path) -> None:
    package = write_package(tmp_path / "package", "sts-2015")
    for level in ("belief", "images"):
        (package.folder / "runs" / "elm" / "one" / f"{level}.txt").write_bytes(b"NA\n" * 6)
    for level, split, _ in package.splits():
        if split == "test":
            (package.folder / "runs" / "birch" / "one" / f"{level}.txt").write_bytes(b"NA\r\n" * 6)
    with app.app_context():
        board = host(app, package).board()
        assert board == printed(package)
        assert '"birch"' not in board
        assert '"not_entered"' in board


def gold_of(hosted: Hosted) -> bytes:
    files = next(
        files for level, split, files in hosted.package.splits() if (level, split) == (hosted.level, "test")
    )
    return (hosted.package.folder / files["gold"]).read_bytes()


def test_gold_in_the_package_format_can_be_uploaded_on_the_page(hosted: Hosted) -> None:
    ada, before = hosted.sign_in("ada"), hosted.board()
    page = f"{hosted.root}/organize/gold"
    form = {"target": f"{hosted.level}.test", "reason": "again"}
    response = ada.upload(page, gold_of(hosted), "gold.txt", **form)
    assert response.status_code == 422
    assert "This file is identical to version 1, which is in force." in words(response)
    for data, sentence in (
        (gzip.compress(gold_of(hosted)), "Whole file This is a gzip archive; unpack it first."),
        (gold_of(hosted).decode().encode("utf-16"), "Whole file This is UTF-16; save it as UTF-8."),
        (b"\xe9\n" + gold_of(hosted), "Line 1 Byte 0xE9 at column 1 (é in Windows-1252) is not UTF-8"),
        (b"sep=;\n" + gold_of(hosted), "Line 1 This line is one that Excel adds for itself; remove it."),
    ):
        response = ada.upload(page, data, "gold.txt", **form)
        assert response.status_code == 422
        assert sentence in words(response)
    ends = (b"\r\n", b"\n") if b"\r\n" in gold_of(hosted) else (b"\n", b"\r\n")
    response = ada.upload(page, gold_of(hosted).replace(*ends), "gold.txt", **form)
    assert response.status_code == 302, words(response)
    assert "All labels are the same as in version" in words(ada.get(response.headers["Location"]))
    assert hosted.board() == before


def test_an_empty_gold_line_is_an_item_that_is_not_scored(app: Flask, tmp_path: Path) -> None:
    with app.app_context():
        hosted = host(app, write_package(tmp_path / "package", "sts-2015"))
        bo = hosted.sign_in("bo")
        page = words(bo.get(hosted.upload(bo, hosted.file).headers["Location"]))
        assert "Pearson official" in page
        assert {score.n for score in hosted.session.query(Score)} == {5}
        lines = hosted.file.split(b"\n")
        lines[EMPTY] = b""
        page = words(hosted.upload(bo, b"\n".join(lines)))
        assert "Line 4 Empty line; every item needs a score." in page


REAL = {
    "sick-2014": "SICK_test_annotated.txt",
    "sts-2012": "STS.input.surprise.SMTnews.txt",
    "sts-2013": "STS.input.FNWN.txt",
    "sts-2014": "STS.input.tweet-news.txt",
    "sts-2015": "STS.input.belief.txt",
    "sts-2016": "STS2016.input.plagiarism.txt",
    "sts-2017": "STS2017.gs",
    "semrel-2024": "Track A",
}
"""A file or folder at the top of each real package, by which it is found."""


@pytest.mark.parametrize("name", PACKAGES)
def test_official_package_can_be_hosted_unchanged(app: Flask, shared: Path, name: str) -> None:
    found = next(iter(sorted((shared / "data").rglob(REAL[name]))), None)
    if found is None:
        pytest.skip(f"missed: the real package of {name}; there is no {REAL[name]} under {shared / 'data'}")
    package = Package(found.parent, Path(__file__).parents[3] / "deploy" / "tasks" / f"{name}.toml")
    with app.app_context():
        hosted = host(app, package)
        assert hosted.board() == printed(package)
        assert all(split.n_items > 0 for level in hosted.task.levels for split in level.splits)


def test_exported_task_has_the_same_board_on_another_site(
    hosted: Hosted, second_site: Site, tmp_path: Path
) -> None:
    bo = hosted.sign_in("bo")
    assert hosted.upload(bo, hosted.file).status_code == 302
    slug = hosted.package.name
    folder = unpack(packed(hosted.site, slug), tmp_path / "exported")
    task = bring(second_site, folder)
    assert task.confidence_max == hosted.task.confidence_max
    assert [level.layout for level in task.levels] == [level.layout for level in hosted.task.levels]
    session = second_site.session()
    assert boards.board_text(session, tasks.get_phase(session, task, "evaluation")) == hosted.board()
    assert packed(second_site, slug) == packed(hosted.site, slug)
    result = CliRunner().invoke(scorer, ["board", str(folder), "--phase", "evaluation", "--format", "json"])
    assert result.stdout == hosted.board(), result.stderr


def test_task_with_fewer_gold_lines_than_items_keeps_its_board_when_exported(
    app: Flask, tmp_path: Path
) -> None:
    """The exported gold of track 6 has a line for each item, so it needs no rule about the first ones."""
    with app.app_context():
        hosted = host(app, write_package(tmp_path / "package", "sts-2017"))
        folder = unpack(packed(hosted.site, "sts-2017"), tmp_path / "exported")
        (track,) = [level for level in hosted.task.levels if level.slug == "track6-tr-en"]
        toml = tomllib.loads((folder / "task.toml").read_text(encoding="utf-8"))
        (files,) = [level["test"] for level in toml["level"] if level["slug"] == "track6-tr-en"]
        assert len((folder / files["gold"]).read_bytes().splitlines()) == track.splits[0].n_items == 500
        result = CliRunner().invoke(
            scorer, ["board", str(folder), "--phase", "evaluation", "--format", "json"]
        )
        assert result.stdout == hosted.board(), result.stderr
