"""What load balancers, containers and monitoring ask: whether the site runs, and whether it can serve."""

from flask import Blueprint, Response, current_app, jsonify

from server.core import clock
from server.core.outages import RETRY_SECONDS
from server.health.service import check_site
from server.web import context

blueprint = Blueprint("health", __name__)


@blueprint.get("/health/live")
def live() -> Response:
    """Say that this process answers; nothing else is looked at."""
    return Response("ok\n", content_type="text/plain; charset=utf-8")


@blueprint.get("/health/ready")
def ready() -> Response:
    """Say whether the site can serve, check by check; 503: it cannot now."""
    health = check_site(context.site_of(current_app), clock.now())
    age = health.oldest_due
    response = jsonify(
        ready=health.is_ready,
        checks=[{"name": check.name, "problem": check.problem} for check in health.checks],
        jobs={
            "oldest_due_seconds": None if age is None else int(age.total_seconds()),
            "late": health.is_late,
        },
    )
    if not health.is_ready:
        response.status_code = 503
        response.headers["Retry-After"] = str(RETRY_SECONDS)
    return response
