"""What the script that checks files in the browser has to know: facts of the files, words for its page."""

from collections.abc import Mapping
from typing import Any

from server.language import _, forms, ngettext


def for_script(checks: Mapping[str, Mapping[str, object]], *, named: bool = False) -> dict[str, Any]:
    """The data of a page where files are dropped: facts by level (`named`: the files' names say which)."""
    return {
        "checks": checks,
        "names": list(checks) if named else None,
        "words": _words() | (_words_of_many() if named else {}),
    }


def _words() -> dict[str, Any]:
    return {
        "drop": _("Drop a file anywhere on this page, or choose it here. It is checked before it is sent."),
        "unsent": _("Nothing is sent yet."),
        "mend": _("Nothing is sent yet. Mend the file and drop it here again."),
        "anyway": _("Send it anyway"),
        "one_file": _("Drop one file here, please."),
        "whole_run": _("Upload the whole run at once"),
        "unreadable": _("the browser cannot read it any more, or it is a folder; choose the file again"),
        "too_large": _("it is too large; a file for {level} may have {limit} kB"),
        "not_entered": _("it says NA on every line and does not enter this level"),
        "good_lines": forms(
            lambda n: ngettext("%(num)s line, all good", "%(num)s lines, all good", n, num="{num}")
        ),
        "good_items": forms(
            lambda n: ngettext(
                "%(num)s item answered, all good", "%(num)s items answered, all good", n, num="{num}"
            )
        ),
        "problems": forms(lambda n: ngettext("%(num)s problem", "%(num)s problems", n, num="{num}")),
        "warnings": forms(
            lambda n: ngettext("%(num)s thing to look at", "%(num)s things to look at", n, num="{num}")
        ),
        "as_it_is": _("The file can be sent as it is."),
        "first_problems": _("These are the first {shown} of {count} problems."),
        "line": _("Line {line}"),
        "whole_file": _("Whole file"),
        "tab": _("is a tab"),
        "blank": _("a blank"),
        "more": _("{num} more"),
        "sending": _("Sending …"),
        "scoring": _("Sent. The site reads and scores it …"),
        "broken": _("The connection broke off before the site answered. Look at it, then send again."),
        "signed_out": _("You are signed out by now. Sign in again in another tab, then send again here."),
        "answered": _("The site did not take it. {words}"),
        "kept": _("What you chose is still here, and a file that arrived already is not counted twice."),
    }


def _words_of_many() -> dict[str, Any]:
    return {
        "drop_many": _(
            "Drop the files anywhere on this page, or choose them here. Each is checked before it is sent;"
            " a zip is checked by the site before anything is stored."
        ),
        "zip": _("the site unpacks and checks it before anything is stored"),
        "none_left": _("your team has no file left for {level}; leave this one out"),
        "nameless": _("its name says no level; leave it out, or put one of these into its name: {levels}"),
        "several": _("its name says more than one level: {levels}"),
        "twice": _("several files are for {level}: {files}. Send one."),
        "mend": _("Nothing is sent yet. Mend what is named here and drop the files again."),
        "anyway": _("Send them anyway"),
    }
