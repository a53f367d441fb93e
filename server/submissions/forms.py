"""Forms for uploads."""

import re

from flask_wtf.file import FileField, FileRequired, MultipleFileField
from wtforms import SelectField

from server.core.i18n import N_
from server.web.fields import SiteForm

FORM_OVERHEAD = 8 * 1024
"""What a form's other fields and its part headers may have beside the file."""


class UploadForm(SiteForm):
    """One run file for one level."""

    file = FileField(N_("Run file"), validators=[FileRequired(N_("Choose a file first."))])


class WholeRunForm(SiteForm):
    """Run files for several levels, or zips of them."""

    file = MultipleFileField(N_("Run files"), validators=[FileRequired(N_("Choose the files first."))])


def clean_path(name: str | None) -> str:
    """The path of a file that was sent with its folders, or in a zip, for its level and for messages."""
    parts = [clean_filename(part) for part in re.split(r"[/\\]", name or "") if part.strip()]
    return "/".join(parts[-12:]) or "file"


def clean_filename(name: str | None) -> str:
    """The last part of an uploaded file's name, for messages; never a path."""
    last = re.split(r"[/\\]", name or "")[-1]
    printable = "".join(char for char in last if char.isprintable()).strip()
    return printable[-200:] or "file"


class DryRunForm(SiteForm):
    """A run file, and the gold that it is held against."""

    target = SelectField(N_("Level and split"))
    file = FileField(N_("Run file"), validators=[FileRequired(N_("Choose a file first."))])
