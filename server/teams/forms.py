"""Forms for teams."""

from wtforms import RadioField

from scorer.bundles.task_keys import find_limits
from server.core.i18n import N_
from server.web.fields import EditForm, SiteForm, line_field, lines_field, number_field, reason_field
from server.web.validators import NAME, RangeValidator, TextValidator, find_invisible_in_lines

AFFILIATIONS = TextValidator(find_invisible_in_lines, most=1000)
TEAM_SIZE = RangeValidator(*find_limits("teams", "size"))
REGISTRATION_LABELS = {
    "open": N_("Anyone can create a team and submit"),
    "approved": N_("An organizer approves each team before it can submit"),
}


class TeamRulesForm(EditForm):
    """The rules for the teams of a task."""

    size = number_field(TEAM_SIZE, N_("Maximum number of members"), N_("Leave empty for no limit."))
    registration = RadioField(N_("New teams"), choices=REGISTRATION_LABELS, default="open")


class TeamForm(SiteForm):
    """A new team."""

    name = line_field(NAME, N_("Team name"), N_("Shown on the leaderboard."))


class EditTeamForm(SiteForm):
    """The team's name and affiliations, as tables show them."""

    name = line_field(
        NAME,
        N_("Team name"),
        N_("Shown on the leaderboard. It cannot be changed once a submission is scored."),
    )
    affiliations = lines_field(
        AFFILIATIONS,
        N_("Affiliations"),
        N_("As in the overview paper, one per line (optional)."),
        maxlength=AFFILIATIONS.max,
    )


class DeclineForm(SiteForm):
    """The reason for declining a team."""

    reason = reason_field(N_("Reason"), N_("Shown to the team on its page."))
