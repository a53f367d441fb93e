"""Schemas of teams and their members in the API."""

from typing import get_args

from apiflask.fields import AwareDateTime, Boolean, Integer, List, Nested, String

from server.core.i18n import N_
from server.teams.forms import AFFILIATIONS
from server.teams.models import TeamState
from server.web.rest.fields import AnswerSchema, RequestSchema, TextField
from server.web.rest.responses import Paged
from server.web.validators import NAME, TextValidator

TEAM_STATE = {
    "enum": list(get_args(TeamState)),
    "description": "Whether the team can compete. A team that is `waiting` can compete once it is approved.",
}


class MemberSchema(AnswerSchema):
    """A member of a team."""

    id = Integer()
    name = String()
    is_captain = Boolean()


class TeamSchema(AnswerSchema):
    """People who submit together for one task."""

    id = Integer(attribute="team.id")
    name = String(attribute="team.name")
    state = String(attribute="team.state", metadata=TEAM_STATE)
    reason = String(allow_none=True, attribute="team.reason")
    affiliations = String(attribute="team.affiliations")
    created_at = AwareDateTime(attribute="team.created_at")
    members = List(Nested(MemberSchema))


class OwnTeam(TeamSchema):
    """Your own team."""

    is_fixed = Boolean()


class TeamWithFiles(TeamSchema):
    """A team as organizers see it."""

    files = Integer()


class TeamsPage(Paged):
    """A page of teams, those that wait for approval first."""

    items = List(Nested(TeamWithFiles))


class NewTeamSchema(RequestSchema):
    """A new team."""

    name = TextField(required=True, validate=NAME)


class TeamChange(RequestSchema):
    """Changes to a team; omitted fields do not change. The name is fixed once a file has been scored."""

    name = TextField(validate=NAME)
    affiliations = TextField(validate=AFFILIATIONS)


class JoinSchema(RequestSchema):
    """The invitation link to join by."""

    token = TextField(
        required=True,
        validate=TextValidator(
            pattern=r"^[A-Za-z0-9_.-]{1,100}$", pattern_error=N_("Send the last part of the invitation link.")
        ),
    )


class OwnTeamSchema(AnswerSchema):
    """Your team in the task."""

    id = Integer()
    task = String(attribute="task.slug")
    name = String()
    affiliations = String()
    state = String(metadata=TEAM_STATE)


class LinkSchema(AnswerSchema):
    """An invitation link of the team; its text is shown only when it is created."""

    id = Integer()
    made_at = AwareDateTime()
    expires_at = AwareDateTime()


class LinksPage(Paged):
    """A page of invitation links that can be used, the oldest first."""

    items = List(Nested(LinkSchema))


class NewLinkSchema(LinkSchema):
    """An invitation link that was just created."""

    token = String()
    address = String()
