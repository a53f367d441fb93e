"""Forms for teams."""

from server.core.i18n import N_
from server.web.fields import SiteForm, line_field, lines_field
from server.web.validators import NAME, TextValidator, find_invisible_in_lines

AFFILIATIONS = TextValidator(find_invisible_in_lines, most=1000)


class TeamForm(SiteForm):
    """A new team."""

    name = line_field(NAME, N_("Team name"), N_("As it will stand on the board."))


class EditTeamForm(SiteForm):
    """What stands for the team in tables."""

    name = line_field(
        NAME, N_("Team name"), N_("As it will stand on the board; it stays once a file is scored.")
    )
    affiliations = lines_field(
        AFFILIATIONS,
        N_("Affiliations"),
        N_("Where its members work, one a line, as the overview paper should have it; optional."),
        maxlength=AFFILIATIONS.max,
    )
