"""A first column that looks like ids is not read as the scores, unless the team confirms that it has them."""

from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest

from server import bundles
from server.access import tasks
from server.core import db
from server.core.errors import InvalidFile
from server.scoring import service as scoring
from server.submissions import rescoring
from server.submissions.models import Submission
from tests.server.programs import Program
from tests.server.round_trip import packed, unpack
from tests.server.visitors import words
from tests.server.world import World

pytestmark = pytest.mark.one_database

NUMBERED = b"1\t0.5\r\n2\t1\r\n3\t0.25\r\n4\t0.75\r\n"
REFUSAL = "The first column counts the lines from 1, as ids do: remove it"
BOX = "The first column has the scores. Accept it although it looks like ids."


def zipped() -> bytes:
    target = BytesIO()
    with ZipFile(target, "w") as archive:
        archive.writestr("one\\p2s.tsv", NUMBERED)
    return target.getvalue()


@pytest.mark.parametrize(
    ("address", "filename", "status"),
    [
        ("runs/{run}/p2s/check", "run.tsv", 200),
        ("runs/{run}/p2s/upload", "run.tsv", 302),
        ("runs/{run}/check", "p2s.tsv", 200),
        ("runs/{run}/upload", "one.zip", 302),
        ("organize/dry-run", "run.tsv", 200),
    ],
)
def test_pages_ask_whether_the_first_column_has_the_scores(
    world: World, address: str, filename: str, status: int
) -> None:
    data = zipped() if filename == "one.zip" else NUMBERED
    path = f"/tasks/small/{address.format(run=world.run().id)}"
    visitor = world.client("ada" if "dry-run" in path else "bo")
    assert BOX not in words(visitor.get(path.replace("check", "upload")))
    refused = visitor.upload(path, data, filename, target="p2s.test")
    assert refused.status_code == 422
    assert REFUSAL in words(refused)
    assert "if it has the scores, confirm that." in words(
        refused
    )  # no "(first_is_score)", which programs send
    assert BOX in words(refused)
    assert 'form="upload-form"' in refused.text
    confirmed = visitor.upload(path, data, filename, target="p2s.test", first_is_score="y")
    assert confirmed.status_code == status
    assert world.session.query(Submission).filter_by(run_id=world.run().id).count() == (status == 302)


@pytest.mark.parametrize("path", ["check/p2s", "files/p2s", "check", "files"])
def test_api_asks_whether_the_first_column_has_the_scores(world: World, path: str) -> None:
    bo, path = Program(world, "bo", "submit"), f"/runs/{world.run().id}/{path}"
    refused = bo.upload(path, NUMBERED, "p2s.tsv").json
    (problem,) = refused["files"][0]["problems"] if "files" in refused else refused["problems"]
    assert problem["code"] == "numeric_ids"
    assert "if it has the scores, confirm that (first_is_score)" in problem["message"]
    confirmed = bo.upload(path, NUMBERED, "p2s.tsv", first_is_score="true")
    assert confirmed.status_code == (201 if "files" in path else 200)
    (wrong,) = bo.upload(path, NUMBERED, "p2s.tsv", first_is_score="yes").json["fields"]
    assert (wrong["in"], wrong["field"], wrong["detail"]) == ("form", "first_is_score", "Send true or false.")


def test_api_asks_in_a_dry_run_too(world: World) -> None:
    ada, path = Program(world, "ada", "organize"), "/tasks/small/dry-run/p2s/test"
    assert ada.upload(path, NUMBERED).status_code == 422
    assert ada.upload(path, NUMBERED, first_is_score="true").json["scores"][0]["value"] == pytest.approx(1)


def test_ids_of_the_items_are_recognized_in_a_new_file_and_not_in_a_stored_one(world: World) -> None:
    split = tasks.get_level_split(world.task, "p2s", "test")[1]
    items = world.storage.get(split.items_sha256).decode()
    for number, item_id in enumerate((40, 10, 30, 20), start=1):
        items = items.replace(f"News-{number}", str(item_id))
    with db.writing(world.session):
        split.items_sha256 = world.storage.put(items.encode())
    data = b"40\t0.5\n10\t1\n30\t0.25\n20\t0.75\n"
    with pytest.raises(InvalidFile) as refused:
        scoring.parse_run(world.session, split, data, "run.tsv", first_is_score=False)
    assert "holds the ids of the items: remove it" in refused.value.problems[0].message
    assert scoring.parse_run(world.session, split, data, "run.tsv").scores == (40.0, 10.0, 30.0, 20.0)


def test_confirmed_file_is_scored_again_exported_and_imported(world: World, tmp_path: Path) -> None:
    path = f"/tasks/small/runs/{world.run().id}/p2s/upload"
    assert world.client("bo").upload(path, NUMBERED, first_is_score="y").status_code == 302
    submission = world.session.query(Submission).filter_by(run_id=world.run().id).one()
    split = tasks.get_level_split(world.task, "p2s", "test")[1]
    gold = scoring.parse_gold(world.session, split, b"1\n2\n3\n4\n", "gold")
    again = rescoring.score_stored_file(world.session, split, gold, None, submission)
    assert again.whole[0].value == pytest.approx(1)
    exported = unpack(packed(world.site), tmp_path / "exported")
    assert bundles.plan_import(exported).history is not None
