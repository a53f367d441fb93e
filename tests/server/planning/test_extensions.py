"""A later deadline, for all or for one team: what it changes, what it leaves, who knows of it."""

import threading
from datetime import timedelta

import pytest

from server.audit.models import AuditEntry
from server.core import db
from server.core.actors import CONSOLE
from server.core.errors import Conflict, Forbidden, InvalidDates, NotFound, PhaseClosed, QuotaExceeded
from server.phases import windows
from server.phases.models import Extension, Phase
from server.planning import extensions
from server.runs import service as runs
from server.runs.models import Run
from server.submissions import withdrawals
from server.submissions.models import Rejection, Submission
from server.teams.models import Team
from tests.server.small_task import GOOD, variant
from tests.server.visitors import words
from tests.server.world import AFTER, CLOSES, DURING, LATE, World

NEW = CLOSES + timedelta(days=2)


def extend(world: World, team: str | None = None, by: str = "ada") -> Extension:
    chosen = None if team is None else world.team
    with db.writing(world.session):
        return extensions.extend_deadline(
            world.session, world.actor(by), world.phase(), chosen, NEW, "the server was down", LATE
        )


def elm(world: World) -> Run:
    """A run of dee's team."""
    team = world.found_team("dee", "elm")
    with db.writing(world.session):
        return runs.add_run(world.session, team, world.phase(), "one", "", DURING)


def test_extension_for_all_moves_the_deadline_but_late_files_stay_late(world: World) -> None:
    late = world.upload(world.run(), "p2s", at=LATE)
    extend(world)
    assert world.phase().closes == NEW
    assert late.late is True
    assert world.upload(world.run(), "p2s", GOOD, at=NEW).late is False
    assert world.upload(world.run(), "p2s", variant(1), at=NEW + timedelta(seconds=1)).late is True


def test_extension_for_one_team_does_not_apply_to_others(world: World) -> None:
    other = elm(world)
    extend(world, "birch")
    mine = world.upload(world.run(), "p2s", at=NEW)
    theirs = world.upload(other, "p2s", at=NEW, by="dee")
    assert (mine.late, theirs.late) == (False, True)
    assert world.phase().closes == CLOSES
    grace_ends = NEW + timedelta(hours=72)
    assert world.upload(world.run(), "p2s", variant(1), at=grace_ends).late is True
    for run, by, closed in (
        (world.run(), "bo", "17 Mar 2026, 12:00"),
        (other, "dee", "15 Mar 2026, 12:00"),
    ):
        with pytest.raises(PhaseClosed) as shut:
            world.upload(run, "s2p", at=grace_ends + timedelta(seconds=1), by=by)
        assert f"closed on {closed} UTC" in shut.value.message
        assert "your file arrived on 20 Mar 2026, 12:00:01 UTC" in shut.value.message


def test_team_can_withdraw_files_until_its_own_deadline(world: World) -> None:
    mine = world.upload(world.run(), "p2s")
    extend(world, "birch")
    world.withdraw(mine, at=NEW)
    with db.writing(world.session), pytest.raises(PhaseClosed):
        withdrawals.restore_submission(world.session, world.actor("bo"), mine, NEW + timedelta(seconds=1))


def test_extension_must_end_later_than_the_deadline_and_in_the_future(world: World) -> None:
    ada, phase = world.actor("ada"), world.phase()
    team, practice = world.team, world.phase("practice")
    for closes, now, message in ((CLOSES, DURING, "a later one"), (LATE, AFTER, "a time in the future")):
        with db.writing(world.session), pytest.raises(InvalidDates, match=message):
            extensions.extend_deadline(world.session, ada, phase, team, closes, "why not", now)
    extend(world, "birch")
    shared = "The deadline for all teams is 15 Mar 2026, 12:00 UTC. Choose a later one."
    earlier, same = CLOSES - timedelta(hours=1), "is already 17 Mar 2026, 12:00 UTC. Choose another one"
    for closes, message in ((earlier, shared), (NEW, same)):
        with db.writing(world.session), pytest.raises(InvalidDates, match=message):
            extensions.extend_deadline(world.session, ada, phase, team, closes, "shorter", DURING)
    with db.writing(world.session), pytest.raises(Conflict, match="no deadline"):
        extensions.extend_deadline(world.session, ada, practice, None, NEW, "why not", LATE)
    assert windows.window_of(world.session, phase, world.team).closes == NEW


