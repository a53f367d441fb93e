"""Forms for uploads."""

import re

from flask_wtf import FlaskForm
from flask_wtf.file import FileField, FileRequired

from server.language import N_


class UploadForm(FlaskForm):
    """One run file for one level."""

    file = FileField(N_("Run file"), validators=[FileRequired(N_("Choose a file first."))])


def clean_filename(name: str | None) -> str:
    """The last part of an uploaded file's name, for messages; never a path."""
    last = re.split(r"[/\\]", name or "")[-1]
    printable = "".join(char for char in last if char.isprintable()).strip()
    return printable[-200:] or "file"
