"""Forms for teams."""

from server.core.i18n import N_
from server.web.fields import SiteForm, line_field, lines_field
from server.web.validators import NAME, TextValidator, find_invisible_in_lines

AFFILIATIONS = TextValidator(find_invisible_in_lines, most=1000)


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
