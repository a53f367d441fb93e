"""What `scorer submit` says of the files that it sent."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scorer.cli._site import echo_json
from scorer.cli._stop import Stop, Stopped
from scorer.errors import DataError, Problem, ProofError, ScorerError, SiteAway, SiteError

if TYPE_CHECKING:
    from scorer.client.site import Connection
    from scorer.client.uploads import AcceptedFile, RunUpload

SCHEMA = "assay.submit/1"


@dataclass(frozen=True, slots=True)
class SavedReceipt:
    """The receipt of one file: where it is saved, and what is wrong with it, if anything."""

    path: Path | None = None
    fault: ScorerError | None = None


def save_receipts(sent: Sequence["AcceptedFile"], folder: Path) -> list[SavedReceipt]:
    """Save the receipts. What fails here is told beside the scores, for the files are stored."""
    return [_save(one, folder) for one in sent]


def _save(one: "AcceptedFile", folder: Path) -> SavedReceipt:
    from scorer.client.receipts import save_receipt

    if one.answer["receipt"] is None:
        return SavedReceipt()
    try:
        number = int(one.answer["submission"]["id"])
        return SavedReceipt(save_receipt(folder, number, one.answer["receipt"].encode()))
    except DataError as error:
        return SavedReceipt(fault=error)


def prove_receipts(
    site: "Connection", sent: Sequence["AcceptedFile"], kept: Sequence[SavedReceipt], stop: Stop
) -> list[SavedReceipt]:
    """Verify the receipts that are saved."""
    from scorer.client.receipts import site_keys

    if all(receipt.path is None for receipt in kept):
        return list(kept)
    try:
        with stop.waiting():
            keys = site_keys(site)
    except KeyboardInterrupt:
        click.echo("the receipts are saved, and not verified", err=True)
        return list(kept)
    except (SiteError, ProofError) as error:
        return [SavedReceipt(receipt.path, receipt.fault or error) for receipt in kept]
    return [_prove(one, receipt, keys) for one, receipt in zip(sent, kept, strict=True)]


def _prove(one: "AcceptedFile", receipt: SavedReceipt, keys: Any) -> SavedReceipt:
    from scorer.client.receipts import prove_receipt

    if receipt.path is None:
        return receipt
    text, run = one.answer["receipt"].encode(), (str(one.file.path), one.file.data)
    findings = prove_receipt(receipt.path, text, keys, run)
    failed = " ".join(each.text for each in findings if each.state == "fails")
    fault = ProofError([Problem(str(receipt.path), None, "bad_receipt", failed)]) if failed else None
    return SavedReceipt(receipt.path, fault)


def outcome_lines(sent: Sequence["AcceptedFile"], kept: Sequence[SavedReceipt]) -> Iterator[str]:
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


def tell_place(sending: "RunUpload") -> None:
    """Say where the files go, before they do."""
    from scorer.client.problems import one_line

    phase, name, team = (one_line(sending.run["run"][each]) for each in ("phase", "name", "team"))
    click.echo(f'to {phase}, for the run "{name}" of {team}', err=True)


def rest_of(sending: "RunUpload", refused: SiteError | None) -> dict[str, list[str]]:
    """After a refusal: the levels by what became of their files, not known where the site did not answer."""
    if refused is None:
        return {}
    stored = [one.file.level for one in sending.sent]
    name = "not known" if isinstance(refused, SiteAway) else "not stored"
    return {"stored": stored, name: [one.level for one in sending.left]}


def tell_rest(rest: Mapping[str, Sequence[str]]) -> None:
    """Say which files did not come that far."""
    for name, slugs in rest.items():
        more = "; run the same command again: a file that is there is not counted twice"
        told = more if name == "not known" else ""
        click.echo(f"{name}: {', '.join(slugs) or 'none'}{told}", err=True)


def echo_sent(
    sending: "RunUpload",
    kept: Sequence[SavedReceipt],
    refused: SiteError | None,
    rest: Mapping[str, Sequence[str]],
    empty: Sequence[str],
) -> None:
    """What came of each file, for programs."""
    files = [
        {
            "level": one.file.level,
            "file": str(one.file.path),
            "receipt_file": receipt.path and str(receipt.path),
            **one.answer,
        }
        for one, receipt in zip(sending.sent, kept, strict=True)
    ]
    run = sending.run["run"]
    why = refused and (refused.problem or {"code": refused.code, "detail": str(refused)})
    levels = {f"{name.replace(' ', '_')}": list(slugs) for name, slugs in rest.items() if name != "stored"}
    stopped = {"code": refused.code, "detail": str(refused)} if isinstance(refused, Stopped) else {}
    echo_json(
        SCHEMA,
        **stopped,
        sent=_how_many(rest),
        site=sending.site.address,
        run={each: run[each] for each in ("id", "name", "phase", "team")},
        files=files,
        no_file=list(empty),
        refused=why,
        **levels,
    )


def _how_many(rest: Mapping[str, Sequence[str]]) -> str:
    """What of the run the site has: all, some or none of it; or that is not known."""
    if "not known" in rest:
        return "not known"
    return "all" if "not stored" not in rest else "some" if rest["stored"] else "none"
