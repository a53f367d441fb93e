"""Forms for importing and exporting a task as a zip."""

from flask_wtf.file import FileField, MultipleFileField
from wtforms import Field, RadioField
from wtforms.validators import ValidationError

from server.core.i18n import N_, _
from server.core.zips import MEGABYTE
from server.web.fields import SiteForm


class ImportForm(SiteForm):
    """A task to host."""

    file = FileField(
        N_("Zip file"),
        description=N_("A package with the items and the gold standard, a task bundle, or an Assay export."),
        render_kw={"accept": ".zip,application/zip"},
    )
    folder = MultipleFileField(
        N_("Or a folder"),
        description=N_("With the same files, not packed. Without scripts, select all its files."),
        render_kw={"data-folder": ""},
    )

    def validate_file(self, field: Field) -> None:
        """Require a zip file or a folder."""
        if not field.data and not any(self.folder.data or ()):
            raise ValidationError(_("Choose a file first."))


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
