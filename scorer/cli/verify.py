"""`scorer verify`: verifies a receipt, the statement of a release, or the evidence of a release."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scorer.bundles.zips import is_zip, open_folder_or_zip
from scorer.cli._inputs import refuse_second_stdin
from scorer.cli._options import (
    KeyedOptions,
    StrictCommand,
    column_option,
    confidence_option,
    file_option,
    flag_option,
    format_option,
    gold_score_option,
    keyed_options,
    label,
    layout_options,
    level_files_option,
    value_option,
)
from scorer.cli._output import progress
from scorer.errors import RequestError
from scorer.files.reading import ItemsLayout, KeyedFormat, read_bytes
from scorer.proof.document_verification import NamedFile, VerificationInputs
from scorer.proof.evidence import read_evidence
from scorer.proof.evidence_board import check_board
from scorer.proof.evidence_people import check_human_ceiling
from scorer.proof.evidence_verification import packaging_findings, verify_evidence
from scorer.proof.findings import FORMATS, is_proved, render_proof
from scorer.proof.keys import KeyRing, read_keys
from scorer.proof.receipt_verification import receipt_title, verify_receipt
from scorer.proof.receipts import read_receipt
from scorer.proof.signing import read_signed
from scorer.proof.statements import SCHEMA as STATEMENT, read_statement, statement_title, verify_statement

if TYPE_CHECKING:
    from scorer.annotation.ratings import Ratings

_FOR_RECEIPTS = "run", "items", "public_items", "gold"
"""The files that a receipt is verified against."""
_SALT = re.compile(r"[0-9a-fA-F]{64}")


@click.command("verify", cls=StrictCommand)
@click.argument("document")
@file_option("--key", "The public keys of the site, from its /keys.json.")
@file_option("--run", "Receipt: the run file that it is for.")
@file_option("--items", "Receipt: the items that the run file has scores for.")
@file_option("--public-items", "Receipt: the ids of the public items, on which the phase shows scores.")
@file_option("--gold", "Receipt: the gold, once it is published. Needs --salt.")
@value_option("--salt", "HEX", "Receipt: the salt published with the gold, 64 hexadecimal digits.")
@file_option("--board", "Statement: the leaderboard as JSON.")
@keyed_options
@gold_score_option
@layout_options
@confidence_option
@level_files_option(
    "--ratings",
    "Evidence: the ratings that the gold of a level was made from, once they are published. One row per "
    "rating: the unit in the first column, and the columns annotator and rating. Repeatable.",
)
@column_option("--rating", "Evidence: the column of the rating in --ratings.", default="rating")
@flag_option("--no-inference", "Evidence: do not recompute intervals and tests.")
@format_option(FORMATS, "text for people, json for programs.")
def command(
    *,
    document: str,
    salt: str | None,
    keyed: KeyedOptions,
    gold_score: str | None,
    layout: ItemsLayout,
    confidence_max: float,
    level_files: Mapping[str, Path],
    rating: str,
    no_inference: bool,
    format_: str,
    **paths: str | None,
) -> None:
    """Verify a receipt or the evidence of a release.

    The command works offline, and explains what DOCUMENT proves and what it does not prove.

    DOCUMENT is one of these:

    A receipt, which a site issues for each file that it accepts. With --run, the file is compared with the
    receipt. With --gold and --salt, its scores are recomputed. What cannot be verified is listed as open.

    The statement of a release (release.json), in which the site signs the hash of the leaderboard. With
    --board, the leaderboard is compared with it.

    The evidence of a release: the zip file, or the folder that it was unpacked to. Its files, signatures,
    receipts and ranks are verified. If it has the gold standard and the runs, the leaderboard is recomputed,
    including intervals and clusters. With --ratings, so is the human ceiling: how well people would do.

    Each finding begins with "proved", "claimed" (the site says so), "open" (this cannot be
    verified here) or "FAILED".

    \b
    Examples:
      scorer verify receipt-17.json --key keys.json --run run1.tsv
      scorer verify receipt-17.json --run run1.tsv --gold gold.tsv --salt 6f1c...
      scorer verify clss-2014-evaluation-release-2-evidence.zip --key keys.json
      scorer verify evidence.zip --ratings phrase2word=ratings.csv

    \b
    Exit codes:
      0  nothing failed (something may be open)
      1  bad data or a check failed
      2  usage error
    """
    if document != "-" and _is_package(Path(document)):
        _refuse_options("the evidence of a release", _FOR_RECEIPTS, paths)
        _refuse_options("the evidence of a release", ("salt", "board"), {"salt": salt, **paths})
        ratings = {level: _read_ratings(path, rating) for level, path in level_files.items()}
        _verify_evidence(Path(document), paths["key"], ratings, format_, inference=not no_inference)
        return
    if no_inference or level_files:
        option = "--no-inference" if no_inference else "--ratings"
        raise RequestError(f"{option} is for the evidence of a release, which is a zip file or a folder")
    refuse_second_stdin(document, *paths.values())
    files = {name: _read_named_file(paths[name]) for name in _FOR_RECEIPTS}
    inputs = VerificationInputs(
        **files,
        salt=_parse_salt(salt, paths["gold"]),
        keys=_read_key_ring(paths["key"]),
        keyed=_keyed_format(keyed, gold_score),
        layout=layout,
        confidence_max=confidence_max,
    )
    source = label(document)
    signed = read_signed(read_bytes(document), source)
    if signed.content.get("schema") == STATEMENT:
        _refuse_options("the statement of a release", _FOR_RECEIPTS, paths)
        board, statement = _read_named_file(paths["board"]), read_statement(signed, source)
        title = statement_title(statement, source)
        findings = verify_statement(signed, statement, inputs.keys, board)
    else:
        _refuse_options("a receipt", ("board",), paths)
        receipt = read_receipt(signed, source)
        title, findings = receipt_title(receipt, source), verify_receipt(signed, receipt, inputs)
    click.echo(render_proof(title, findings, format_), nl=False)
    if not is_proved(findings):
        raise click.exceptions.Exit(1)


def _is_package(path: Path) -> bool:
    """Whether a path is a folder or a zip file, or has the name of a zip file."""
    return path.is_dir() or path.suffix.lower() == ".zip" or is_zip(path)


def _refuse_options(what: str, names: Sequence[str], given: Mapping[str, str | None]) -> None:
    """Raise RequestError if an option was given that does not apply to this kind of document."""
    for name in names:
        if given[name] is not None:
            raise RequestError(f"--{name.replace('_', '-')} cannot be used with {what}, which this is")


def _read_ratings(path: Path, rating: str) -> "Ratings":
    """Read ratings as a campaign's export and data set have them."""
    from scorer.annotation.ratings_reader import RatingsLayout, parse_ratings

    layout = RatingsLayout(annotator="annotator", rating=rating)
    return parse_ratings(read_bytes(str(path)), label(str(path)), layout)


