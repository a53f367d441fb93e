"""What `scorer submit` says of the files that it sent."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scorer.cli._site import echo_json
from scorer.errors import DataError, Problem, ProofError, ScorerError, SiteAway, SiteError

if TYPE_CHECKING:
    from scorer.client.site import Site
    from scorer.client.uploads import Sent

SCHEMA = "assay.submit/1"


@dataclass(frozen=True, slots=True)
class Kept:
    """The receipt of one file: where it is saved, and what is wrong with it, if anything."""

    path: str | None = None
    fault: ScorerError | None = None


def keep_receipts(site: "Site", sent: Sequence["Sent"], folder: Path) -> list[Kept]:
    """Save and verify the receipts. What fails here is told beside the scores, for the files are stored."""
    from scorer.client.receipts import site_keys

    if not any(one.answer["receipt"] for one in sent):
        return [Kept()] * len(sent)
    try:
        keys = site_keys(site)
    except (SiteError, ProofError) as error:
        return [Kept(fault=error) for _ in sent]
    return [_keep(one, folder, keys) for one in sent]


def _keep(one: "Sent", folder: Path, keys: Any) -> Kept:
    from scorer.client.receipts import keep_receipt

    if one.answer["receipt"] is None:
        return Kept()
    number, text = int(one.answer["submission"]["id"]), one.answer["receipt"].encode()
    try:
        path, findings = keep_receipt(folder, number, text, keys, (str(one.file.path), one.file.data))
    except DataError as error:
        return Kept(fault=error)
    failed = " ".join(each.text for each in findings if each.state == "fails")
    fault = ProofError([Problem(str(path), None, "bad_receipt", failed)]) if failed else None
    return Kept(str(path), fault)


def outcome_lines(sent: Sequence["Sent"], kept: Sequence[Kept]) -> Iterator[str]:
    """What came of each file, for people."""
    from scorer.client.problems import one_line
    from scorer.client.scores import outcome

    for one, receipt in zip(sent, kept, strict=True):
        notes = [
            *(["late"] if one.answer["submission"]["late"] else []),
            *([] if one.answer["counts"] else ["does not count"]),
            *([] if one.answer.get("new", True) else ["was there already"]),
        ]
        told = f" ({', '.join(notes)})" if notes else ""
        yield one_line(f"{one.file.level}: {outcome(one.answer)}{told}; receipt {receipt.path or 'none'}")
        for warning in one.answer["submission"]["warnings"]:
            yield one_line(f"warning: {one.file.level}: {warning}")


def rest_of(sent: int, levels: Sequence[str], refused: SiteError) -> dict[str, list[str]]:
    """The levels by what became of their files; where a site did not answer, one may be there or not."""
    known = sent + 1 if isinstance(refused, SiteAway) else sent
    found = {
        "stored": list(levels[:sent]),
        "not known": list(levels[sent:known]),
        "not stored": list(levels[known:]),
    }
    return {name: slugs for name, slugs in found.items() if slugs or name == "stored"}


def tell_rest(rest: Mapping[str, Sequence[str]]) -> None:
    """Say which files did not come that far."""
    for name, slugs in rest.items():
        more = "; run the same command again: a file that is there is not counted twice"
        told = more if name == "not known" else ""
        click.echo(f"{name}: {', '.join(slugs) or 'none'}{told}", err=True)


def echo_sent(
    address: str,
    run: Mapping[str, Any],
    sent: Sequence["Sent"],
    kept: Sequence[Kept],
    refused: SiteError | None,
    rest: Mapping[str, Sequence[str]],
) -> None:
    """What came of each file, for programs."""
    files = [
        {"level": one.file.level, "file": str(one.file.path), "receipt_file": receipt.path, **one.answer}
        for one, receipt in zip(sent, kept, strict=True)
    ]
    names = {"id": run["run"]["id"], "name": run["run"]["name"]}
    why = refused and (refused.problem or {"code": refused.code, "detail": str(refused)})
    levels = {f"{name.replace(' ', '_')}": list(slugs) for name, slugs in rest.items() if name != "stored"}
    echo_json(SCHEMA, sent=refused is None, site=address, run=names, files=files, refused=why, **levels)
