"""Adding a phase, and declaring which of its items are public, on the pages."""

from datetime import UTC, datetime

import pytest

from server.audit.models import AuditEntry
from server.boards import service as boards
from server.runs.models import Run
from tests.server.visitors import filled_in, words
from tests.server.world import AFTER, World

pytestmark = pytest.mark.one_database

NEW = "/tasks/small/organize/phases/new"
PUBLIC = "/tasks/small/organize/phases/evaluation/public-items"
FORM = {
    "slug": "post-evaluation",
    "split": "test",
    "title": "Post-evaluation",
    "opens": "2026-04-01 00:00",
    "closes": "",
    "grace_hours": "0",
    "runs_per_team": "10",
    "files_per_level": "",
    "files_per_day": "5",
    "feedback": "ladder",
    "ladder_step": "0.02",
    "board": "live",
    "runs_public": "y",
    "baselines": "always",
}


def test_added_phase_is_shown_on_the_task_page(world: World) -> None:
    ada = world.client("ada")
    assert "what each" not in words(ada.get(NEW))
    assert "27 exact Pearson scores revealed 243 labels" in words(ada.get(NEW))
    assert "does not cover correlations, so the Ladder is only a heuristic here" in words(ada.get(NEW))
    assert ada.post(NEW, FORM).status_code == 302
    phase = world.phase("post-evaluation")
    assert (phase.opens, phase.closes) == (datetime(2026, 4, 1, tzinfo=UTC), None)
    assert (phase.feedback, phase.ladder_step, phase.feedback_places) == ("ladder", 0.02, None)
    assert (phase.board, phase.position, phase.runs_public) == ("live", 2, True)
    assert phase.baselines == "always"
    page = words(world.client().get("/tasks/small/"))
    assert "It changes only if a submission is better by more than 0.02. This is called the Ladder." in page
    assert "in steps of 0.02" in page
    assert world.session.query(AuditEntry).filter_by(action="phase.add").count() == 1


WRONG = (
    ({"slug": "evaluation"}, 'The task already has a phase "evaluation". Choose another short name.'),
    ({"slug": "Post evaluation"}, "Use lowercase letters, digits and hyphens between them."),
    ({"title": "EVALUATION"}, 'The task already has a phase with the title "EVALUATION".'),
    ({"reminders": "24"}, "Reminders need a closing time"),
    ({"split": "training"}, "Not a valid choice."),
    ({"closes": "2026-03-01 00:00"}, "The phase must close after it opens. Correct one of the two dates."),
    ({"feedback": "public-part", "board": "released"}, "First declare which test items"),
    (
        {"feedback": "hidden"},
        "A live leaderboard shows scores. Choose which scores teams see, or a manual release.",
    ),
    ({"ladder_step": "0"}, "Enter a number from 0.0001 to 1."),
    ({"feedback": "rounded", "feedback_places": "9"}, "Enter a number from 0 to 6."),
    ({"feedback": "everything"}, "Not a valid choice."),
)


def test_invalid_input_is_reported_at_its_field(world: World) -> None:
    ada = world.client("ada")
    for changed, message in WRONG:
        response = ada.post(NEW, FORM | changed)
        assert response.status_code == 422, changed
        assert message in words(response), changed


def test_public_items_are_drawn_and_anyone_can_download_them(world: World) -> None:
    ada = world.client("ada")
    assert "no public items (4 test items)" in words(ada.get(PUBLIC))
    assert ada.post(PUBLIC, {"percent": "50", "seed": "harbour"}).status_code == 302
    page = ada.get(PUBLIC)
    assert "2 public items (4 test items)" in words(page)
    listed = world.client().get("/tasks/small/data/s2p.test.public.tsv")
    assert len(listed.text.split()) == 2
    assert ada.post(PUBLIC, {"percent": "0", "seed": ""}).status_code == 422
    edit = "/tasks/small/organize/phases/evaluation/edit"
    form = {key: FORM[key] for key in FORM if key not in ("slug", "split")}
    form |= {"feedback": "public-part", "board": "released", "sure": "y"}
    assert ada.post(edit, form).status_code == 302
    assert world.phase().feedback == "public-part"
    world.upload(world.run(), "p2s", at=datetime(2026, 4, 2, tzinfo=UTC))
    assert "There are submissions on these items, so the public items can no longer be changed." in words(
        ada.get(PUBLIC)
    )


def test_post_evaluation_phase_without_deadline_has_its_own_board(world: World) -> None:
    """The whole path by pages: the phase is filled in, takes files after the gold is open, and is live."""
    world.upload(world.run(), "p2s")
    ada, bo, visitor = world.client("ada"), world.client("bo"), world.client()
    world.set_clock(AFTER)
    ada.post("/tasks/small/organize/boards/evaluation/release", {"opens_gold": "y", "sure": "y"})
    before = visitor.get("/tasks/small/boards/evaluation.json").data
    preview = ada.get("/tasks/small/organize/boards/evaluation")
    address = f"{NEW}?after=evaluation"
    assert address in preview.text
    page = ada.get(address)
    assert "Filled in for submissions after Evaluation on the same items" in words(page)
    assert ada.post(address, filled_in(page, "slug")).status_code == 302
    phase = world.phase("post-evaluation")
    assert (phase.split, phase.closes, phase.board, phase.feedback) == ("test", None, "live", "scores")
    assert address not in ada.get("/tasks/small/organize/boards/evaluation").text, "there is one now"
    bo.post("/tasks/small/phases/post-evaluation/runs/new", {"name": "later"})
    run = world.session.query(Run).filter_by(name="later").one()
    assert "The gold standard of these items has been public since 19 Mar 2026" in words(
        bo.get(f"/tasks/small/runs/{run.id}/p2s/upload")
    )
    world.upload(run, "p2s", b"0.1\n1.4\n2.6\n3.9\n", AFTER)
    world.work(AFTER)
    assert "birch later" in words(visitor.get("/tasks/small/boards/post-evaluation"))
    assert visitor.get("/tasks/small/boards/evaluation.json").data == before
    assert boards.board_text(world.session, world.phase()).encode() == before