@pytest.mark.parametrize(("by", "error"), [("bo", Forbidden), ("dee", NotFound)])
def test_only_organizers_can_extend_a_deadline(world: World, by: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        extend(world, by=by)


def test_extension_is_audited_with_the_team_number(world: World) -> None:
    extension = extend(world, "birch")
    entry = world.session.query(AuditEntry).filter_by(action="phase.extend").one()
    assert entry.team_id == extension.team_id == world.team.id
    assert entry.details == {"phase": "evaluation", "closes": [CLOSES.isoformat(), NEW.isoformat()]}


def test_extension_of_a_team_is_visible_only_to_that_team_and_organizers(world: World) -> None:
    elm(world)
    extend(world, "birch")
    world.set_clock(LATE)
    for name, sees in (("bo", True), ("dee", False), (None, False)):
        page = words(world.client(name).get("/tasks/small/"))
        assert ("Extended for your team to 17 Mar 2026, 12:00 UTC" in page) is sees
        assert ("the server was down" in page) is sees
    ada = world.client("ada")
    page = words(ada.get("/tasks/small/organize/phases/evaluation/extend"))
    assert "birch 17 Mar 2026, 12:00 UTC" in page


def test_page_can_extend_for_one_team_or_for_all(world: World) -> None:
    world.set_clock(LATE)
    ada, path = world.client("ada"), "/tasks/small/organize/phases/evaluation/extend"
    form = {"closes": "2026-03-16 23:59 AoE", "team": str(world.team.id), "reason": "a fire drill"}
    for bad, message in (
        ({"closes": ""}, "Enter the new deadline."),
        ({"closes": "2026-03-16"}, "The time is missing. Enter a date and time in UTC, such as"),
        ({"closes": "2026-03-14 12:00"}, "is in the past. Choose a time in the future."),
        ({"reason": ""}, "Enter a reason."),
        ({"reason": "a \u202efire\u202c drill"}, "Remove invisible characters."),
        ({"reason": "a fire\a drill"}, "Remove invisible characters."),
        ({"team": "99"}, "Not a valid choice."),
    ):
        response = ada.post(path, form | bad)
        assert response.status_code == 422
        assert message in words(response)
    assert ada.post(path, form).status_code == 302
    assert "Evaluation now closes for birch on 17 Mar 2026, 11:59 UTC." in words(ada.get(path))
    assert ada.post(path, form | {"team": "", "closes": "2026-03-18 12:00"}).status_code == 302
    assert world.phase().closes == CLOSES + timedelta(days=3)
    page = words(world.client().get("/tasks/small/"))
    assert "Extended to 18 Mar 2026, 12:00 UTC (00:00 AoE), because: a fire drill" in page


def test_files_uploaded_on_the_page_within_an_extension_are_on_time(world: World) -> None:
    extend(world, "birch")
    world.set_clock(NEW - timedelta(minutes=5))
    bo, run = world.client("bo"), world.run()
    upload = f"/tasks/small/runs/{run.id}/p2s/upload"
    assert "You are on time. Evaluation closes in 5 min" in words(bo.get(upload))
    assert bo.upload(upload, GOOD).status_code == 302
    world.session.rollback()
    listed = world.session.query(Submission).filter_by(run_id=run.id)
    assert [submission.late for submission in listed] == [False]


def test_late_file_can_be_resubmitted_by_one_button_even_without_quota(world: World) -> None:
    run = world.run()
    for number in range(2):
        world.upload(run, "p2s", variant(number))
    late = world.upload(run, "p2s", at=LATE)
    run_id, sha256, page = run.id, late.sha256, f"/tasks/small/submissions/{late.id}"
    world.set_clock(LATE)
    bo = world.client("bo")
    assert "Send it again" not in words(bo.get(page))
    assert bo.post(f"{page}/again").status_code == 409
    extend(world, "birch")
    assert "Submit again on time" in words(bo.get(page))
    answer = bo.post(f"{page}/again")
    assert "This submission was on time and counts." in words(bo.get(answer.headers["Location"]))
    assert bo.post(f"{page}/again").status_code == 409
    with pytest.raises(QuotaExceeded):
        world.upload(world.run(), "p2s", variant(9), at=LATE)
    files = world.session.query(Submission.late, Submission.sha256).filter_by(run_id=run_id)
    assert [(was, sha == sha256) for was, sha in files.order_by(Submission.id)] == [
        (False, False),
        (False, False),
        (True, True),
        (False, True),
    ]


def test_rejected_resubmission_of_a_late_file_is_recorded(world: World) -> None:
    late, bad = world.upload(world.run(), "p2s", at=LATE), b"not a number\n" * 4
    with db.writing(world.session):  # a stricter scorer would reject what an older one took
        late.sha256 = world.storage.put(bad)
    page = f"/tasks/small/submissions/{late.id}"
    extend(world, "birch")
    world.set_clock(LATE)
    answer = world.client("bo").post(f"{page}/again")
    assert answer.status_code == 422
    (rejection,) = world.session.query(Rejection)
    assert (rejection.run_id, rejection.count, rejection.filename) == (world.run().id, 4, "run.tsv")
    assert world.session.query(Submission).filter_by(run_id=world.run().id).count() == 1


@pytest.mark.parametrize("team", [None, "birch"])
def test_extension_given_during_an_upload_applies_to_it(world: World, team: str | None) -> None:
    over = CLOSES + timedelta(hours=80)
    world.set_clock(over)
    bo, path = world.client("bo"), f"/tasks/small/runs/{world.run().id}/p2s/upload"
    token, site = bo.token(), world.site

    def extend_elsewhere() -> None:
        session = site.session()
        with db.writing(session):
            phase = session.query(Phase).filter_by(slug="evaluation").one()
            chosen = None if team is None else session.query(Team).filter_by(name=team).one()
            later = over + timedelta(hours=1)
            extensions.extend_deadline(session, CONSOLE, phase, chosen, later, "the server was down", over)
        site.session.remove()

    def meanwhile() -> None:
        organizer = threading.Thread(target=extend_elsewhere)
        organizer.start()
        organizer.join()

    assert bo.upload_slowly(path, GOOD, token, meanwhile).status_code == 302


def test_upload_that_takes_too_long_arrives_when_it_is_complete(world: World) -> None:
    bo, path = world.client("bo"), f"/tasks/small/runs/{world.run().id}/p2s/upload"
    token = bo.token()
    for number, minutes in enumerate((10, 11)):
        world.set_clock(CLOSES - timedelta(seconds=1))
        done = CLOSES - timedelta(seconds=1) + timedelta(minutes=minutes)
        assert (
            bo.upload_slowly(path, variant(number), token, lambda at=done: world.set_clock(at)).status_code
            == 302
        )
    world.session.rollback()
    files = world.session.query(Submission).filter_by(run_id=world.run().id).order_by(Submission.id)
    assert [(one.late, one.arrived_at) for one in files] == [
        (False, CLOSES - timedelta(seconds=1)),
        (True, CLOSES - timedelta(seconds=1) + timedelta(minutes=11)),
    ]


def test_task_list_and_submission_page_use_the_teams_own_deadline(world: World) -> None:
    extend(world, "birch")
    path = f"/tasks/small/submissions/{world.upload(world.run(), 'p2s', at=LATE).id}"
    world.set_clock(LATE)
    pages = {person: words(world.client(person).get("/")) for person in ("bo", "cy", "dee", "ada")}
    sees_extension = {person: "17 Mar 2026, 12:00 UTC" in page for person, page in pages.items()}
    assert sees_extension == {"bo": True, "cy": True, "dee": False, "ada": False}
    assert "Evaluation is closed. Late submissions are accepted" in words(world.client().get("/"))
    for person in ("bo", "ada"):
        page = words(world.client(person).get(path))
        assert "on time Uploaded by bo Deadline 17 Mar 2026, 12:00 UTC" in page


def test_extend_page_mentions_late_submissions_only_if_the_phase_can_have_them(world: World) -> None:
    ada, path = world.client("ada"), "/tasks/small/organize/phases/evaluation/extend"
    message = "A late submission stays late after an extension."
    assert message in words(ada.get(path))
    with db.writing(world.session):
        world.phase().grace_hours = 0
    assert message not in words(ada.get(path))
    with db.writing(world.session):
        world.phase().grace_hours = 72
    world.upload(world.run(), "p2s", at=LATE)
    with db.writing(world.session):
        world.phase().grace_hours = 0
    assert message in words(ada.get(path))


def test_extend_page_offers_no_form_once_the_gold_standard_of_a_closed_phase_is_public(world: World) -> None:
    world.upload(world.run(), "p2s")
    ada, path = world.client("ada"), "/tasks/small/organize/phases/evaluation/extend"
    world.set_clock(AFTER)
    assert "Extend the deadline" in words(ada.get(path))
    ada.post("/tasks/small/organize/boards/evaluation/release", {"opens_gold": "y", "sure": "y"})
    page = words(ada.get(path))
    assert "You can no longer extend Evaluation: the gold standard of the test items has been public" in page
    assert "Extend the deadline" not in page
    given = {"closes": "2027-01-01 12:00", "reason": "power cut"}
    assert ada.post(path, given).status_code == 422
