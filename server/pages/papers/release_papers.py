"""The tables and figures of a public release, for papers that report its results."""

from flask import Blueprint, Response
from flask.typing import ResponseReturnValue

from server.core.errors import NotFound, ReleaseWithdrawn
from server.pages.releases import release_page
from server.papers import contents, service as papers
from server.releases import responses
from server.releases.responses import RequestedRelease
from server.submissions.follow_up_jobs import add_paper_job
from server.web import context

blueprint = Blueprint(
    "release_papers", __name__, url_prefix="/tasks/<slug>/boards/<phase>/releases/<int:number>"
)
blueprint.register_error_handler(ReleaseWithdrawn, release_page.show_withdrawn)


@blueprint.get("/paper")
def show(slug: str, phase: str, number: int) -> ResponseReturnValue:
    """Show the tables and figures of a release; the first reader has them made, if they are missing."""
    opened, now = release_page.open_release(slug, phase, number), context.arrival_time()
    paper = papers.find_release_paper(opened.session, opened.phase, opened.state, now)
    if paper.is_missing:
        with context.writing() as session:
            add_paper_job(session, opened.state.release.id, now)
        return show(slug, phase, number)
    shown = None if paper.row is None else contents.read_contents(papers.read_zip(opened.session, paper))
    return opened.page("papers/release.html", paper=paper, contents=shown, draws=papers.DRAWS)


@blueprint.get("/paper/<name>.svg")
def figure(slug: str, phase: str, number: int, name: str) -> Response:
    """Send a figure of a release."""
    release = responses.get_requested_release(slug, phase, number)
    figures = contents.read_contents(_read_zip(release)).figures
    if name not in figures:
        raise NotFound.of("This release has no such figure.")
    return release.send(figures[name], "image/svg+xml", f"-{name}.svg")


@blueprint.get("/paper.zip")
def download(slug: str, phase: str, number: int) -> Response:
    """Send the tables and figures of a release as one zip, with what a LaTeX document needs."""
    release = responses.get_requested_release(slug, phase, number)
    return release.send(_read_zip(release), "application/zip", "-paper.zip")


def _read_zip(release: RequestedRelease) -> bytes:
    now = context.arrival_time()
    paper = papers.find_release_paper(release.session, release.phase, release.state, now)
    return papers.read_zip(release.session, paper)
