"""The team and system table for the overview paper, as a page and for other programs."""

from flask import Response, abort, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from server.access import request_tasks, tasks
from server.core.i18n import ngettext
from server.mail import descriptions
from server.organize import dashboard
from server.runs import system_table
from server.runs.responses import FORMAT_BY_ENDING, send_systems_table
from server.web import context
from server.web.form_errors import flash_error
from server.web.page_rules import SignedInBlueprint

blueprint = SignedInBlueprint("systems", __name__, url_prefix="/tasks/<slug>/organize/systems")


@blueprint.get("")
def show(slug: str) -> str:
    """Show the systems of a phase with their teams' descriptions; with members' names if requested."""
    task, session = request_tasks.get_observed_task(slug), context.session()
    phases = tasks.list_phases(session, task, context.arrival_time())
    view = dashboard.choose_phase(phases, request.args.get("phase"))
    systems = [] if view is None else system_table.list_systems(session, context.actor(), view.phase)
    members = "members" in request.args
    head, rows = system_table.make_system_table(systems, with_members=members)
    return render_template(
        "runs/systems.html",
        task=task,
        phases=phases,
        view=view,
        members=members,
        head=head,
        rows=rows,
        wide=system_table.WIDE_COLUMNS,
        teams=len({system.run.team_id for system in systems}),
        endings=FORMAT_BY_ENDING,
        undescribed=system_table.list_undescribed(systems),
    )


@blueprint.post("/<phase>/remind")
def remind(slug: str, phase: str) -> ResponseReturnValue:
    """Remind the teams whose systems lack a description by email."""
    request_tasks.get_organized_task(slug)
    with flash_error():
        with context.writing() as session:
            target = request_tasks.get_phase(request_tasks.get_task(slug), phase)
            count = descriptions.remind_teams(session, context.actor(), target, context.arrival_time())
        flash(
            ngettext("%(num)d team is being reminded.", "%(num)d teams are being reminded.", count), "success"
        )
    return redirect(url_for("systems.show", slug=slug, phase=phase))


@blueprint.get("/<phase>.<ending>")
def download(slug: str, phase: str, ending: str) -> Response:
    """Download the table as a file: csv, tsv, md or tex."""
    if ending not in FORMAT_BY_ENDING:
        abort(404)
    return send_systems_table(request_tasks.get_observed_task(slug), phase, context.actor(), ending)
