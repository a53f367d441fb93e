"""Forms for gold."""

from flask_wtf.file import FileField, FileRequired
from wtforms import SelectField

from server.core.i18n import N_
from server.web.fields import SiteForm, reason_field


class GoldForm(SiteForm):
    """A gold file for a level's split."""

    target = SelectField(N_("Level and split"))
    file = FileField(
        N_("Gold file"),
        description=N_(
            "One value per line in the order of the items. An empty line excludes the item from scoring."
        ),
        validators=[FileRequired(N_("Choose a file first."))],
    )
    reason = reason_field(
        N_("Reason"), N_("Stored with the version. Only organizers and observers can read it.")
    )


class ReasonForm(SiteForm):
    """The reason why a candidate is discarded, or an earlier version is put in force again."""

    reason = reason_field(
        N_("Reason"), N_("Stored with the version. Only organizers and observers can read it.")
    )


MAX_UPLOAD_BYTES = 8 * 1024 * 1024
"""The maximum size of the request with a gold file."""
