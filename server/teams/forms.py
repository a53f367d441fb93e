"""Forms for teams."""

from wtforms import TextAreaField

from server.core.i18n import N_
from server.web.fields import MaxLength, SiteForm, name_field, require_visible_lines


class TeamForm(SiteForm):
    """A new team."""

    name = name_field(N_("Team name"), N_("As it will stand on the board."))


class EditTeamForm(SiteForm):
    """What stands for the team in tables."""

    name = name_field(N_("Team name"), N_("As it will stand on the board; it stays once a file is scored."))
    affiliations = TextAreaField(
        N_("Affiliations"),
        description=N_("Where its members work, one a line, as the overview paper should have it; optional."),
        validators=[MaxLength(1000), require_visible_lines],
        render_kw={"maxlength": 1000, "rows": 3},
    )
