"""The form for a task's texts."""

from wtforms import BooleanField

from server.core.i18n import N_
from server.tasks.forms import ContactForm
from server.web.fields import SiteForm, line_field, lines_field, number_field, reason_field
from server.web.validators import TITLE, RangeValidator, TextValidator, long_text, one_line

TASK_TEXT = long_text()
LICENCE = long_text(2000)
TASK_SLUG = TextValidator(
    empty=N_("Enter a short name."),
    pattern=r"^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$",
    pattern_error=N_("Use lowercase letters, digits and hyphens between them."),
    clean=one_line,
)
SLUG_HINT = N_("Used in URLs, such as similarity-2027: lowercase letters, digits and hyphens.")
SHIFT_DAYS = RangeValidator(0, 3660)


class StateForm(SiteForm):
    """The confirmation of a change of a task's state."""

    sure = BooleanField(N_("Publish these placeholders"))


class TaskForm(ContactForm):
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


class RenameForm(SiteForm):
    """The slug and the title of a draft."""

    slug = line_field(TASK_SLUG, N_("Short name"), SLUG_HINT, maxlength=64)
    title = line_field(TITLE, N_("Title"))


class CopyForm(SiteForm):
    """A copy of a task."""

    slug = line_field(TASK_SLUG, N_("Short name"), SLUG_HINT, maxlength=64)
    days = number_field(
        SHIFT_DAYS,
        N_("Move all dates by this many days"),
        N_("364 days are 52 weeks, so each date stays on the same day of the week."),
        empty=N_("Enter a number of days."),
        default=364,
    )


class DeclineForm(SiteForm):
    """The reason for declining a team."""

    reason = reason_field(N_("Reason"), N_("Shown to the team on its page."))


TEXT_LIMIT = 1024 * 1024
"""The maximum size of the form with a task's texts."""
