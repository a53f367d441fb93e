"""Forms for uploads, and the messages of the upload pages' script."""

import re

from flask_wtf.file import FileField, FileRequired, MultipleFileField
from wtforms import BooleanField, SelectField

from server.core.i18n import N_, _
from server.web.fields import SiteForm

FORM_OVERHEAD = 8 * 1024
"""The maximum size of a form's other fields and part headers."""


class RunFilesForm(SiteForm):
    """A form for run files, with a box that is shown when a first column looks like ids."""

    first_is_score = BooleanField(
        N_("The first column has the scores. Accept it although it looks like ids.")
    )
    sure = BooleanField(N_("The file is in the right place."))


class UploadForm(RunFilesForm):
    """One run file for one level."""

    file = FileField(N_("Run file"), validators=[FileRequired(N_("Choose a file first."))])


class WholeRunForm(RunFilesForm):
    """Run files for several levels, or zips of them."""

    file = MultipleFileField(N_("Run files"), validators=[FileRequired(N_("Choose files first."))])


def clean_path(name: str | None) -> str:
    """Return the path of a file from a folder upload or a zip, to find its level and for messages."""
    parts = [clean_filename(part) for part in re.split(r"[/\\]", name or "") if part.strip()]
    return "/".join(parts[-12:]) or "file"


def clean_filename(name: str | None) -> str:
    """Return the last part of an uploaded file's name, for messages; it is never used as a path."""
    last = re.split(r"[/\\]", name or "")[-1]
    printable = "".join(char for char in last if char.isprintable()).strip()
    return printable[-200:] or "file"


class DryRunForm(RunFilesForm):
    """A run file, and the gold version to score it against."""

    target = SelectField(N_("Level and split"))
    file = FileField(N_("Run file"), validators=[FileRequired(N_("Choose a file first."))])


def script_messages(*, many: bool = False) -> dict[str, str]:
    """Return the messages by their names in static/upload.js; `many`: for pages that accept several files."""
    words = {
        "drop": _("Drop a file anywhere on this page, or choose it here."),
        "checking": _("Checking …"),
        "sending": _("Uploading …"),
        "scoring": _("Uploaded. Scoring …"),
        "one_file": _("Drop one file here."),
        "whole_run": _("Upload the whole run at once"),
        "too_large": _("This file is larger than a run file can be. Choose another one."),
        "unreadable": _(
            "The browser can no longer read this file, or it is a folder. Choose the file again."
        ),
        "unchecked": _("The connection was lost, so the file was not checked. You can still upload it."),
        "broken": _("The connection was lost before the site answered. Upload it again."),
        "signed_out": _("You are signed out. Sign in again in another tab, then try again here."),
        "answered": _("The upload was rejected. {words}"),
        "kept": _("Your selection is still here. A file that has already arrived is not counted twice."),
    }
    if many:
        words["drop_many"] = _("Drop the files anywhere on this page, or choose them here.")
        words["too_large"] = _("These files are larger than run files can be. Choose others.")
        words["unreadable"] = _("The browser can no longer read one of these files, or it is a folder.")
        words["unchecked"] = _(
            "The connection was lost, so the files were not checked. You can still upload them."
        )
    return words
