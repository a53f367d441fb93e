"""The response with the evidence of a release, for its page and the API."""

from flask import Response

from server.access import terms
from server.core.actors import Actor
from server.evidence import service as evidence
from server.releases import responses
from server.signing import service as signing_keys
from server.web import context


def evidence_for(slug: str, phase: str, number: int, actor: Actor, *, accepts_terms: bool) -> Response:
    """Send the evidence of a release to a person who accepted the terms, or accepts them with the request."""
    release, now = responses.get_requested_release(slug, phase, number), context.arrival_time()
    evidence.require_evidence(release.phase, release.state, now)
    if not accepts_terms:
        terms.require_accepted(release.session, actor, release.task)
    public = terms.find_terms(release.session, release.task) is None
    if not signing_keys.list_keys(release.session):
        # an imported release: this site has not signed anything yet
        with context.writing() as session:
            signing_keys.ensure_key(session, now)
        return evidence_for(slug, phase, number, actor, accepts_terms=accepts_terms)
    archive = evidence.collect_evidence(release.session, release.phase, release.state, now)
    return responses.send_tagged_archive(archive, evidence.evidence_etag(archive), public=public)
