"""`scorer verify`: what a receipt, or the evidence of a release, proves, and what it cannot."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from scorer.bundles.zips import is_zip, open_folder_or_zip
from scorer.cli._inputs import refuse_second_stdin
from scorer.cli._options import (
    KeyedOptions,
    StrictCommand,
    confidence_option,
    format_option,
    gold_score_option,
    keyed_options,
    label,
    layout_options,
)
from scorer.cli._output import progress
from scorer.errors import RequestError
from scorer.files.reading import ItemsLayout, KeyedFormat, read_bytes
from scorer.proof.document_verification import NamedFile, VerificationInputs
from scorer.proof.evidence import read_evidence
from scorer.proof.evidence_board import check_board
from scorer.proof.evidence_verification import packaging_findings, verify_evidence
from scorer.proof.findings import FORMATS, is_proved, render_proof
from scorer.proof.keys import KeyRing, read_keys
from scorer.proof.receipt_verification import receipt_title, verify_receipt
from scorer.proof.receipts import read_receipt
from scorer.proof.signing import read_signed
from scorer.proof.statements import SCHEMA as STATEMENT
from scorer.proof.statements import read_statement, statement_title, verify_statement

_FOR_RECEIPTS = "run", "items", "public_items", "gold"
"""What a receipt is held against."""
_SALT = re.compile(r"[0-9a-fA-F]{64}")


@click.command("verify", cls=StrictCommand, short_help="Say what a receipt or evidence proves.")
@click.argument("document")
@click.option("--key", metavar="FILE", help="The site's keys, from its /keys.json.")
@click.option("--run", metavar="FILE", help="The run that the receipt is for.")
@click.option("--items", metavar="FILE", help="The items that the run answers.")
@click.option("--public-items", metavar="FILE", help="The ids of the items that were declared public.")
@click.option("--gold", metavar="FILE", help="The gold, once it is open; needs --salt.")
@click.option(
    "--salt", metavar="HEX", help="The salt that was published with the gold: 64 hexadecimal digits."
)
@click.option("--board", metavar="FILE", help="For a release's statement: the board as JSON.")
@keyed_options
@gold_score_option
@layout_options
@confidence_option
@click.option("--no-inference", is_flag=True, help="Evidence: do not compute intervals and tests anew.")
@format_option(FORMATS, "text for people, json for programs.")
def command(
    *,
    document: str,
    salt: str | None,
    keyed: KeyedOptions,
    gold_score: str | None,
    layout: ItemsLayout,
    confidence_max: float,
    no_inference: bool,
    format_: str,
    **paths: str | None,
) -> None:
    """Say, sentence by sentence, what DOCUMENT proves and what it cannot; offline.

    DOCUMENT is a receipt, which a site gives for each file that it accepts. With --run, the file is held
    against it; with --gold and --salt, its scores are computed anew. What is not given stays open.

    Or it is the statement of a release, which --board is held against.

    Or it is the evidence of a release, a zip or its folder: its files, signatures, receipts and ranks are
    checked and, where gold and runs are in it, the board is computed anew, intervals and clusters included.

    \b
    Example:  scorer verify receipt-17.json --key keys.json --run run1.tsv
              scorer verify receipt-17.json --run run1.tsv --gold gold.tsv --salt 6f1c...
              scorer verify clss-2014-evaluation-release-2-evidence.zip --key keys.json
    Exit:     0 good, also where something stays open, 1 bad data or something failed, 2 usage
    """
    if document != "-" and _is_package(Path(document)):
        _refuse_options("the evidence of a release", _FOR_RECEIPTS, paths)
        _refuse_options("the evidence of a release", ("salt", "board"), {"salt": salt, **paths})
        _verify_evidence(Path(document), paths["key"], format_, inference=not no_inference)
        return
    if no_inference:
        raise RequestError("--no-inference is for the evidence of a release, which is a zip or a folder")
    refuse_second_stdin(document, *paths.values())
    files = {name: _read_named_file(paths[name]) for name in _FOR_RECEIPTS}
    beside = VerificationInputs(
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
        findings = verify_statement(signed, statement, beside.keys, board)
    else:
        _refuse_options("a receipt", ("board",), paths)
        receipt = read_receipt(signed, source)
        title, findings = receipt_title(receipt, source), verify_receipt(signed, receipt, beside)
    click.echo(render_proof(title, findings, format_), nl=False)
    if not is_proved(findings):
        raise click.exceptions.Exit(1)


def _is_package(path: Path) -> bool:
    """Whether it is a folder or a zip, or is called one."""
    return path.is_dir() or path.suffix.lower() == ".zip" or is_zip(path)


def _refuse_options(what: str, names: Sequence[str], given: Mapping[str, str | None]) -> None:
    """Refuse files that this kind of document says nothing of."""
    for name in names:
        if given[name] is not None:
            raise RequestError(f"--{name.replace('_', '-')} does not go with {what}, which this is")


def _verify_evidence(package: Path, key: str | None, format_: str, *, inference: bool) -> None:
    """What the evidence of a release proves."""
    published = _read_key_ring(key)
    with open_folder_or_zip(package) as folder:
        evidence = read_evidence(folder, label(str(package)))
        findings = verify_evidence(evidence, published)
        if is_proved(findings):
            findings += check_board(evidence, inference=inference, steps=partial(progress, "Resampling"))
        findings += packaging_findings(package)
        click.echo(render_proof(f"{label(str(package))}: {evidence.title}", findings, format_), nl=False)
    if not is_proved(findings):
        raise click.exceptions.Exit(1)


def _read_key_ring(path: str | None) -> tuple[str, KeyRing] | None:
    """The site's keys, if they were given."""
    return None if path is None else (label(path), read_keys(read_bytes(path), label(path)))


def _read_named_file(path: str | None) -> NamedFile | None:
    return None if path is None else NamedFile(label(path), read_bytes(path))


def _parse_salt(salt: str | None, gold: str | None) -> bytes | None:
    """The salt's bytes; it and the gold belong together."""
    if (salt is None) != (gold is None):
        option, missing = ("--gold", "--salt HEX") if salt is None else ("--salt", "--gold FILE")
        raise RequestError(f"{option} is of use with {missing} only; give both")
    if salt is not None and not _SALT.fullmatch(salt):
        raise RequestError(
            f"--salt has 64 hexadecimal digits, and this has {len(salt)} characters; copy all of it"
        )
    return None if salt is None else bytes.fromhex(salt)


def _keyed_format(keyed: KeyedOptions, gold_score: str | None) -> KeyedFormat | None:
    """The columns of a keyed run; keyed gold may have another for its value."""
    run = keyed.run_format()
    if run is None and gold_score is not None:
        raise RequestError(
            "--gold-score is for keyed files; name the run's columns with --id and --score too"
        )
    return None if run is None else replace(run, gold=gold_score)
