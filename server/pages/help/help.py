"""Help pages: tasks of teams, organizers and readers, task bundles, each statistic, Python, and the API."""

import re
from pathlib import Path

from flask import Blueprint, Response, render_template
from markupsafe import Markup, escape

from server.bundles import reference
from server.core.clock import MAX_BODY_TIME
from server.core.errors import NotFound, list_codes
from server.core.i18n import N_, _, translate
from server.pages.help.api_reference import list_operations, list_path_parameters
from server.pages.help.methods import GROUPS, Method
from server.pages.help.notebook import EXAMPLES, build_notebook
from server.pages.help.wheel import wheel_name
from server.phases.forms import FEEDBACK_LABELS, FEEDBACK_RISKS
from server.phases.quotas import MAX_REJECTIONS
from server.scoring import service as scoring
from server.web.caching import require_revalidation
from server.web.downloads import send_content
from server.web.rest.openapi import openapi_spec

CODE = re.compile("`([^`]*)`")
AUTHORS = re.compile(r"(.+?) \((\d{4})\)")
"""The authors and the year at the beginning of a reference."""
CAMPAIGN_EXAMPLE = Path(__file__).parent / "annotation_example.toml"
blueprint = Blueprint("help", __name__, url_prefix="/help")

TEAM_TOPICS = {
    "start": N_("Take part in a task"),
    "files": N_("Submit a run"),
    "refused": N_("Fix a rejected file"),
    "counts": N_("Check which file counts"),
    "withdraw": N_("Withdraw or restore a file"),
    "deadline": N_("Meet the deadline"),
    "late": N_("Submit a late file"),
    "quotas": N_("Check how many files you can upload"),
    "scores": N_("See your scores"),
    "release": N_("Find your rank"),
    "gold": N_("When the gold standard is corrected"),
    "receipts": N_("Keep and verify a receipt"),
    "runs": N_("Describe your runs for the paper"),
    "command": N_("Submit from the command line"),
    "log": N_("Read your team’s activity log"),
    "mails": N_("Choose which emails you get"),
    "questions": N_("Ask the organizers"),
    "wrong": N_("If something goes wrong"),
}
ORGANIZER_TOPICS = {
    "start": N_("Create a task"),
    "state": N_("Publish, hide and archive a task"),
    "pictures": N_("Add pictures, a logo and a starter kit"),
    "people": N_("Invite co-organizers and observers"),
    "phases": N_("Set up phases"),
    "feedback": N_("Choose what teams see of their scores"),
    "public-items": N_("Declare public items"),
    "live": N_("Use a live leaderboard"),
    "teams": N_("Approve a team"),
    "word": N_("Send announcements and reminders"),
    "questions": N_("Answer questions"),
    "extensions": N_("Extend the deadline"),
    "desk": N_("See what needs attention"),
    "flags": N_("Review submissions that look like probing"),
    "late": N_("Which submission counts"),
    "dry-run": N_("Test a file without submitting it"),
    "gold": N_("Correct the gold standard"),
    "ranks": N_("Check which differences are significant"),
    "releases": N_("Release results"),
    "open-gold": N_("Make the gold standard public"),
    "downloads": N_("Download submissions and the table of systems"),
    "export": N_("Export a task, or move it to another site"),
    "log": N_("Verify the activity log"),
    "campaigns": N_("Collect ratings on this site"),
    "annotation": N_("Make a gold standard from ratings"),
}
BUNDLE_TOPICS = {
    "browser": N_("Start in the browser"),
    "data": N_("Start from your data"),
    "examples": N_("Start from an example"),
    "check": N_("Check the task"),
    "host": N_("Host the task"),
    "keys": N_("Look up a key of task.toml"),
}
ANNOTATION_TOPICS = {
    "write": N_("Write and check a campaign"),
    "passes": N_("Ask twice, first without context"),
    "tuples": N_("Compare texts by best-worst scaling"),
    "stages": N_("Let annotators choose or write the texts"),
    "rounds": N_("Ask in several rounds"),
    "open": N_("Invite annotators"),
    "crowd": N_("Use a crowd"),
    "annotators": N_("What annotators can rely on"),
    "results": N_("Follow the progress and the agreement"),
    "gold": N_("Make the gold standard"),
    "privacy": N_("Protect annotators"),
}
READER_TOPICS = {
    "table": N_("Read the leaderboard"),
    "ranks": N_("See which differences are significant"),
    "cite": N_("Cite a result"),
    "releases": N_("Find an earlier or later release"),
    "recompute": N_("Recompute the leaderboard"),
    "proof": N_("Verify a result"),
    "limits": N_("What verification does not prove"),
}
BASELINE_TOPICS = {
    "choose": N_("Choose a baseline"),
    "expect": N_("What to expect"),
    "scale": N_("Map values to the scale"),
    "train": N_("Train a system"),
    "models": N_("Find a model"),
}
PAPER_TOPICS = {
    "make": N_("Make the tables and figures"),
    "files": N_("Find what you need in the folder"),
    "read": N_("Read a table"),
    "scripts": N_("Names in other scripts"),
    "rest": N_("What you still write yourself"),
}
PYTHON_TOPICS = {
    "start": N_("Install the package"),
    "score": N_("Score a run"),
    "compare": N_("Compare runs"),
    "board": N_("Make a leaderboard"),
    "agree": N_("Measure the agreement of annotators"),
    "site": N_("Use a site"),
}
"""The headings of each help page in order, by anchor. Anchors never change, because people link to them."""


