"""Forms for importing and exporting a task as a zip."""

from flask_wtf.file import FileField, FileRequired
from wtforms import RadioField

from server.core.i18n import N_
from server.core.zips import MEGABYTE
from server.web.fields import SiteForm


class ImportForm(SiteForm):
    """A task to host."""

    file = FileField(
        N_("Bundle"),
        description=N_("A zip file with a task.toml, such as an Assay export."),
        validators=[FileRequired(N_("Choose a file first."))],
        render_kw={"accept": ".zip,application/zip"},
    )


class ExportForm(SiteForm):
    """A task to export."""

    people = RadioField(
        N_("People"),
        choices={"ids": N_("as “person 1”, “person 2” and so on"), "names": N_("with their names")},
        default="ids",
    )


IMPORT_LIMIT = 64 * MEGABYTE
"""The maximum size of a zip in the form; the command imports larger ones."""
FORM_OVERHEAD = MEGABYTE
"""The maximum size of a form's other fields and part headers."""
