"""The form for a task's texts."""

from server.core.i18n import N_
from server.web.fields import SiteForm, line_field, lines_field, reason_field
from server.web.validators import TITLE, long_text

TASK_TEXT = long_text()
LICENCE = long_text(2000)


class TaskForm(SiteForm):
    """The texts of a task."""

    title = line_field(TITLE, N_("Title"))
    description = lines_field(
        TASK_TEXT, N_("Description"), N_("What the task is about, in Markdown."), rows=16
    )
    licence = lines_field(
        LICENCE, N_("Licence of the data"), N_("In one line, under the list of data files."), rows=2
    )
    terms = lines_field(
        TASK_TEXT,
        N_("Terms"),
        N_(
            "In Markdown; empty: none. Changed terms are a new version, which everybody is asked to accept "
            "before they download data or upload files."
        ),
        rows=10,
    )


class DeclineForm(SiteForm):
    """Not letting a team compete."""

    reason = reason_field(N_("Reason"), N_("The team reads it on its page."))


TEXT_LIMIT = 1024 * 1024
"""The most bytes that the form with a task's texts may have."""
