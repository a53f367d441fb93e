"""API: the files of a release: its leaderboard in all formats, its statistics and its evidence."""

from typing import Any

from apiflask.schemas import FileSchema
from flask import Response

from server.access.api_auth import ApiBlueprint, caller
from server.api.releases.schemas import ColumnsQuery, TermsQuery
from server.evidence import responses as evidence_responses
from server.releases import exports as release_exports, responses
from server.web.rest.responses import JSON_FILE

blueprint = ApiBlueprint(
    "api_release_files", url_prefix="/tasks/<slug>/phases/<phase>/releases/<int:number>", tag="Leaderboards"
)
JSON, TSV, ANY = "application/json", "text/tab-separated-values", "*/*"


@blueprint.get(f"/board.<any({','.join(release_exports.BOARD_FORMATS)}):ending>")
@blueprint.input(ColumnsQuery, location="query", arg_name="query")
@blueprint.output(FileSchema(), content_type=ANY, description="The board.")
def board(
    slug: str, phase: str, number: int, ending: release_exports.BoardFormat, query: dict[str, str]
) -> Response:
    """Download the leaderboard in a format of `scorer board`: json, tsv, csv, md, tex or txt."""
    return responses.send_board(slug, phase, number, ending, [query["columns"]])


@blueprint.get("/statement.json")
@blueprint.output(JSON_FILE, content_type=JSON, description="The statement, byte for byte as it was signed.")
def statement(slug: str, phase: str, number: int) -> Response:
    """Download the statement that the site signed when it made the release."""
    return responses.send_statement(slug, phase, number)


@blueprint.get("/inference.json")
@blueprint.output(JSON_FILE, content_type=JSON, description="Intervals, tests, rank ranges, clusters.")
def inference(slug: str, phase: str, number: int) -> Response:
    """Download the significance tests and confidence intervals, once they are computed."""
    return responses.send_inference(slug, phase, number)


@blueprint.get("/pairs.tsv")
@blueprint.output(FileSchema(), content_type=TSV, description="A line for each pair of systems.")
def pairs(slug: str, phase: str, number: int) -> Response:
    """Download the tests of all pairs of systems, once they are computed."""
    return responses.send_pairs(slug, phase, number)


@blueprint.get("/genres.tsv")
@blueprint.output(FileSchema(), content_type=TSV, description="A line for each system and genre.")
def genres_table(slug: str, phase: str, number: int) -> Response:
    """Download the values by genre, as `scorer board --by-genre` prints them."""
    return responses.send_genres(slug, phase, number)


@blueprint.get("/genres.json")
@blueprint.output(JSON_FILE, content_type=JSON, description="The values by genre with all digits.")
def genres_json(slug: str, phase: str, number: int) -> Response:
    """Download the values by genre as JSON."""
    return responses.send_genres(slug, phase, number, "json")


@blueprint.get(f"/changes.<any({','.join(release_exports.CHANGES_FORMATS)}):ending>")
@blueprint.output(FileSchema(), content_type=ANY, description="What changed.")
def changes(slug: str, phase: str, number: int, ending: release_exports.ChangesFormat) -> Response:
    """Download the changes since the previous release, as `scorer changes` prints them: json, tsv or txt."""
    return responses.send_changes(slug, phase, number, ending)


@blueprint.get("/runs.zip")
@blueprint.output(FileSchema(), content_type="application/zip", description="The files and a table of them.")
def runs(slug: str, phase: str, number: int) -> Response:
    """Download the run files that were published with the release."""
    return responses.send_run_files(slug, phase, number)


@blueprint.get("/runs/<path:path>")
@blueprint.output(FileSchema(), content_type=TSV, description="The file, as its team sent it.")
def run_file(slug: str, phase: str, number: int, path: str) -> Response:
    """Download one run file of the release by its name in `files.tsv` of the zip."""
    return responses.send_run_file(slug, phase, number, path)


@blueprint.get("/evidence.zip")
@blueprint.input(TermsQuery, location="query", arg_name="query")
@blueprint.output(FileSchema(), content_type="application/zip", description="The evidence.")
def proof(slug: str, phase: str, number: int, query: dict[str, Any]) -> Response:
    """Download everything public about the release in one zip; this needs no account.

    If the task has terms, accept them with `terms=accepted`, or on its page.
    """
    accepts_terms = query["terms"] == "accepted"
    return evidence_responses.evidence_for(slug, phase, number, caller(), accepts_terms=accepts_terms)


@blueprint.get("/release.bib")
@blueprint.output(FileSchema(), content_type="text/x-bibtex", description="The entry.")
def bibtex(slug: str, phase: str, number: int) -> Response:
    """Download the release as an entry for BibTeX."""
    return responses.send_bibtex(slug, phase, number)


@blueprint.get("/gold/<level>")
@blueprint.output(FileSchema(), content_type=TSV, description="The gold.")
def gold(slug: str, phase: str, number: int, level: str) -> Response:
    """Download the public gold file of a level for the release. You need to accept the terms first."""
    return responses.send_gold(slug, phase, number, level, caller())
