from datetime import timedelta
from threading import Barrier

import pytest

from server.access import service as access, tasks
from server.audit.models import AuditEntry
from server.core import db
from server.core.errors import Conflict, Forbidden, Gone, ServerError
from server.runs import service as runs
from server.submissions import eligibility, service as submissions
from server.submissions.eligibility import ReceivedFile
from server.submissions.models import Submission
from server.teams import invitations, memberships, service as teams
from server.teams.models import Team
from tests.server.races import run_at_once
from tests.server.small_task import GOOD
from tests.server.world import DURING, World


def leave(world: World, person: str) -> Team:
    with db.writing(world.session):
        return memberships.leave_team(world.session, world.actor(person), world.task, DURING)


def last_entry(world: World) -> AuditEntry:
    entry = world.session.query(AuditEntry).order_by(AuditEntry.number.desc()).first()
    assert entry is not None
    return entry


def test_person_who_left_a_team_can_join_another(world: World) -> None:
    leave(world, "cy")
    assert access.find_team(world.session, world.actor("cy"), world.task) is None
    assert [user.name for user in teams.list_members(world.session, world.team)] == ["bo"]
    assert (last_entry(world).action, last_entry(world).team_id) == ("team.leave", world.team.id)
    assert world.found_team("cy", "alder").captain_id == world.user("cy").id


def test_the_captain_hands_over_before_leaving(world: World) -> None:
    with pytest.raises(Conflict, match=r"You are the captain\. Make another member captain before you leave"):
        leave(world, "bo")
    with db.writing(world.session):
        memberships.hand_over(world.session, world.actor("bo"), world.team, world.user("cy").id, DURING)
    leave(world, "bo")
    assert world.team.captain_id == world.user("cy").id


def test_captain_who_took_part_learns_that_handing_over_is_not_enough(world: World) -> None:
    world.upload(world.run(), "p2s")
    with pytest.raises(
        Conflict, match=r"You cannot leave birch .* another member captain, they can remove you"
    ):
        leave(world, "bo")


def test_member_from_before_the_first_scored_file_cannot_leave(world: World) -> None:
    submission = world.upload(world.run(), "p2s")
    words = (
        r"You cannot leave birch because you .* were a member when its first file was scored\. Ask the cap"
    )
    with pytest.raises(Conflict, match=words):
        leave(world, "cy")
    world.withdraw(submission)
    with pytest.raises(Conflict, match=words):
        leave(world, "cy")


def test_member_who_joined_after_the_first_scored_file_can_leave_until_they_upload(world: World) -> None:
    later = DURING + timedelta(hours=1)
    world.upload(world.run(), "p2s")
    for uploads in (False, True):
        token = world.link(later)
        with db.writing(world.session):
            invitations.join_team(world.session, world.actor("dee"), world.task, token, later)
        if uploads:
            world.upload(world.run(), "s2p", at=later, by="dee")
            with pytest.raises(Conflict, match="You cannot leave birch because you uploaded a file for it"):
                leave(world, "dee")
        else:
            leave(world, "dee")
    assert [user.name for user in teams.list_members(world.session, world.team)] == ["bo", "cy", "dee"]


def test_last_member_cannot_leave_a_team_with_a_scored_file(world: World) -> None:
    world.upload(world.run(), "p2s")
    with db.writing(world.session):
        memberships.remove_member(world.session, world.actor("bo"), world.team, world.user("cy").id, DURING)
    with pytest.raises(Conflict, match="You cannot leave birch because you are its only member"):
        leave(world, "bo")
    assert world.team.state == "approved"


def test_last_member_who_leaves_dissolves_the_team_and_its_name_is_freed(world: World) -> None:
    team, token = world.team, world.link()
    leave(world, "cy")
    leave(world, "bo")
    assert (team.name, team.state, team.captain_id) == ("birch (dissolved)", "dissolved", None)
    assert last_entry(world).action == "team.dissolve"
    with pytest.raises(Gone, match="was revoked"):
        invitations.get_invitation(world.session, world.actor("dee"), world.task, token, DURING)
    again = world.found_team("bo", "Birch")
    assert again.id != team.id
    assert world.team.id == again.id
    leave(world, "bo")
    assert again.name == "Birch (dissolved 2)"


def test_leaving_without_a_team_is_rejected(world: World) -> None:
    with pytest.raises(
        Forbidden,
        match=r"Only team members can do this\. Create a team, or join one with its invitation link",
    ):
        leave(world, "dee")


@pytest.mark.both_databases
def test_file_uploaded_while_its_sender_leaves_is_either_stored_or_rejected(world: World) -> None:
    """Either the file is scored and the team is fixed, or the person has left and the file is rejected."""
    run_id = world.run().id
    cy = world.actor("cy")
    prepared = submissions.prepare_file(
        world.session,
        cy,
        ReceivedFile(eligibility.find_own_target(world.session, cy, run_id, "p2s", DURING), GOOD, "run.tsv"),
        DURING,
    )
    world.site.session.remove()
    start, refused = Barrier(2), []

    def act(what: str) -> None:
        session = world.site.session()
        try:
            start.wait()
            with db.writing(session):
                if what == "send":
                    submissions.submit_file(session, cy, prepared, DURING)
                else:
                    memberships.leave_team(session, cy, tasks.get_task(session, "small"), DURING)
        except ServerError:
            refused.append(what)
        finally:
            world.site.session.remove()

    run_at_once(act, [(what,) for what in ("send", "leave")])
    assert len(refused) == 1
    sent = world.session.query(Submission).filter_by(run_id=run_id).count()
    member = access.find_team(world.session, cy, world.task) is not None
    assert (sent, member) == ((0, False) if refused == ["send"] else (1, True))


@pytest.mark.both_databases
def test_upload_prepared_before_leaving_is_not_stored_afterwards(world: World) -> None:
    run = world.run()
    cy = world.actor("cy")
    prepared = submissions.prepare_file(
        world.session,
        cy,
        ReceivedFile(eligibility.find_own_target(world.session, cy, run.id, "p2s", DURING), GOOD, "run.tsv"),
        DURING,
    )
    leave(world, "cy")
    with pytest.raises(ServerError, match="no such run"), db.writing(world.session):
        submissions.submit_file(world.session, cy, prepared, DURING)
    assert (
        runs.count_files_used(
            world.session, world.team, world.phase(), run.phase.task.levels[0], DURING
        ).in_all
        == 0
    )
