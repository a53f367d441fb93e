"""The page that asks before an act, with what the form has sent."""

from flask import render_template, request

from server.tasks.models import Task

CONFIRMED, EDITED = "sure", "edit"
"""The names of the page's buttons."""


def render_confirmation(task: Task, question: str, consequences: str, button: str) -> str:
    """Say what a form would do, and send it again with the button that confirms it."""
    omitted = ("csrf_token", CONFIRMED, EDITED)
    return render_template(
        "confirm.html",
        task=task,
        question=question,
        consequences=consequences,
        button=button,
        sent=[(name, value) for name, value in request.form.items(multi=True) if name not in omitted],
    )


def wants_edit() -> bool:
    """Whether the organizer goes back from the page to the form, which keeps what was typed."""
    return EDITED in request.form
