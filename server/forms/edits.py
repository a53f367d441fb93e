"""The form for a task's texts."""

from flask_wtf import FlaskForm

from server.forms.fields import text_field, title_field


class TaskForm(FlaskForm):
    """The texts of a task."""

    title = title_field()
    description = text_field("Description", "What the task is about, in Markdown.", 16)
    licence = text_field("Licence of the data", "In one line, under the list of data files.", 2, 2000)
    terms = text_field(
        "Terms",
        "In Markdown; empty: none. Changed terms are a new version, which everybody is asked to accept "
        "before they download data or upload files.",
        10,
    )
