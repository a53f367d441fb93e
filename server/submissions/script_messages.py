"""The sentences that the upload pages' script shows, in the language of the page."""

from server.core.i18n import _


def words_for_script(*, many: bool = False) -> dict[str, str]:
    """The sentences by their names in static/upload.js; `many`: for a page that takes several files."""
    words = {
        "drop": _("Drop a file anywhere on this page, or choose it here."),
        "checking": _("Checking …"),
        "sending": _("Uploading …"),
        "scoring": _("Uploaded. The site reads and scores it …"),
        "one_file": _("Drop one file here."),
        "whole_run": _("Upload the whole run at once"),
        "too_large": _("This is larger than a run file can be. Choose another file."),
        "unreadable": _("The browser cannot read this any more, or it is a folder. Choose the file again."),
        "unchecked": _("The connection was lost, so the file was not checked. You can still upload it."),
        "broken": _("The connection was lost before the site answered. Upload it again."),
        "signed_out": _("You are signed out. Sign in again in another tab, then try again here."),
        "answered": _("The site did not accept it. {words}"),
        "kept": _("What you chose is still here, and a file that arrived already is not counted twice."),
    }
    if many:
        words["drop_many"] = _("Drop the files anywhere on this page, or choose them here.")
        words["too_large"] = _("These are larger than the files of a run can be. Choose others.")
        words["unreadable"] = _("The browser cannot read one of these any more, or it is a folder.")
        words["unchecked"] = _(
            "The connection was lost, so the files were not checked. You can still upload them."
        )
    return words
