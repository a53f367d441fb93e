import pytest

from server.audit.models import AuditEntry
from server.core import db
from server.core.actors import CONSOLE
from server.core.errors import Conflict, Forbidden, Gone, NotFound
from server.personal_data.account_management import create_account
from server.submissions.models import Submission
from server.teams import invitations, memberships, service as teams
from tests.server.mail_sink import Sink
from tests.server.small_task import PASSWORD
from tests.server.world import DURING, World


def remove(world: World, by: str, whom: str) -> None:
    with db.writing(world.session):
        actor, user_id = world.actor(by), world.user(whom).id
        memberships.remove_member(world.session, actor, world.team, user_id, DURING)


def join(world: World, person: str, token: str) -> None:
    with db.writing(world.session):
        invitations.join_team(world.session, world.actor(person), world.task, token, DURING)


def hand_over(world: World, by: str, whom: str) -> None:
    with db.writing(world.session):
        actor, user_id = world.actor(by), world.user(whom).id
        memberships.hand_over(world.session, actor, world.team, user_id, DURING)


def names(world: World) -> list[str]:
    return [user.name for user in teams.list_members(world.session, world.team)]


def test_captain_can_remove_a_member(world: World) -> None:
    remove(world, "bo", "cy")
    assert names(world) == ["bo"]
    last = world.session.query(AuditEntry).order_by(AuditEntry.number.desc()).first()
    assert last is not None
    assert (last.action, last.team_id) == ("team.remove", world.team.id)
    assert last.details == {"user": world.actor("cy").label}


@pytest.mark.parametrize("person", ["cy", "dee", "observer", "ada"])
def test_only_the_captain_hands_over_and_no_other_member_or_observer_removes(
    world: World, person: str
) -> None:
    with db.writing(world.session):
        create_account(world.session, "observer@example.org", "Observer", PASSWORD)
    world.give_role("observer", "observer")
    if person != "ada":
        with pytest.raises(Forbidden, match="Only the captain of birch"):
            remove(world, person, "bo")
    with pytest.raises(Forbidden, match="Only the captain of birch"):
        hand_over(world, person, "cy")
    assert names(world) == ["bo", "cy"]
    assert world.team.captain_id == world.user("bo").id


def test_captain_cannot_remove_themselves_or_a_non_member(world: World) -> None:
    with pytest.raises(Conflict, match=r"The captain cannot be removed\. Make another member captain first"):
        remove(world, "bo", "bo")
    world.found_team("dee", "alder")
    for act in (remove, hand_over):
        with pytest.raises(NotFound, match="There is no such team member"):
            act(world, "bo", "dee")


def test_removed_member_loses_access_and_the_submissions_stay_the_teams(world: World) -> None:
    submission_id = world.upload(world.run(), "p2s", by="cy").id
    page = f"/tasks/small/submissions/{submission_id}"
    cy = world.client("cy")
    assert cy.get(page).status_code == 200
    remove(world, "bo", "cy")
    assert cy.get(page).status_code == 404
    assert world.client("bo").get(page).status_code == 200
    assert world.session.get_one(Submission, submission_id).submitted_by == world.user("cy").id


def test_removed_member_cannot_join_again_by_an_old_link(world: World) -> None:
    token = world.link()
    remove(world, "bo", "cy")
    with pytest.raises(Gone, match="was revoked"):
        join(world, "cy", token)
    join(world, "cy", world.link())
    assert names(world) == ["bo", "cy"]


def test_removed_member_who_uploaded_joins_no_other_team_but_may_come_back(world: World) -> None:
    world.upload(world.run(), "p2s", by="cy")
    world.found_team("dee", "alder")
    remove(world, "bo", "cy")
    words = "You uploaded files for birch, so you cannot join another team of this task"
    with pytest.raises(Conflict, match=words):
        world.found_team("cy", "elm")
    with pytest.raises(Conflict, match=words):
        join(world, "cy", world.link(by="dee"))
    join(world, "cy", world.link())
    assert names(world) == ["bo", "cy"]


def test_removed_member_who_uploaded_nothing_may_join_another_team(world: World) -> None:
    world.upload(world.run(), "p2s")
    remove(world, "bo", "cy")
    assert world.found_team("cy", "elm").captain_id == world.user("cy").id


def test_organizer_removes_a_member_and_the_captain_whom_the_oldest_member_follows(world: World) -> None:
    join(world, "dee", world.link())
    remove(world, "ada", "bo")
    assert (names(world), world.team.captain_id) == (["cy", "dee"], world.user("cy").id)
    entries = world.session.query(AuditEntry).order_by(AuditEntry.number).all()[-2:]
    assert [(entry.actor, entry.action, entry.details) for entry in entries] == [
        (world.actor("ada").label, "team.remove", {"user": world.actor("bo").label}),
        (world.actor("ada").label, "team.captain", {"user": world.actor("cy").label}),
    ]
    remove(world, "ada", "dee")
    with pytest.raises(Conflict, match=r"cy is the only member of birch and cannot be removed\. Another"):
        remove(world, "ada", "cy")
    assert (names(world), world.team.captain_id) == (["cy"], world.user("cy").id)


def test_members_of_an_archived_task_stay_as_they_are(world: World) -> None:
    with db.writing(world.session):
        world.task.state = "archived"
    with pytest.raises(Conflict, match="This task is archived"):
        remove(world, "bo", "cy")


def test_scored_file_does_not_fix_the_captain(world: World) -> None:
    world.upload(world.run(), "p2s")
    hand_over(world, "bo", "cy")
    assert world.team.captain_id == world.user("cy").id


@pytest.mark.parametrize(
    ("by", "whom", "captain", "member_message", "captain_message"),
    [
        (
            "bo",
            "cy",
            "bo",
            "The captain of birch removed you from the team in A small task.",
            "You removed cy from birch in A small task.",
        ),
        (
            "ada",
            "bo",
            "cy",
            "An organizer of A small task removed you from the team birch.",
            "An organizer of A small task removed bo from your team birch. You are now its captain.",
        ),
    ],
)
def test_removed_member_and_the_captain_are_told_by_email(
    world: World, sink: Sink, by: str, whom: str, captain: str, member_message: str, captain_message: str
) -> None:
    remove(world, by, whom)
    world.work(DURING)
    mails = {mail["To"].split("@")[0]: mail for mail in sink.mails}
    assert sorted(mails) == sorted([whom, captain])
    for person, sentence in ((whom, member_message), (captain, captain_message)):
        for kind in ("plain", "html"):
            text = " ".join(mails[person].get_body((kind,)).get_content().split())
            assert sentence in text, (person, kind)
    assert mails[whom]["Subject"] == "You were removed from birch"
    assert mails[captain]["Subject"] == f"{whom} was removed from birch"


def test_nobody_is_told_of_a_removal_who_does_not_want_such_emails(world: World, sink: Sink) -> None:
    with db.writing(world.session):
        world.user("cy").mail_memberships = False
    remove(world, "bo", "cy")
    world.work(DURING)
    assert [mail["To"] for mail in sink.mails] == ["bo@example.org"]


def test_former_captain_loses_captain_rights_after_handing_over(world: World) -> None:
    hand_over(world, "bo", "cy")
    with pytest.raises(Forbidden):
        hand_over(world, "bo", "bo")
    remove(world, "cy", "bo")
    assert names(world) == ["cy"]


def test_console_can_appoint_a_captain_for_a_team_without_one(world: World) -> None:
    with db.writing(world.session):
        memberships.hand_over(world.session, CONSOLE, world.team, world.user("cy").id, DURING)
    assert world.team.captain_id == world.user("cy").id
