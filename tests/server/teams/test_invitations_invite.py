import pytest
from sqlalchemy import inspect

from server.audit.models import AuditEntry
from server.core import db
from server.core.errors import Conflict, Gone, NotFound
from server.teams import invitations
from server.teams.models import TeamInvitation
from server.teams.rules import INVITATION_LIFETIME, MAX_OPEN_INVITATIONS
from tests.server.world import AFTER, DURING, OPENS, World


def open_links(world: World, at=DURING) -> list[TeamInvitation]:
    return invitations.list_open(world.session, world.team, at)


def revoke(world: World, link: TeamInvitation, by: str = "bo") -> None:
    with db.writing(world.session):
        invitations.revoke(world.session, world.actor(by), world.team, link.id, DURING)


@pytest.mark.parametrize("person", ["bo", "cy"])
def test_each_member_can_create_links_valid_for_seven_days(world: World, person: str) -> None:
    token = world.link(by=person)
    (link,) = open_links(world)
    assert (link.token, link.made_by) == (token, world.user(person).id)
    assert (link.made_at, link.expires_at) == (DURING, DURING + INVITATION_LIFETIME)
    assert open_links(world, AFTER + INVITATION_LIFETIME) == []


def test_number_of_open_links_per_team_is_limited(world: World) -> None:
    for _ in range(MAX_OPEN_INVITATIONS):
        world.link()
    with pytest.raises(Conflict, match=r"already has 5 invitation links\. Share one of them, or revoke one"):
        world.link()
    revoke(world, open_links(world)[0])
    world.link()
    assert len(open_links(world)) == MAX_OPEN_INVITATIONS


def test_expired_and_revoked_links_do_not_count_towards_the_limit(world: World) -> None:
    for _ in range(MAX_OPEN_INVITATIONS - 1):  # one was made to found the team
        world.link(OPENS)
    with pytest.raises(Conflict, match="5 invitation links"):
        world.link(OPENS)
    world.link(DURING)


@pytest.mark.parametrize("person", ["dee", "ada"])
def test_only_members_create_and_revoke_links(world: World, person: str) -> None:
    world.link()
    (link,) = open_links(world)
    with pytest.raises(NotFound):
        invitations.invite(world.session, world.actor(person), world.team, DURING)
    with pytest.raises(NotFound):
        revoke(world, link, person)
    assert open_links(world) == [link]


def test_link_of_another_team_is_not_found(world: World) -> None:
    world.found_team("dee", "alder")
    world.link(by="dee")
    link = world.session.query(TeamInvitation).order_by(TeamInvitation.id.desc()).first()
    assert link is not None
    with pytest.raises(NotFound, match="There is no such invitation link"):
        revoke(world, link)


def test_creating_and_revoking_a_link_are_audited_once(world: World) -> None:
    world.link()
    (link,) = open_links(world)
    revoke(world, link)
    revoke(world, link, "cy")
    entries = world.session.query(AuditEntry).order_by(AuditEntry.number).all()[-2:]
    assert [(entry.action, entry.team_id, entry.details) for entry in entries] == [
        ("team.invite", world.team.id, {"invitation": link.id}),
        ("team.revoke", world.team.id, {"invitation": link.id}),
    ]


def test_the_stored_row_and_so_a_backup_does_not_open_a_team(world: World) -> None:
    token = world.link()
    (link,) = open_links(world)
    stored = [getattr(link, column.key) for column in inspect(TeamInvitation).column_attrs]
    assert link.token == token
    assert not any(token in str(value) for value in stored)
    for forged in (link.nonce, f"{link.nonce}.{token[::-1]}"):
        with pytest.raises(NotFound, match="not valid"):
            invitations.get_invitation(world.session, world.actor("dee"), world.task, forged, DURING)


def test_replaced_link_stops_working_at_once_and_a_new_one_works(world: World) -> None:
    old = world.link()
    (link,) = open_links(world)
    with db.writing(world.session):
        new = invitations.replace(world.session, world.actor("cy"), world.team, link.id, DURING).token
    assert [link.token for link in open_links(world)] == [new]
    dee = world.actor("dee")
    with pytest.raises(Gone, match="was revoked"):
        invitations.get_invitation(world.session, dee, world.task, old, DURING)
    assert invitations.get_invitation(world.session, dee, world.task, new, DURING).team is world.team
    with pytest.raises(Conflict, match="This link was revoked"):  # a second click makes no second link
        invitations.replace(world.session, world.actor("bo"), world.team, link.id, DURING)
    assert len(open_links(world)) == 1


def test_link_can_be_replaced_by_members_only_and_at_the_limit_of_links(world: World) -> None:
    for _ in range(MAX_OPEN_INVITATIONS):
        world.link()
    link = open_links(world)[0]
    for person in ("dee", "ada"):
        with pytest.raises(NotFound):
            invitations.replace(world.session, world.actor(person), world.team, link.id, DURING)
    with db.writing(world.session):
        invitations.replace(world.session, world.actor("bo"), world.team, link.id, DURING)
    assert len(open_links(world)) == MAX_OPEN_INVITATIONS
