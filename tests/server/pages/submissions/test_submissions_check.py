"""Checking a file before it is uploaded: the same lines as an upload, and nothing is stored."""

import pytest

from server.submissions.models import Rejection, Submission
from tests.server.small_task import GOOD
from tests.server.visitors import words
from tests.server.world import LATE, World

pytestmark = pytest.mark.one_database

BAD = b"0.5\nn/a\n2\n"


def counts(world: World) -> tuple[int, int]:
    return world.session.query(Submission).count(), world.session.query(Rejection).count()


def path(world: World, tail: str) -> str:
    return f"/tasks/small/runs/{world.run().id}/{tail}"


def problems(text: str) -> str:
    return text[text.index('<ol class="problems">') : text.index("</ol>")]


def test_check_shows_the_same_lines_as_an_upload_and_stores_nothing(world: World) -> None:
    bo, before = world.client("bo"), counts(world)
    checked = bo.upload(path(world, "p2s/check"), BAD)
    assert checked.status_code == 422
    assert "This was only a check: nothing was uploaded." in words(checked)
    assert counts(world) == before
    assert problems(checked.text) == problems(bo.upload(path(world, "p2s/upload"), BAD).text)


def test_valid_file_is_reported_as_valid_with_its_warnings(world: World) -> None:
    bo, before = world.client("bo"), counts(world)
    page = words(bo.upload(path(world, "p2s/check"), GOOD, filename="good.tsv"))
    assert "good.tsv: 4 lines, no errors" in page
    assert "nothing was uploaded yet" in page
    answer = bo.upload(path(world, "p2s/check"), b"2\n2\n2\n2\n")
    constant = words(answer)
    assert "1 warning. You can upload the file as it is." in constant
    assert "Every score is 2" in constant
    assert ('class="note warning"' in answer.text, "note good" in answer.text) == (True, False)
    assert counts(world) == before


def test_warning_stays_on_the_list_of_runs(world: World) -> None:
    world.upload(world.run(), "s2p")
    world.upload(world.run(), "p2s", b"2\n2\n2\n2\n")
    page = world.client("bo").get("/tasks/small/team/")
    assert words(page).count("counts, on time") == 2
    assert words(page).count("1 warning") == 1
    assert '#warnings">' in page.text


def test_file_that_already_counts_is_recognized(world: World) -> None:
    world.upload(world.run(), "p2s", GOOD)
    assert "This is the same file as your current submission." in words(
        world.client("bo").upload(path(world, "p2s/check"), GOOD)
    )


def test_files_of_a_whole_run_are_checked_together(world: World) -> None:
    bo, before = world.client("bo"), counts(world)
    good = words(bo.upload(path(world, "check"), GOOD, filename="one.p2s.tsv"))
    assert "1 file, no errors" in good
    assert "one.p2s.tsv → Paragraph to sentence: 4 lines" in good
    bad = words(bo.upload(path(world, "check"), BAD, filename="one.p2s.tsv"))
    assert "This was only a check: nothing was uploaded." in bad
    assert "one.p2s.tsv → Paragraph to sentence" in bad
    assert counts(world) == before


@pytest.mark.parametrize("tail", ["p2s/check", "check"])
def test_closed_phase_rejects_checks(world: World, tail: str) -> None:
    address = path(world, tail)
    world.set_clock(LATE.replace(month=5))
    page = world.client("bo").upload(address, GOOD, filename="p2s.tsv")
    assert page.status_code == 409


def test_without_javascript_a_second_button_checks_the_file(world: World) -> None:
    page = world.client("bo").get(path(world, "p2s/upload")).text
    assert f'formaction="{path(world, "p2s/check")}">Check the file' in page
