"""The tables and figures of a task for its organizers, with hidden gold and their campaigns."""

from flask import Response, redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from server.access import request_tasks
from server.papers import service as papers
from server.papers.forms import PaperForm
from server.web import context
from server.web.downloads import send_content
from server.web.page_rules import SignedInBlueprint

blueprint = SignedInBlueprint("task_papers", __name__, url_prefix="/tasks/<slug>/organize")


@blueprint.get("/paper")
def show(slug: str) -> str:
    """Show what was made, and the form for making it."""
    return _render(slug, PaperForm(formdata=None))


@blueprint.post("/paper")
def make(slug: str) -> ResponseReturnValue:
    """Have the tables and figures made."""
    request_tasks.get_organized_task(slug)
    form = PaperForm()
    if not form.validate_on_submit():
        return _render(slug, form), 422
    with context.writing() as session:
        task, actor = request_tasks.get_task(slug), context.actor()
        papers.request_task_paper(session, actor, task, form.style.data, context.arrival_time())
    return redirect(url_for(".show", slug=slug))


@blueprint.get("/paper.zip")
def download(slug: str) -> Response:
    """Download what was made; it has hidden gold, if only as counts and figures."""
    task = request_tasks.get_organized_task(slug)
    paper = papers.find_task_paper(context.session(), context.actor(), task)
    content = papers.read_zip(context.session(), paper)
    return send_content(content, f"{task.short_name}-paper.zip", "application/zip")


def _render(slug: str, form: PaperForm) -> str:
    task = request_tasks.get_organized_task(slug)
    paper = papers.find_task_paper(context.session(), context.actor(), task)
    return render_template("papers/task.html", task=task, paper=paper, form=form, draws=papers.DRAWS)