def _verify_evidence(
    package: Path, key: str | None, ratings: "Mapping[str, Ratings]", format_: str, *, inference: bool
) -> None:
    """Print what the evidence of a release proves; exit with 1 if a check failed."""
    published = _read_key_ring(key)
    with open_folder_or_zip(package) as folder:
        with progress("Verifying"):
            evidence = read_evidence(folder, label(str(package)))
            findings = verify_evidence(evidence, published)
        if is_proved(findings):
            findings += check_board(evidence, inference=inference, steps=partial(progress, "Resampling"))
            findings += check_human_ceiling(evidence, ratings)
        findings += packaging_findings(package)
        click.echo(render_proof(f"{label(str(package))}: {evidence.title}", findings, format_), nl=False)
    if not is_proved(findings):
        raise click.exceptions.Exit(1)


def _read_key_ring(path: str | None) -> tuple[str, KeyRing] | None:
    """Read the site's keys, if the user named a file of them."""
    return None if path is None else (label(path), read_keys(read_bytes(path), label(path)))


def _read_named_file(path: str | None) -> NamedFile | None:
    return None if path is None else NamedFile(label(path), read_bytes(path))


def _parse_salt(salt: str | None, gold: str | None) -> bytes | None:
    """Decode the salt; raise RequestError if only one of salt and gold is given."""
    if (salt is None) != (gold is None):
        option, missing = ("--gold", "--salt HEX") if salt is None else ("--salt", "--gold FILE")
        raise RequestError(f"{option} needs {missing} too; give both")
    if salt is not None and not _SALT.fullmatch(salt):
        raise RequestError(
            f"--salt must be 64 hexadecimal digits, and this has {len(salt)} characters; copy all of it"
        )
    return None if salt is None else bytes.fromhex(salt)


def _keyed_format(keyed: KeyedOptions, gold_score: str | None) -> KeyedFormat | None:
    """Return the columns of a keyed run, and the column of the gold value if it has another name."""
    run = keyed.run_format()
    if run is None and gold_score is not None:
        raise RequestError(
            "--gold-score is for keyed files; also name the columns of the run with --id and --score"
        )
    return None if run is None else replace(run, gold=gold_score)
