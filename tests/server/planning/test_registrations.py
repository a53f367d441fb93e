from datetime import timedelta

import pytest

from server.audit.models import AuditEntry
from server.core import db
from server.core.actors import VISITOR
from server.core.errors import Conflict, Forbidden, NotCompeting, NotFound
from server.planning import registrations
from server.runs import service as runs
from server.submissions import eligibility, service as submissions
from server.teams import memberships, service as teams
from server.teams.models import Team
from tests.server.mail_sink import Sink
from tests.server.small_task import GOOD
from tests.server.world import DURING, World


@pytest.fixture
def alder(world: World) -> Team:
    """dee's team, in a task that approves its teams."""
    with db.writing(world.session):
        world.task.registration = "approved"
    return world.found_team("dee", "alder")


def approve(world: World, team: Team, by: str = "ada") -> None:
    with db.writing(world.session):
        registrations.approve_team(world.session, world.actor(by), world.task, team.id, DURING)


def decline(world: World, team: Team, by: str = "ada", reason: str = "not a student team") -> None:
    with db.writing(world.session):
        registrations.decline_team(world.session, world.actor(by), world.task, team.id, reason, DURING)


def test_only_new_teams_wait_for_approval(world: World, alder: Team) -> None:
    assert (alder.state, world.team.state) == ("waiting", "approved")
    with pytest.raises(NotCompeting, match="alder is waiting for the organizers' approval"):
        runs.create_run(world.session, world.actor("dee"), world.phase(), "one", runs.RunTexts(), DURING)


def test_waiting_team_can_invite_and_edit(world: World, alder: Team) -> None:
    world.link(by="dee")
    with db.writing(world.session):
        teams.edit_team(world.session, world.actor("dee"), world.task, "red alder", "Forest", DURING)
    assert (alder.name, alder.affiliations) == ("red alder", "Forest")


def test_approved_team_can_add_runs(world: World, alder: Team) -> None:
    approve(world, alder)
    with db.writing(world.session):
        runs.create_run(world.session, world.actor("dee"), world.phase(), "one", runs.RunTexts(), DURING)
    approve(world, alder)
    entries = world.session.query(AuditEntry).filter_by(action="team.approve").all()
    assert [entry.team_id for entry in entries] == [alder.id]


def test_organizers_get_one_email_of_all_waiting_teams_and_a_team_its_decision(
    world: World, alder: Team, sink: Sink
) -> None:
    with db.writing(world.session):
        teams.add_team(world.session, world.task, "yew", DURING, state="waiting")
    later = DURING + timedelta(minutes=11)
    world.work(later)
    (mail,) = sink.mails
    assert mail["To"] == "ada@example.org"
    assert mail["Subject"] == "2 teams are waiting for your approval"
    assert "- alder\r\n- yew\r\n" in mail.get_body(("plain",)).get_content()
    sink.mails.clear()
    approve(world, alder)
    world.work(later)
    decline(world, alder)
    world.work(later)
    assert [(mail["To"], mail["Subject"]) for mail in sink.mails] == [
        ("dee@example.org", "alder was approved"),
        ("dee@example.org", "alder was declined"),
    ]
    assert "> not a student team" in sink.mails[1].get_body(("plain",)).get_content()


def test_declined_team_sees_the_reason_and_can_still_be_approved(world: World, alder: Team) -> None:
    decline(world, alder)
    with pytest.raises(Conflict, match="declined alder: not a student team"):
        runs.create_run(world.session, world.actor("dee"), world.phase(), "one", runs.RunTexts(), DURING)
    last = world.session.query(AuditEntry).order_by(AuditEntry.number.desc()).first()
    assert last is not None
    assert (last.action, last.team_id) == ("team.decline", alder.id)
    approve(world, alder)
    assert (alder.state, alder.reason) == ("approved", None)


def test_declined_team_cannot_upload_to_existing_runs(world: World) -> None:
    run = world.run()
    prepared = submissions.prepare_file(
        world.session,
        world.actor("bo"),
        eligibility.ReceivedFile(
            eligibility.find_own_target(world.session, world.actor("bo"), run.id, "p2s", DURING),
            GOOD,
            "run.tsv",
        ),
        DURING,
    )
    decline(world, world.team)
    with pytest.raises(Conflict, match="have declined birch"), db.writing(world.session):
        submissions.submit_file(world.session, world.actor("bo"), prepared, DURING)
    with pytest.raises(Conflict, match="have declined birch"):
        world.upload(run, "s2p")


def test_team_with_a_scored_file_cannot_be_declined(world: World) -> None:
    world.upload(world.run(), "p2s")
    with pytest.raises(Conflict, match="can no longer be declined"):
        decline(world, world.team)
    assert world.team.state == "approved"


def test_dissolved_team_cannot_be_approved_or_declined(world: World, alder: Team) -> None:
    with db.writing(world.session):
        memberships.leave_team(world.session, world.actor("dee"), world.task, DURING)
    for act in (approve, decline):
        with pytest.raises(Conflict, match=r"alder \(dissolved\) has no members"):
            act(world, alder)


@pytest.mark.parametrize(("person", "error"), [("bo", Forbidden), ("cy", Forbidden)])
def test_only_organizers_approve_and_list_teams(
    world: World, alder: Team, person: str, error: type[Exception]
) -> None:
    for act in (approve, decline):
        with pytest.raises(error):
            act(world, alder, person)
    with pytest.raises(error):
        registrations.list_registrations(world.session, world.actor(person), world.task)
    with pytest.raises(NotFound):
        registrations.list_registrations(world.session, VISITOR, world.task)


def test_organizers_own_team_cannot_be_approved(world: World) -> None:
    own = teams.find_team_by_name(world.session, world.task, teams.ORGANIZERS)
    assert own is not None
    with pytest.raises(NotFound):
        approve(world, own)


@pytest.mark.usefixtures("alder")
def test_team_list_starts_with_waiting_teams_and_shows_people_and_files(world: World) -> None:
    for level in ("p2s", "s2p"):
        world.upload(world.run(), level)
    listed = registrations.list_registrations(world.session, world.actor("ada"), world.task)
    rows = [(view.team.name, [user.name for user in view.members], view.files) for view in listed]
    assert rows == [("alder", ["dee"], 0), ("birch", ["bo", "cy"], 2)]
