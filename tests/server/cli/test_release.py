import hashlib
import json
from pathlib import Path

import pytest
from flask import Flask

from tests.server.commands import Assay
from tests.server.small_task import write_bundle

pytestmark = pytest.mark.one_database

BOARD = ("small", "evaluation")


@pytest.fixture(autouse=True)
def hosted(assay: Assay, tmp_path: Path) -> None:
    assert assay("task", "import", write_bundle(tmp_path / "bundle"), "--publish").exit_code == 0


def test_released_board_is_public_and_equals_the_preview(assay: Assay, app: Flask) -> None:
    preview = assay("release", "show", *BOARD, "--preview")
    assert preview.exit_code == 0
    assert [row["run"] for row in json.loads(preview.stdout)["baselines"]] == ["LCS"]

    added = assay("release", "add", *BOARD, "--yes")
    sha256 = hashlib.sha256(preview.stdout_bytes).hexdigest()
    assert (added.exit_code, added.stdout) == (0, f"Release 1 is public, SHA-256 {sha256}.\n")
    assert assay("release", "show", *BOARD).stdout_bytes == preview.stdout_bytes
    served = app.test_client().get("/tasks/small/boards/evaluation.json")
    assert served.data == preview.stdout_bytes


def test_unreleased_board_is_never_printed_by_default(assay: Assay) -> None:
    result = assay("release", "show", *BOARD)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "assay: No results of this phase have been released.\n"


def test_releases_are_listed_with_their_state(assay: Assay) -> None:
    assert assay("release", "list", "small").stdout == ""
    assay("release", "add", *BOARD, "--yes")
    (line,) = assay("release", "list", "small").stdout.splitlines()
    phase, number, at, sha256, state = line.split("\t")
    assert (phase, number, state) == ("evaluation", "1", "public")
    assert (len(sha256), at[-6:]) == (64, "+00:00")


def test_withdrawn_release_is_not_public_and_listed_with_its_reason(assay: Assay, app: Flask) -> None:
    assay("release", "add", *BOARD, "--yes")
    result = assay("release", "withdraw", *BOARD, "--reason", "item 3 was mistyped")
    assert (result.exit_code, result.stdout) == (0, "Release 1 is withdrawn.\n")
    assert assay("release", "show", *BOARD).exit_code == 1
    assert assay("release", "list", "small").stdout.endswith("\twithdrawn: item 3 was mistyped\n")
    assert "item 3 was mistyped" in app.test_client().get("/tasks/small/boards/evaluation").text


def test_evidence_of_an_older_release_is_available_after_withdrawing_the_newest(
    assay: Assay, tmp_path: Path
) -> None:
    assay("release", "add", *BOARD, "--yes")
    assay("release", "add", *BOARD, "--yes", "--anonymous")
    assay("release", "withdraw", *BOARD, "--reason", "item 3 was mistyped")
    newest = assay("release", "evidence", *BOARD, "--output", tmp_path / "newest.zip")
    assert (newest.exit_code, newest.stderr[:30]) == (1, "assay: Release 2 was withdrawn")
    first = assay("release", "evidence", *BOARD, "1", "--output", tmp_path / "first.zip")
    assert first.stderr.startswith("Release 1: "), first.stderr
    assert (tmp_path / "first.zip").is_file()


@pytest.mark.parametrize(
    ("first", "then", "words"),
    [
        (None, ["withdraw", *BOARD, "--reason", "x"], "There is no release to withdraw."),
        (["add", *BOARD, "--yes"], ["add", *BOARD], "Release 1 already shows this leaderboard."),
        (None, ["add", "small", "finals"], "There is no such phase."),
    ],
)
def test_rejected_release_commands_print_one_line_and_exit_1(
    assay: Assay, first: list[str] | None, then: list[str], words: str
) -> None:
    if first is not None:
        assert assay("release", *first).exit_code == 0
    result = assay("release", *then)
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", f"assay: {words}\n")


def test_withdrawing_needs_a_reason(assay: Assay) -> None:
    assay("release", "add", *BOARD, "--yes")
    assert assay("release", "withdraw", *BOARD).exit_code == 2
    assert assay("release", "withdraw", *BOARD, "--reason", "  ").exit_code == 2
    assert assay("release", "show", *BOARD).exit_code == 0


def test_releases_can_be_scheduled_cancelled_made_anonymously_and_revealed(assay: Assay) -> None:
    at = ("--at", "2099-03-20T10:00+01:00", "--anonymous", "--open-gold")
    assert (
        assay("release", "add", *BOARD, "--yes", *at).stdout
        == "The release is scheduled for 2099-03-20 09:00:00 UTC.\n"
    )
    (line,) = assay("release", "list", "small").stdout.splitlines()
    planned = "2099-03-20T09:00:00+00:00\t-\tscheduled, anonymous, makes the gold standard public"
    assert line == f"evaluation\t-\t{planned}"
    assert "A release is already scheduled for" in assay("release", "add", *BOARD, "--yes", *at).stderr
    assert "2099-03-20 09:00:00 UTC is cancelled" in assay("release", "cancel", *BOARD).stdout
    none = assay("release", "cancel", *BOARD)
    assert (none.exit_code, none.stderr) == (1, "assay: No release of Evaluation is scheduled.\n")
    for wrong, status in (("2026-02-30", 2), ("2001-01-01 00:00", 1)):
        assert assay("release", "add", *BOARD, "--yes", "--at", wrong).exit_code == status
    for note in ("x" * 1001, "a\x1bb"):
        assert assay("release", "add", *BOARD, "--yes", "--note", note).exit_code == 2
    assert (
        assay("release", "add", *BOARD, "--yes", "--anonymous", "--note", "Item 3 was\nmended.").exit_code
        == 0
    )
    assert assay("release", "list", "small").stdout.endswith("\tpublic, anonymous\n")
    asked = assay("release", "name", *BOARD)
    assert asked.exit_code == 1
    assert "cannot be hidden again" in asked.stderr
    assert assay("release", "list", "small").stdout.endswith("\tpublic, anonymous\n")
    assert "Release 1 now shows team names, SHA-256 " in assay("release", "name", *BOARD, "--yes").stdout
    assert "\tpublic, team names since 20" in assay("release", "list", "small").stdout
    assert assay("release", "name", *BOARD, "--yes").exit_code == 1


def test_release_of_hidden_scores_asks_first(assay: Assay) -> None:
    asked = assay("release", "add", *BOARD)
    assert asked.exit_code == 1
    assert "Release anyway?" in asked.stderr
    assert "No results of this phase have been released." in assay("release", "show", *BOARD).stderr
