"""The scorer in the site's own version, for pip."""

from flask import Blueprint, Response, render_template

from server.core.errors import NotFound
from server.pages.help.wheel import build_wheel, wheel_name
from server.web.caching import require_revalidation

blueprint = Blueprint("packages", __name__, url_prefix="/packages")


@blueprint.get("/")
def index() -> str:
    """List the wheel of this version for pip's --find-links, and the commands to install it."""
    return render_template("help/packages.html", wheel=build_wheel())


@blueprint.get("/<name>")
def download(name: str) -> Response:
    """Download the wheel with the command `scorer`, which has everything that a participant needs."""
    served_name = wheel_name()
    if name != served_name:
        raise NotFound.of(
            "This site has no such package; it has %(name)s, of its own version.", name=served_name
        )
    return require_revalidation(
        Response(build_wheel().data, content_type="application/octet-stream"), public=True
    )
