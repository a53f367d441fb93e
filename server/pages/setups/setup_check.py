"""Checking a task that was set up, and creating it."""

from collections.abc import Mapping
from dataclasses import dataclass

from flask import Blueprint, flash, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from flask_security import auth_required

from server.access import service as access
from server.bundles.importing import require_free_slug
from server.bundles.responses import is_import_open
from server.core import db
from server.core.errors import Conflict, FileProblem, InvalidFile, NameTaken
from server.core.i18n import _, translate
from server.phases.forms import FEEDBACK_LABELS
from server.setups import checking, creation, overview, phases, service
from server.setups.bundle_files import content_of
from server.setups.checking import CheckResult
from server.setups.models import TaskSetup
from server.setups.rules import Step, find_step
from server.tasks.split_names import split_words
from server.web import context

blueprint = Blueprint("setup_check", __name__, url_prefix="/setups/<int:setup_id>")


@dataclass(frozen=True, slots=True)
class ListedProblem:
    """A problem of the task: where it is, in words, what is wrong, and the address where it is fixed."""

    place: str
    words: str
    href: str
    problem: FileProblem | None = None
    """The problem with its lines, if it is in a file."""


@blueprint.get("/check")
@auth_required("session")
def check(setup_id: int) -> str:
    """Check the whole task as an import does, and show its problems or the button that creates it."""
    setup = service.get_setup(context.session(), context.actor(), setup_id)
    content, title = content_of(setup), setup.title
    places = _name_places(setup)
    listed = [
        ListedProblem(
            _(overview.STEP_TITLES[missing.step.name]), missing.words, _find_link(setup_id, missing.step)
        )
        for missing in overview.list_missing(setup)
    ]
    try:
        require_free_slug(context.session(), setup.slug)
    except NameTaken as error:
        step = Step("texts")
        listed.append(
            ListedProblem(_(overview.STEP_TITLES[step.name]), error.message, _find_link(setup_id, step))
        )
    notes = overview.list_notes(setup, context.arrival_time())
    team_words = overview.describe_teams(setup)
    result = CheckResult()
    if not listed:
        db.end_reading(context.session())  # planning takes a while, so no transaction stays open
        result = checking.check_bundle(content, context.storage())
        listed = [_describe(setup_id, problem, places) for problem in result.problems]
    titles = {level["slug"]: level["title"] for level in content.tables.get("level", ())}
    notes += [
        f"{titles[off.level]}, {split_words(off.split)}: {checking.describe_off_step(off)}"
        for off in result.off_step
    ]
    return render_template(
        "setups/check.html",
        setup_id=setup_id,
        title=title,
        levels=titles,
        phases=[(phase, phases.fields_of(phase)) for phase in content.tables.get("phase", ())],
        feedback={kind: translate(label) for kind, label in FEEDBACK_LABELS.items()},
        team_words=team_words,
        result=result,
        listed=listed,
        notes=notes,
    )


@blueprint.post("/create")
@auth_required("session")
def create(setup_id: int) -> ResponseReturnValue:
    """Create the task, with the reader as its organizer, and end the setup."""
    session, actor = context.session(), context.actor()
    content = content_of(service.get_setup(session, actor, setup_id))
    access.require_import(session, actor, everybody=is_import_open())
    db.end_reading(session)
    try:
        with creation.planned(content, context.storage()) as plan, context.writing() as session:
            access.require_import(session, actor, everybody=is_import_open())
            slug = creation.create_task(
                session, context.storage(), actor, setup_id, content, plan, context.arrival_time()
            ).slug
    except (InvalidFile, Conflict) as error:
        flash(error.message, "error")
        return redirect(url_for("setup_check.check", setup_id=setup_id))
    words = _("The task was created as a draft and you are its organizer. Check its dates, then publish it.")
    flash(words, "success")
    return redirect(url_for("dashboard.show", slug=slug))


def _name_places(setup: TaskSetup) -> dict[str, str]:
    """Return what people call each uploaded file, by its path in the bundle."""
    titles = {level["slug"]: level["title"] for level in setup.tables.get("level", ())}
    places = {}
    for file in setup.files:
        kind, split, name = file.path.split("/")
        level, where = titles[name.removesuffix(".tsv")], split_words(split)
        places[file.path] = (
            _("%(level)s, %(split)s, items: %(file)s", level=level, split=where, file=file.name)
            if kind == "items"
            else _("%(level)s, %(split)s, gold: %(file)s", level=level, split=where, file=file.name)
        )
    return places


def _describe(setup_id: int, problem: FileProblem, places: Mapping[str, str]) -> ListedProblem:
    step = find_step(problem.source, problem.message)
    href = _find_link(setup_id, step)
    if problem.source in places:
        return ListedProblem(places[problem.source], problem.message, href, problem)
    return ListedProblem(_(overview.STEP_TITLES[step.name]), problem.message, href, problem)


def _find_link(setup_id: int, step: Step) -> str:
    """Return the address of a step."""
    if step.name == "levels" and step.slug is not None:
        return url_for("setup_levels.show", setup_id=setup_id, level=step.slug)
    if step.name == "phases" and step.slug is not None:
        return url_for("setup_phases.edit", setup_id=setup_id, phase=step.slug)
    if step.name in ("levels", "phases"):
        return url_for(f"setup_{step.name}.add", setup_id=setup_id)
    return url_for("setups.edit", setup_id=setup_id, step=step.name)
