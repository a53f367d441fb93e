"""What a form about a run says, as the values that the service takes."""

from server.runs.forms import RunForm
from server.runs.service import RunTexts


def read_run_texts(form: RunForm) -> RunTexts:
    """What the form says of a run."""
    return RunTexts(
        description=form.description.data or "",
        method=form.method.data or "",
        resources=form.resources.data or "",
        links=form.links.data or "",
        authors=form.authors.data or "",
    )
