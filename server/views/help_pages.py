"""Help: what the rules are, for teams, organizers and readers."""

from flask import Blueprint, render_template

from server.domain.quota import REFUSALS
from server.forms.phases import FEEDBACK, GIVEN_AWAY

blueprint = Blueprint("help", __name__, url_prefix="/help")


@blueprint.get("/")
def index() -> str:
    """Which page is for whom."""
    return render_template("help/index.html")


@blueprint.get("/teams")
def teams() -> str:
    """How a team takes part, and what happens to its files."""
    return render_template("help/teams.html", refusals=REFUSALS)


@blueprint.get("/organizers")
def organizers() -> str:
    """How a task is run, from its phases to the table of the paper."""
    return render_template("help/organizers.html", feedback=FEEDBACK, given_away=GIVEN_AWAY)


@blueprint.get("/readers")
def readers() -> str:
    """What a reader of a released board may rely on, and how to cite and recompute it."""
    return render_template("help/readers.html")
