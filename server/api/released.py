"""The files of a release: its board in all formats, and all that was computed and proven of it."""

from apiflask import APIBlueprint
from apiflask.schemas import FileSchema
from flask import Response

from server.api.boards import BYTES
from server.api.callers import ANYBODY, auth, caller
from server.services import evidence, genres, published_gold, release_changes, release_exports, tasks, terms
from server.services import published as releases
from server.views import context, published
from server.views.caching import revalidated

blueprint = APIBlueprint(
    "api_released",
    __name__,
    url_prefix="/api/v1/tasks/<slug>/phases/<phase>/releases/<int:number>",
    tag="Boards",
)
JSON, TSV, ANY = "application/json", "text/tab-separated-values", "*/*"


@blueprint.get(f"/board.<any({','.join(release_exports.ENDINGS)}):ending>")
@blueprint.output(FileSchema(), content_type=ANY, description="The board.")
@blueprint.auth_required(auth, optional=ANYBODY)
def board(slug: str, phase: str, number: int, ending: release_exports.Ending) -> Response:
    """Download the board in a format of `scorer board`: json, tsv, csv, md, tex or txt."""
    return published.export(slug, phase, number, ending)


@blueprint.get("/statement.json")
@blueprint.output(BYTES, content_type=JSON, description="The statement, byte for byte as it was signed.")
@blueprint.auth_required(auth, optional=ANYBODY)
def statement(slug: str, phase: str, number: int) -> Response:
    """Download what the site signed as it made the release."""
    return published.statement(slug, phase, number)


@blueprint.get("/inference.json")
@blueprint.output(BYTES, content_type=JSON, description="Intervals, tests, rank ranges, clusters.")
@blueprint.auth_required(auth, optional=ANYBODY)
def inference(slug: str, phase: str, number: int) -> Response:
    """Download which ranks are real, once it is computed."""
    return published.inference(slug, phase, number)


@blueprint.get("/pairs.tsv")
@blueprint.output(FileSchema(), content_type=TSV, description="A line for each pair of systems.")
@blueprint.auth_required(auth, optional=ANYBODY)
def pairs(slug: str, phase: str, number: int) -> Response:
    """Download the tests of all pairs of systems, once they are computed."""
    return published.pairs(slug, phase, number)


@blueprint.get("/genres.tsv")
@blueprint.output(FileSchema(), content_type=TSV, description="A line for each system and genre.")
@blueprint.auth_required(auth, optional=ANYBODY)
def genres_table(slug: str, phase: str, number: int) -> Response:
    """Download the values by genre, as `scorer board --by-genre` prints them."""
    return published.genres(slug, phase, number)


@blueprint.get("/genres.json")
@blueprint.output(BYTES, content_type=JSON, description="The values by genre with all digits.")
@blueprint.auth_required(auth, optional=ANYBODY)
def genres_json(slug: str, phase: str, number: int) -> Response:
    """Download the values by genre as JSON."""
    session = context.session()
    target = tasks.get_phase(session, tasks.get_task(session, slug), phase)
    state = releases.get_standing(session, target, number)
    text = genres.get_text(session, state.release.id, state.sha256)
    return revalidated(Response(text, content_type=JSON), public=True)


@blueprint.get(f"/changes.<any({','.join(release_changes.ENDINGS)}):ending>")
@blueprint.output(FileSchema(), content_type=ANY, description="What changed.")
@blueprint.auth_required(auth, optional=ANYBODY)
def changes(slug: str, phase: str, number: int, ending: release_changes.Ending) -> Response:
    """Download what changed since the release before, as `scorer changes` prints it: json, tsv or txt."""
    return published.changes(slug, phase, number, ending)


@blueprint.get("/runs.zip")
@blueprint.output(FileSchema(), content_type="application/zip", description="The files and a table of them.")
@blueprint.auth_required(auth, optional=ANYBODY)
def runs(slug: str, phase: str, number: int) -> Response:
    """Download the files of runs that were published with the release."""
    return published.run_files(slug, phase, number)


@blueprint.get("/runs/<path:path>")
@blueprint.output(FileSchema(), content_type=TSV, description="The file, as its team sent it.")
@blueprint.auth_required(auth, optional=ANYBODY)
def run_file(slug: str, phase: str, number: int, path: str) -> Response:
    """Download one of these files, by its name in `files.tsv` of the zip."""
    return published.run_file(slug, phase, number, path)


@blueprint.get("/evidence.zip")
@blueprint.output(FileSchema(), content_type="application/zip", description="The evidence.")
@blueprint.auth_required(auth, optional=ANYBODY)
def proof(slug: str, phase: str, number: int) -> Response:
    """Download all that is public of the release with a signed list of it; the terms come first."""
    session = context.session()
    task = tasks.get_task(session, slug)
    target = tasks.get_phase(session, task, phase)
    state = releases.get_standing(session, target, number)
    evidence.require_any(session, target, state, context.arrived())
    terms.require_accepted(session, caller(), task)
    public = terms.find_terms(session, task) is None
    return published.send_evidence(slug, phase, number, public=public)


@blueprint.get("/gold/<level>")
@blueprint.output(FileSchema(), content_type=TSV, description="The gold.")
@blueprint.auth_required(auth, optional=ANYBODY)
def gold(slug: str, phase: str, number: int, level: str) -> Response:
    """Download the gold of a level that the release was made with, once public; the terms come first."""
    session, storage = context.session(), context.storage()
    task = tasks.get_task(session, slug)
    target = tasks.get_phase(session, task, phase)
    state = releases.get_standing(session, target, number)
    found, content = published_gold.read_gold(session, storage, target, state, level, context.arrived())
    terms.require_accepted(session, caller(), task)
    return Response(content, content_type=published.TYPES[found.ending])
