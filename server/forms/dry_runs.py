"""Forms for dry runs."""

from flask_wtf.file import FileField, FileRequired
from wtforms import SelectField

from server.core.i18n import N_
from server.web.fields import SiteForm


class DryRunForm(SiteForm):
    """A run file, and the gold that it is held against."""

    target = SelectField(N_("Level and split"))
    file = FileField(N_("Run file"), validators=[FileRequired(N_("Choose a file first."))])
