"""Out of one site and into another: what the tests of exports and imports share."""

from io import BytesIO
from pathlib import Path

from server import bundles
from server.access import tasks
from server.core import db
from server.core.actors import CONSOLE
from server.core.site_resources import Site
from server.core.zips import unpacked, write_zip
from server.tasks.models import Task
from tests.server.world import AFTER


def packed(site: Site, slug: str = "small", people: bundles.People = "ids") -> bytes:
    """The task as a zip."""
    session = site.session()
    with db.reading(session):
        export = bundles.collect_export(session, CONSOLE, tasks.get_task(session, slug), people)
    file = BytesIO()
    write_zip(file, slug, export.readers(site.storage))
    return file.getvalue()


def unpack(data: bytes, folder: Path) -> Path:
    """A zip's bundle, left in a folder."""
    with unpacked(BytesIO(data)) as inside:
        inside.rename(folder)
        inside.mkdir()
    return folder


def bring(site: Site, folder: Path) -> Task:
    """Import a bundle, long after."""
    plan = bundles.plan_import(folder)
    session = site.session()
    with db.writing(session):
        return bundles.import_task(session, CONSOLE, plan, [], AFTER, published=True)
