"""Teams and who is in them."""

from typing import get_args

from apiflask import Schema
from apiflask.fields import AwareDateTime, Boolean, Integer, List, Nested, String

from server.models.teams import TeamState
from server.web.rest.answers import Paged

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
