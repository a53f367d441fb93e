"""Teams and who is in them."""

from typing import get_args

from apiflask import Schema
from apiflask.fields import AwareDateTime, Boolean, Integer, List, Nested, String

from server.core.i18n import N_
from server.teams.forms import EditTeamForm, TeamForm
from server.teams.models import TeamState
from server.web.rest.fields import PatternValidator, RequestSchema, TextField
from server.web.rest.forms import field_bounds
from server.web.rest.responses import Paged

TEAM_STATE = {
    "enum": list(get_args(TeamState)),
    "description": "Whether it may compete; one that is `waiting` may once it is approved.",
}


class MemberSchema(Schema):
    """One person of a team."""

    id = Integer(required=True)
    name = String(required=True)
    is_captain = Boolean(required=True)


class TeamSchema(Schema):
    """People who submit together for one task."""

    id = Integer(required=True, attribute="team.id")
    name = String(required=True, attribute="team.name")
    state = String(
        required=True,
        attribute="team.state",
        metadata=TEAM_STATE,
    )
    reason = String(
        required=True,
        allow_none=True,
        attribute="team.reason",
        metadata={"description": "Why it was declined; null: it was not."},
    )
    affiliations = String(required=True, attribute="team.affiliations")
    created_at = AwareDateTime(required=True, attribute="team.created_at")
    members = List(Nested(MemberSchema), required=True)


class OwnTeam(TeamSchema):
    """Your own team."""

    is_fixed = Boolean(
        required=True,
        metadata={"description": "Whether a file of it was scored: name and people stay as they are."},
    )


class TeamWithFiles(TeamSchema):
    """A team as organizers see it."""

    files = Integer(required=True, metadata={"description": "How many files of it were scored."})


class TeamsPage(Paged):
    """Some of the teams, those that wait for approval first."""

    items = List(Nested(TeamWithFiles), required=True)


class NewTeamSchema(RequestSchema):
    """A team to be made."""

    name = TextField(required=True, metadata=field_bounds(TeamForm, "name"))


class TeamChange(RequestSchema):
    """What is to change of a team; what is left out stays as it is. The name stays once a file is scored."""

    name = TextField(metadata=field_bounds(EditTeamForm, "name"))
    affiliations = TextField(metadata=field_bounds(EditTeamForm, "affiliations"))


class JoinSchema(RequestSchema):
    """By which link."""

    token = TextField(
        required=True,
        validate=PatternValidator(r"[A-Za-z0-9_-]{1,64}\Z", error=N_("Send the last part of the link.")),
        metadata={"description": "The last part of the link's address."},
    )


class OwnTeamSchema(Schema):
    """One's own team."""

    id = Integer(required=True)
    task = String(required=True, attribute="task.slug")
    name = String(required=True)
    affiliations = String(required=True)
    state = String(required=True, metadata=TEAM_STATE)


class LinkSchema(Schema):
    """A link by which people join the team; its text was shown as it was made."""

    id = Integer(required=True)
    made_at = AwareDateTime(required=True)
    expires_at = AwareDateTime(required=True)


class LinksPage(Paged):
    """Some of the links that can be used, the oldest first."""

    items = List(Nested(LinkSchema), required=True)


class NewLinkSchema(LinkSchema):
    """A link that was just made."""

    token = String(required=True, metadata={"description": "What `/team/join` asks for."})
    address = String(required=True, metadata={"description": "The page on which people join."})
