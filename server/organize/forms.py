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
        LICENCE, N_("Licence of the data"), N_("One line, shown below the list of data files."), rows=2
    )
    terms = lines_field(
        TASK_TEXT,
        N_("Terms"),
        N_(
            "In Markdown; leave empty for none. A change creates a new version, which everyone has "
            "to accept before downloading data or uploading files."
        ),
        rows=10,
    )


class DeclineForm(SiteForm):
    """The reason for declining a team."""

    reason = reason_field(N_("Reason"), N_("Shown to the team on its page."))


TEXT_LIMIT = 1024 * 1024
"""The maximum size of the form with a task's texts."""
