from pathlib import Path

import pytest
from werkzeug.test import TestResponse

from server import bundles
from server.access import tasks
from server.core import db
from server.core.actors import CONSOLE
from server.gold.models import GoldVersion
from server.scoring.models import Score
from tests.server.small_task import TASK, write_bundle
from tests.server.visitors import words
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database

PATH = "/tasks/small/organize/gold"
REVERSED = b"3\n2\n1\n0\n"
FORM = {"target": "p2s.test", "reason": "item 3 was mistyped"}


def versions(world: World) -> int:
    return world.session.query(GoldVersion).count()


def test_uploaded_gold_is_a_candidate_until_put_in_force_and_can_be_undone(world: World) -> None:
    """The whole way by the pages, with a worker between."""
    submission_id = world.upload(world.run(), "p2s").id
    ada, root = world.client("ada"), PATH
    there = ada.upload(PATH, REVERSED, **FORM).headers["Location"]
    page = words(ada.get(there))
    for said in (
        "Gold version 2 is now a candidate. Nothing has changed for teams.",
        "0 of 2 submissions and baselines scored.",
        "4 labels of 4 differ from version 1",
        "News-1 0.125 3 the boat came in before the storm / the boat came in",
    ):
        assert said in page
    assert "Put version 2 in force" not in page
    assert "2 submissions have no score against version 2 yet." in words(
        ada.post(f"{there}/publish", follow_redirects=True)
    )
    again = ada.upload(PATH, b"1\n2\n3\n4\n", **FORM)
    assert again.status_code == 422
    assert words(again).count("Version 2 of Paragraph to sentence, test, is already a candidate.") == 1
    assert f'<a href="{there}">Show version 2</a>' in again.text
    assert "candidate 0 of 2 scored" in words(ada.get(root))
    world.work(DURING)
    assert "Scoring is complete." in words(ada.get(there))
    assert "Enter a reason. Nothing was changed." in words(ada.post(f"{there}/drop", follow_redirects=True))
    assert "version 2 is now in force" in words(ada.post(f"{there}/publish", follow_redirects=True))
    values = world.session.query(Score.value).filter_by(submission_id=submission_id, metric="spearman").all()
    assert sorted(value for (value,) in values) == [-1.0, 1.0]

    first = there.replace(there.split("/")[-1], str(first_version(world)))
    page = words(ada.get(first))
    assert "Gold version 1 earlier" in page
    assert "All submissions have scores against this version, so it will be in force at once." in page
    back = words(ada.post(f"{first}/put-back", {"reason": "it was right"}, follow_redirects=True))
    assert "Gold version 1 is in force again." in back
    assert "put in force: it was right" in back
    same = ada.upload(PATH, ada.get(f"{first}.tsv").data, **FORM)
    assert "This file is identical to version 1, which is in force." in words(same)


def first_version(world: World) -> int:
    split = tasks.get_level_split(world.task, "p2s", "test")[1]
    return world.session.query(GoldVersion.id).filter_by(split_id=split.id, number=1).scalar()


def test_invalid_gold_is_rejected_with_every_bad_line(world: World) -> None:
    before = versions(world)
    response = world.client("ada").upload(PATH, b"1\nx\n<b>\n9\n", "<i>.tsv", **FORM)
    assert response.status_code == 422
    page = words(response)
    assert 'Lines 2, 3 Gold value "x" is not a number' in page
    assert "The current gold version is still in force." in page
    assert "<b>" not in response.text
    assert "<i>" not in response.text
    assert versions(world) == before


def test_gold_label_outside_the_scale_is_rejected_without_advice_to_change_the_scale(world: World) -> None:
    page = words(world.client("ada").upload(PATH, b"1\n2\n3\n9\n", **FORM))
    assert "which is outside the scale, 0 to 4; correct it" in page
    assert "task.toml" not in page


def test_first_gold_with_labels_between_the_steps_is_in_force_with_a_warning(
    world: World, tmp_path: Path
) -> None:
    text = TASK.replace('slug = "small"', 'slug = "bare"').replace(', gold = "p2s.test.gold"', "")
    stepped = text.replace("max = 4 }", "max = 4, step = 0.5 }")
    plan = bundles.plan_import(write_bundle(tmp_path / "bare", stepped))
    with db.writing(world.session):
        people = [world.user("ada")]
        bundles.import_task(world.session, CONSOLE, plan, people, DURING, published=False)
    ada, page = world.client("ada"), "/tasks/bare~2/organize/gold"
    assert ada.upload(page, b"0.5\n0.6\n1\n2.7\n", **FORM).status_code == 302
    said = words(ada.get(page))
    assert "Gold version 1 is now in force." in said
    assert "2 labels are not in steps of 0.5 from 0: items News-2, News-4." in said


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"reason": ""}, "Enter a reason."),
        ({"target": "p2s.training"}, "Not a valid choice"),
        ({"target": ""}, ""),
    ],
)
def test_incomplete_gold_form_is_rejected(world: World, changed: dict[str, str], message: str) -> None:
    before = versions(world)
    response = world.client("ada").upload(PATH, REVERSED, **{**FORM, **changed})
    assert response.status_code == 422
    assert message.lower() in words(response).lower()
    assert versions(world) == before


@pytest.mark.parametrize(("person", "status"), [("bo", 403), ("dee", 404), (None, 302)])
def test_only_organizers_can_upload_gold(world: World, person: str | None, status: int) -> None:
    before = versions(world)
    assert world.client(person).upload(PATH, REVERSED, **FORM).status_code == status
    assert versions(world) == before


def announce(world: World, person: str, size: int) -> TestResponse:
    """Send a form that says it has so many bytes."""
    visitor = world.client(person)
    form = {"csrf_token": visitor.token(), **FORM}
    return visitor.open(PATH, method="POST", data=form, environ_overrides={"CONTENT_LENGTH": str(size)})


def test_too_large_gold_file_is_rejected_with_a_message(world: World) -> None:
    response = announce(world, "ada", 8 * 1024 * 1024 + 1)
    assert response.status_code == 413
    assert "can have at most 8388 kB" in words(response)


def test_only_organizers_may_upload_large_files(world: World) -> None:
    response = announce(world, "bo", 1_000_000)
    assert response.status_code == 413
    assert "can have at most 65 kB" in words(response)
