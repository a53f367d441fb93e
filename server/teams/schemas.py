"""Teams and who is in them."""

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
    "description": "Whether it may compete; one that is `waiting` may once it is approved.",
}


class MemberSchema(AnswerSchema):
    """One person of a team."""

    id = Integer()
    name = String()
    is_captain = Boolean()


class TeamSchema(AnswerSchema):
    """People who submit together for one task."""

    id = Integer(attribute="team.id")
    name = String(attribute="team.name")
    state = String(attribute="team.state", metadata=TEAM_STATE)
    reason = String(
        allow_none=True,
        attribute="team.reason",
        metadata={"description": "Why it was declined; null: it was not."},
    )
    affiliations = String(attribute="team.affiliations")
    created_at = AwareDateTime(attribute="team.created_at")
    members = List(Nested(MemberSchema))


class OwnTeam(TeamSchema):
    """Your own team."""

    is_fixed = Boolean()


class TeamWithFiles(TeamSchema):
    """A team as organizers see it."""

    files = Integer(metadata={"description": "How many files of it were scored."})


class TeamsPage(Paged):
    """Some of the teams, those that wait for approval first."""

    items = List(Nested(TeamWithFiles))


class NewTeamSchema(RequestSchema):
    """A team to be made."""

    name = TextField(required=True, validate=NAME)


class TeamChange(RequestSchema):
    """What is to change of a team; what is left out stays as it is. The name stays once a file is scored."""

    name = TextField(validate=NAME)
    affiliations = TextField(validate=AFFILIATIONS)


class JoinSchema(RequestSchema):
    """By which link."""

    token = TextField(
        required=True,
        validate=TextValidator(
            pattern=r"^[A-Za-z0-9_-]{1,64}$", pattern_error=N_("Send the last part of the invitation link.")
        ),
        metadata={"description": "The last part of the link's address."},
    )


class OwnTeamSchema(AnswerSchema):
    """One's own team."""

    id = Integer()
    task = String(attribute="task.slug")
    name = String()
    affiliations = String()
    state = String(metadata=TEAM_STATE)


class LinkSchema(AnswerSchema):
    """A link by which people join the team; its text was shown as it was made."""

    id = Integer()
    made_at = AwareDateTime()
    expires_at = AwareDateTime()


class LinksPage(Paged):
    """Some of the links that can be used, the oldest first."""

    items = List(Nested(LinkSchema))


class NewLinkSchema(LinkSchema):
    """A link that was just made."""

    token = String(metadata={"description": "What `/team/join` asks for."})
    address = String(metadata={"description": "The page on which people join."})