@blueprint.get("/")
def index() -> str:
    """List all help topics, by the people who need them."""
    return render_template(
        "help/index.html", teams=TEAM_TOPICS, organizers=ORGANIZER_TOPICS, readers=READER_TOPICS
    )


@blueprint.get("/teams")
def teams() -> str:
    """Explain how a team takes part in a task, and what happens to its files."""
    minutes = int(MAX_BODY_TIME.total_seconds() // 60)
    return render_template(
        "help/teams.html",
        topics=TEAM_TOPICS,
        rejections=MAX_REJECTIONS,
        minutes=minutes,
        wheel=wheel_name(),
    )


@blueprint.get("/organizers")
def organizers() -> str:
    """Explain how to run a task, from its creation to the table of systems for the paper."""
    return render_template(
        "help/organizers.html", topics=ORGANIZER_TOPICS, feedback=FEEDBACK_LABELS, given_away=FEEDBACK_RISKS
    )


@blueprint.get("/bundles")
def bundles() -> str:
    """Explain how to make a task from a folder of data, with examples and every key of task.toml."""
    return render_template(
        "help/bundles.html",
        topics=BUNDLE_TOPICS,
        examples=reference.EXAMPLES,
        sections=reference.list_key_sections(),
    )


@blueprint.get("/bundles/<name>.zip")
def example(name: str) -> Response:
    """Download an example bundle, which always has the same bytes."""
    if name not in reference.EXAMPLES:
        names = ", ".join(reference.EXAMPLES)
        raise NotFound.of("There is no such example; there are %(names)s.", names=names)
    sent = send_content(reference.zip_example(name), f"{name}.zip", "application/zip")
    return require_revalidation(sent, public=True)


@blueprint.get("/annotation")
def annotation() -> str:
    """Explain how to collect ratings in a campaign, from its files to the gold standard."""
    return render_template(
        "help/annotation.html",
        topics=ANNOTATION_TOPICS,
        example=CAMPAIGN_EXAMPLE.read_text(encoding="utf-8").rstrip(),
    )


@blueprint.get("/readers")
def readers() -> str:
    """Explain how to read, cite, recompute and verify a released leaderboard."""
    return render_template("help/readers.html", topics=READER_TOPICS)


@blueprint.get("/baselines")
def baselines() -> str:
    """Explain what each baseline needs, and what to expect of it."""
    return render_template("help/baselines.html", topics=BASELINE_TOPICS)


@blueprint.get("/paper")
def paper() -> str:
    """Explain how to make the tables and figures of an overview paper."""
    return render_template("help/paper.html", topics=PAPER_TOPICS, wheel=wheel_name())


@blueprint.get("/statistics")
def statistics() -> str:
    """Explain what each statistic means and what it does not, with references and a sentence for a paper."""
    return render_template("help/statistics.html", groups=GROUPS, cite=_cite, scorer=scoring.VERSION)


@blueprint.get("/python")
def python() -> str:
    """Show how to score, compare and submit runs from Python, by examples."""
    return render_template("help/python.html", topics=PYTHON_TOPICS, examples=EXAMPLES, wheel=wheel_name())


@blueprint.get("/python.ipynb")
def notebook() -> Response:
    """Download the examples for Python that need no site, as a notebook."""
    sent = send_content(build_notebook(), "assay.ipynb", "application/x-ipynb+json")
    return require_revalidation(sent, public=True)


@blueprint.get("/api")
def api() -> str:
    """Show the API reference: each operation with its scope, its fields and its response."""
    return render_template(
        "help/api.html",
        tags=list_operations(openapi_spec()),
        places=list_path_parameters(openapi_spec()),
        codes=list_codes(),
        line_codes=scoring.LINE_CODES,
        in_code=_in_code,
    )


def _in_code(text: str) -> Markup:
    """Escape a text, and mark up text between backticks as code."""
    return Markup(CODE.sub(r"<code>\1</code>", str(escape(text))))  # noqa: S704  (escaped)


def _cite(method: Method) -> str:
    author_matches = [AUTHORS.match(source.words) for source in method.sources]
    sources = "; ".join(
        f"{author_match[1]}, {author_match[2]}" for author_match in author_matches if author_match
    )
    return _(method.cite, version=scoring.VERSION, name=translate(method.name), sources=sources)
