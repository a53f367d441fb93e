"""Tables and figures of releases and tasks: stored in place of what the job makes, or made in seconds."""

from collections.abc import Mapping
from datetime import datetime
from io import BytesIO

from server.core import db
from server.core.zips import write_members
from server.evidence import service as evidence
from server.papers import making, service as papers
from server.papers.models import StoredPaper
from server.releases import public_releases, service as releases
from server.releases.models import Release
from tests.server.world import DURING, World

FILES = {
    "results.tex": b"\\label{tab:results} \\label{fig:heatmap}",
    "tables/results.md": b"| Rank |\n| --- |\n| 1 |\n",
    "figures/heatmap.svg": b"<svg xmlns='http://www.w3.org/2000/svg'><metadata xmlns:dc='http://purl.org/dc/elements/1.1/'>"
    b"<dc:title>Scores by system.</dc:title></metadata></svg>",
}


def store_release_paper(
    world: World, release: Release, files: Mapping[str, bytes] = FILES, at: datetime = DURING
) -> None:
    """Tables of a release as it is now."""
    phase, session = release.phase, world.session
    with db.writing(session):
        state = public_releases.get_release(session, phase, release.number)
        archive = evidence.collect_evidence(session, phase, state, at)
        _store(world, papers.hash_evidence(archive), files, release.id)


def make_release_paper(world: World) -> None:
    """What the job makes of the newest release."""
    newest = releases.find_newest(world.session, world.phase())
    assert newest is not None
    making.make_paper(world.site, {"release": newest.release.id}, DURING)


def store_task_paper(world: World, files: Mapping[str, bytes]) -> None:
    """Tables of the task for its organizers."""
    with db.writing(world.session):
        rounds = papers.list_rounds(world.session, world.actor("ada"), world.task)
        _store(world, papers.hash_rounds(world.session, rounds), files)


def _store(world: World, inputs: str, files: Mapping[str, bytes], release_id: int | None = None) -> None:
    target = BytesIO()
    write_members(target, [(f"small-paper/{name}", data) for name, data in files.items()])
    world.session.add(
        StoredPaper(
            task_id=world.task.id,
            release_id=release_id,
            inputs_sha256=inputs,
            style="plain",
            sha256=world.storage.put(target.getvalue()),
            made_at=DURING,
        )
    )
