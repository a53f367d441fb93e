"""Forms for gold."""

from flask_wtf.file import FileField, FileRequired
from wtforms import SelectField

from server.core.i18n import N_
from server.web.fields import SiteForm, reason_field


class GoldForm(SiteForm):
    """A new gold version of a level's split."""

    target = SelectField(N_("Level and split"))
    file = FileField(
        N_("Gold file"),
        description=N_(
            "One value per line in the order of the items. An empty line excludes the item from scoring."
        ),
        validators=[FileRequired(N_("Choose a file first."))],
    )
    reason = reason_field(N_("Reason"), N_("Stored with the version, visible to organizers."))


class ReasonForm(SiteForm):
    """Why a candidate is dropped, or an earlier version comes back."""

    reason = reason_field(N_("Reason"), N_("Stored with the version, visible to organizers."))


MAX_UPLOAD_BYTES = 8 * 1024 * 1024
"""The most bytes that a gold file's request may have."""
