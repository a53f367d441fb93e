"""The form for a task's texts."""

from server.core.i18n import N_
from server.web.fields import SiteForm, reason_field, text_field, title_field


class TaskForm(SiteForm):
    """The texts of a task."""

    title = title_field()
    description = text_field(N_("Description"), N_("What the task is about, in Markdown."), 16)
    licence = text_field(N_("Licence of the data"), N_("In one line, under the list of data files."), 2, 2000)
    terms = text_field(
        N_("Terms"),
        N_(
            "In Markdown; empty: none. Changed terms are a new version, which everybody is asked to accept "
            "before they download data or upload files."
        ),
        10,
    )


class DeclineForm(SiteForm):
    """Not letting a team compete."""

    reason = reason_field(N_("Reason"), N_("The team reads it on its page."))


TEXT_LIMIT = 1024 * 1024
"""The most bytes that the form with a task's texts may have."""
