"""API: adding, editing, moving, withdrawing and restoring runs of the caller's team."""

from typing import Any

from server.access import tasks
from server.access.api_auth import ApiBlueprint, caller
from server.api.runs.schemas import MoveSchema, NewRunSchema, RunChangeSchema, RunSchema
from server.runs import editing as run_editing, service as runs, withdrawals as run_withdrawals
from server.runs.models import Run
from server.web import context

blueprint = ApiBlueprint("api_run_editing", tag="Runs", scopes=["submit"])


@blueprint.post("/tasks/<slug>/phases/<phase>/runs")
@blueprint.input(NewRunSchema, arg_name="given")
@blueprint.output(RunSchema, status_code=201)
def create(slug: str, phase: str, given: dict[str, Any]) -> Run:
    """Add a run to your team in a phase."""
    name, now = given.pop("name"), context.arrival_time()
    with context.writing() as session:
        target = tasks.get_phase(session, tasks.get_task(session, slug), phase)
        run_id = runs.create_run(session, caller(), target, name, runs.RunTexts(**given), now).id
    return runs.get_run(context.session(), caller(), run_id)


@blueprint.patch("/runs/<int:run_id>")
@blueprint.input(RunChangeSchema, arg_name="given")
@blueprint.output(RunSchema)
def edit(run_id: int, given: dict[str, Any]) -> Run:
    """Edit a run of your team. Its name, and which run is primary, can be changed until the deadline only."""
    name, primary = given.pop("name", None), given.pop("is_primary", None)
    with context.writing() as session:
        run = runs.get_run(session, caller(), run_id)
        texts = runs.RunTexts(**runs.texts_of(run) | given)
        run_editing.edit_run(session, caller(), run, name, texts, context.arrival_time())
        if primary is not None and primary != run.is_primary:
            run_editing.choose_primary(session, caller(), run, context.arrival_time(), primary=primary)
    return runs.get_run(context.session(), caller(), run_id)


@blueprint.post("/runs/<int:run_id>/move")
@blueprint.input(MoveSchema, arg_name="given")
def move(run_id: int, given: dict[str, run_editing.Direction]) -> None:
    """Swap a run with the one before or after it. The first run cannot move up, nor the last one down."""
    with context.writing() as session:
        run = runs.get_run(session, caller(), run_id)
        run_editing.move_run(session, caller(), run, given["direction"], context.arrival_time())


@blueprint.post("/runs/<int:run_id>/withdraw")
def withdraw(run_id: int) -> None:
    """Withdraw a run with all its files. It stays listed, and can be restored until the deadline."""
    with context.writing() as session:
        run = runs.get_run(session, caller(), run_id)
        run_withdrawals.withdraw_run(session, caller(), run, context.arrival_time())


@blueprint.post("/runs/<int:run_id>/restore")
def restore(run_id: int) -> None:
    """Restore a withdrawn run, with the files that counted."""
    with context.writing() as session:
        run = runs.get_run(session, caller(), run_id)
        run_withdrawals.restore_run(session, caller(), run, context.arrival_time())
