"""Teams as their members make and join them."""

from apiflask import Schema
from apiflask.fields import AwareDateTime, Integer, List, Nested, String

from server.api.schemas.teams import TEAM_STATE
from server.core.i18n import N_
from server.forms.teams import EditTeamForm, TeamForm
from server.web.rest.answers import Paged
from server.web.rest.bounds import bounds
from server.web.rest.fields import Asked, Shaped, Text


class NewTeamSchema(Asked):
    """A team to be made."""

    name = Text(required=True, metadata=bounds(TeamForm, "name"))


class TeamChange(Asked):
    """What is to change of a team; what is left out stays as it is. The name stays once a file is scored."""

    name = Text(metadata=bounds(EditTeamForm, "name"))
    affiliations = Text(metadata=bounds(EditTeamForm, "affiliations"))


class JoinSchema(Asked):
    """By which link."""

    token = Text(
        required=True,
        validate=Shaped(r"[A-Za-z0-9_-]{1,64}\Z", error=N_("Send the last part of the link.")),
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
