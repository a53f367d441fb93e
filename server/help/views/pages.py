"""Help: what the rules are, for teams, organizers and readers, and what each statistic says."""

import re

from flask import Blueprint, render_template
from markupsafe import Markup, escape

from server.core.clock import MAX_BODY_TIME
from server.core.errors import list_codes
from server.core.i18n import _, translate
from server.help.api_reference import list_operations, list_path_parameters
from server.help.methods import GROUPS, Method
from server.help.wheel import wheel_name
from server.phases.forms import FEEDBACK_LABELS, FEEDBACK_RISKS
from server.phases.quotas import MAX_REJECTIONS
from server.scoring import service as scoring
from server.web.rest.openapi import openapi_spec

CODE = re.compile("`([^`]*)`")
AUTHORS = re.compile(r"(.+?) \((\d{4})\)")
"""How a source begins."""
blueprint = Blueprint("help", __name__, url_prefix="/help")


@blueprint.get("/")
def index() -> str:
    """Which page is for whom, by what people ask."""
    return render_template("help/index.html")


@blueprint.get("/teams")
def teams() -> str:
    """How a team takes part, and what happens to its files."""
    minutes = int(MAX_BODY_TIME.total_seconds() // 60)
    return render_template("help/teams.html", refusals=MAX_REJECTIONS, minutes=minutes, wheel=wheel_name())


@blueprint.get("/organizers")
def organizers() -> str:
    """How a task is run, from its phases to the table of the paper."""
    return render_template("help/organizers.html", feedback=FEEDBACK_LABELS, given_away=FEEDBACK_RISKS)


@blueprint.get("/readers")
def readers() -> str:
    """What a reader of a released board may rely on, and how to cite and recompute it."""
    return render_template("help/readers.html")


@blueprint.get("/statistics")
def statistics() -> str:
    """What each number says and what not, with its source and a sentence to cite it by; one anchor each."""
    return render_template("help/statistics.html", groups=GROUPS, cite=_cite, scorer=scoring.VERSION)


@blueprint.get("/api")
def api() -> str:
    """What programs may ask, by what it is about: each address with its scope, fields and answer."""
    return render_template(
        "help/api.html",
        tags=list_operations(openapi_spec()),
        places=list_path_parameters(openapi_spec()),
        codes=list_codes(),
        line_codes=scoring.LINE_CODES,
        in_code=_in_code,
    )


def _in_code(words: str) -> Markup:
    """Words of a description, with what stands between backticks as code."""
    return Markup(CODE.sub(r"<code>\1</code>", str(escape(words))))  # noqa: S704  (escaped)


def _cite(method: Method) -> str:
    author_matches = [AUTHORS.match(source.words) for source in method.sources]
    sources = "; ".join(
        f"{author_match[1]}, {author_match[2]}" for author_match in author_matches if author_match
    )
    return _(method.cite, version=scoring.VERSION, name=translate(method.name), sources=sources)
