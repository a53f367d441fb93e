"""The evidence of a release, as its page and the API send it."""

from flask import Response, request

from server.access import terms
from server.core.actors import Actor
from server.evidence import service as evidence
from server.releases import public_releases, responses
from server.runs.responses import send_archive
from server.signing import service as signing_keys
from server.web import context
from server.web.caching import require_revalidation


def evidence_for(slug: str, phase: str, number: int, actor: Actor) -> Response:
    """The evidence of a release, for somebody who accepted the terms."""
    session, task, target = responses.find_task_and_phase(slug, phase)
    state = public_releases.get_release(session, target, number)
    evidence.require_evidence(session, target, state, context.arrival_time())
    terms.require_accepted(session, actor, task)
    return _send_evidence(slug, phase, number, public=terms.find_terms(session, task) is None)


def _send_evidence(slug: str, phase: str, number: int, *, public: bool) -> Response:
    """The evidence of a release, for whoever may have it."""
    session, _, target = responses.find_task_and_phase(slug, phase)
    if not signing_keys.list_keys(
        session
    ):  # the release came from another site, and this one has signed nothing yet
        with context.writing() as session:
            signing_keys.ensure_key(session, context.arrival_time())
        session, _, target = responses.find_task_and_phase(slug, phase)
    state = public_releases.get_release(session, target, number)
    archive = evidence.collect_evidence(session, context.storage(), target, state, context.arrival_time())
    tag = evidence.evidence_etag(archive)
    if request.if_none_match.contains_weak(tag):
        return require_revalidation(Response(), public=public, tag=tag)
    return require_revalidation(send_archive(archive), public=public, tag=tag)
