"""The terms of a task: reading and accepting them."""

from typing import Any

from server.access import tasks, terms
from server.access.api_auth import ApiBlueprint, caller
from server.api.access.schemas import AcceptSchema, TermsSchema
from server.core.errors import require_found
from server.core.i18n import _
from server.web import context

blueprint = ApiBlueprint("api_terms", url_prefix="/tasks/<slug>/terms", tag="Tasks")


@blueprint.get("")
@blueprint.output(TermsSchema)
def show(slug: str) -> dict[str, Any]:
    """Read the terms in force, and whether you have accepted them."""
    session = context.session()
    version = terms.find_terms(session, tasks.get_task(session, slug))
    version = require_found(version, _("This task has no terms."))
    acceptance = terms.find_acceptance(session, caller(), version)
    return {
        "number": version.number,
        "text": version.text,
        "sha256": terms.version_hash(version),
        "accepted_at": None if acceptance is None else acceptance.accepted_at,
    }


@blueprint.post("/accept", scopes=["submit"])
@blueprint.input(AcceptSchema, arg_name="given")
def accept(slug: str, given: dict[str, str]) -> None:
    """Accept the version that you have read, which is identified by the SHA-256 of its text."""
    with context.writing() as session:
        task = tasks.get_task(session, slug)
        terms.accept_terms(session, caller(), task, given["sha256"], context.arrival_time())
