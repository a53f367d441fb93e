"""`scorer submit`: check a whole run, send it, save its receipts, and say what became of each file."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scorer.cli._output import progress
from scorer.cli.site._site_command import (
    CommandStopped,
    SiteCommand,
    StopSignal,
    connect_to_site,
    echo_json,
    handle_stop_signals,
    site_options,
)
from scorer.errors import (
    DataError,
    Problem,
    ProofError,
    RequestError,
    ScorerError,
    SiteError,
    SiteUnavailable,
)

if TYPE_CHECKING:
    from scorer.client.connection import Connection
    from scorer.client.run_folder import RunFile
    from scorer.client.uploads import AcceptedFile, RunUpload
    from scorer.proof.keys import KeyRing

SCHEMA = "assay.submit/1"


def _clean_run_name(_ctx: click.Context, _param: click.Parameter, name: str | None) -> str | None:
    """A name as the site keeps it: its white space made single blanks."""
    clean_name = None if name is None else " ".join(name.split())
    if clean_name == "":
        raise click.BadParameter("a run needs a name; leave --run out for that of the folder")
    return clean_name


@click.command("submit", cls=SiteCommand, short_help="Check a run, send it, keep its receipts.")
@click.argument("run_dir", type=click.Path(path_type=Path))
@click.option("--task", required=True, metavar="SLUG", help="The task, as `scorer tasks` lists it.")
@click.option("--phase", metavar="SLUG", help="The phase; by default the only one that takes files.")
@click.option(
    "--run", metavar="NAME", callback=_clean_run_name, help="The run's name; by default that of the folder."
)
@click.option(
    "--receipts", type=click.Path(path_type=Path), metavar="DIR", help="By default RUN_DIR/receipts."
)
@click.option("--yes", is_flag=True, help="Make a new run, and send late files, without asking.")
@site_options
def command(
    *,
    run_dir: Path,
    task: str,
    phase: str | None,
    run: str | None,
    receipts: Path | None,
    yes: bool,
    site: str | None,
    format_: str,
) -> None:
    """Check every file in RUN_DIR, and send all of them or none; print scores or "stored".

    The name of a file, or of the folder that it lies in, holds the level that it is for. Each file is checked
    as `scorer check` does, against the items that the site names. If one is bad, every bad line is listed and
    nothing is sent. If the site refuses one, as where no file is left of a quota, it stores none. What is
    sent is scored in the site's answer; its receipts are saved and verified.

    It is safe to run it again, also after Ctrl-C: a file that is the newest of its level is not sent again,
    and one whose answer was lost is not counted twice.

    \b
    Example:  scorer submit runs/quay --task clss-2014 --phase evaluation --run quay
              scorer submit runs/quay --task clss-2014 --yes --format json
    Exit:     0 good, 1 bad data or refused, 2 usage, 3 the site is away, 4 no good token
    """
    name, folder = run or " ".join(run_dir.resolve().name.split()), receipts or run_dir / "receipts"
    with connect_to_site(site, task) as connection, handle_stop_signals() as stop:
        try:
            with stop.waiting():
                sending, empty = _check_run_folder(connection, run_dir, (task, phase, name), folder, yes=yes)
        except (KeyboardInterrupt, click.Abort):
            early = CommandStopped("stopped before a file was sent")
            click.echo(str(early), err=True)
            if format_ == "json":
                echo_json(SCHEMA, code=early.code, detail=str(early), sent="none")
            raise click.exceptions.Exit(stop.exit_code) from None
        print_destination(sending)
        refused = _send(sending, stop)
        kept = _verify_receipts(connection, [_save_receipt(each, folder) for each in sending.sent], stop)
        rest = levels_after_refusal(sending, refused)
        if format_ == "json":
            echo_upload_json(sending, kept, refused, rest, empty)
        else:
            click.echo("".join(f"{line}\n" for line in _outcome_lines(kept)), nl=False)
        print_levels_after_refusal(rest)
        _raise_first(refused, [receipt.fault for receipt in kept if receipt.fault is not None])


def _check_run_folder(
    site: "Connection", run_dir: Path, place: tuple[str, str | None, str], receipts: Path, *, yes: bool
) -> "tuple[RunUpload, list[str]]":
    """The files of a run, checked, for a task, a phase and a run of one's own; and the levels without one."""
    from scorer.client.hosted_tasks import read_items, read_task, require_opened
    from scorer.client.local_files import require_writable
    from scorer.client.run_folder import read_run_folder
    from scorer.client.uploads import check_files

    task, phase, name = place
    hosted = read_task(site, task)
    target = hosted.phase(phase)
    require_opened(target)
    levels = hosted.items_of(target)
    try:
        files = read_run_folder(run_dir, list(levels))
        items = read_items(site, hosted, [levels[file.level] for file in files])
        warnings = check_files(hosted, levels, items, files)
    except DataError:
        click.echo("nothing was sent:", err=True)
        echo_json(SCHEMA, sent="none")
        raise
    empty = [level for level in levels if level not in {file.level for file in files}]
    if empty:
        click.echo(f"no file for: {', '.join(empty)}", err=True)
    for warning in warnings:
        click.echo(f"warning: {warning}", err=True)
    require_writable(receipts)
    return _start_upload(site, task, target, name, files, yes=yes), empty


def _send(sending: "RunUpload", stop: StopSignal) -> SiteError | None:
    """Send the files that are not there yet; gives what the site refused, or why that is not known."""
    try:
        with stop.waiting(), progress("Sending"):
            sending.send()
    except KeyboardInterrupt:
        return CommandStopped("stopped before the site had answered")
    except SiteError as error:
        return error
    return None


def _start_upload(
    site: "Connection",
    task: str,
    phase: Mapping[str, Any],
    name: str,
    files: "Sequence[RunFile]",
    *,
    yes: bool,
) -> "RunUpload":
    """The files on their way to one's run of this name, which is made if it is new: whoever sends agrees."""
    from scorer.client.times import format_time
    from scorer.client.uploads import RunUpload, find_own_run, make_run

    slug, is_open = str(phase["slug"]), phase["state"] == "open"
    run = find_own_run(site, task, slug, name)
    upload = None if run is None else RunUpload(site, run, files, is_open=is_open)
    if upload is None and not yes:
        otherwise = "Say so with --yes, or name another with --run"
        _confirm(f'There is no run "{name}" in {slug} yet. Make it?', otherwise)
    if phase["state"] == "grace" and (upload is None or upload.left):
        ends = format_time(phase["window"]["grace_ends"])
        late = f"{slug} takes files until {ends}, but as late ones, which never rank."
        if yes:
            click.echo(late, err=True)
        else:
            _confirm(f"{late} Send them?", "Say so with --yes")
    return upload or RunUpload(site, make_run(site, task, slug, name), files, is_open=is_open)


def _confirm(question: str, otherwise: str) -> None:
    """Ask, where somebody is there to be asked."""
    if not sys.stdin.isatty():
        raise RequestError(f"{question} {otherwise}")
    click.confirm(question, abort=True, err=True)


def _raise_first(refused: SiteError | None, faults: Sequence[ScorerError]) -> None:
    """Leave with what the site refused, else with what is wrong with the receipts; the other one is told."""
    if refused is not None:
        for fault in faults:
            click.echo(str(fault), err=True)
        if isinstance(refused, CommandStopped):
            click.echo(str(refused), err=True)
            return
        raise refused
    problems = [each for fault in faults if isinstance(fault, DataError) for each in fault.problems]
    if problems:
        raise DataError(problems)
    if faults:
        raise faults[0]


@dataclass(frozen=True, slots=True)
class SavedReceipt:
    """What the site answered to one file, where its receipt is saved, and what is wrong with that, if so."""

    accepted: "AcceptedFile"
    path: Path | None = None
    fault: ScorerError | None = None


def _save_receipt(accepted: "AcceptedFile", folder: Path) -> SavedReceipt:
    """Save a receipt. What fails here is told beside the scores, for the file is stored."""
    from scorer.client.receipts import save_receipt

    text = accepted.answer["receipt"]
    if text is None:
        return SavedReceipt(accepted)
    try:
        number = int(accepted.answer["submission"]["id"])
        return SavedReceipt(accepted, save_receipt(folder, number, text.encode()))
    except DataError as error:
        return SavedReceipt(accepted, fault=error)


def _verify_receipts(site: "Connection", kept: list[SavedReceipt], stop: StopSignal) -> list[SavedReceipt]:
    """Verify the receipts that are saved."""
    from scorer.client.receipts import fetch_site_keys

    if all(receipt.path is None for receipt in kept):
        return kept
    try:
        with stop.waiting():
            keys = fetch_site_keys(site)
    except KeyboardInterrupt:
        click.echo("the receipts are saved, and not verified", err=True)
        return kept
    except (SiteError, ProofError) as error:
        return [replace(receipt, fault=receipt.fault or error) for receipt in kept]
    return [_verify_receipt(receipt, keys) for receipt in kept]


def _verify_receipt(receipt: SavedReceipt, keys: "tuple[str, KeyRing]") -> SavedReceipt:
    from scorer.client.receipts import verify_receipt_file

    if receipt.path is None:
        return receipt
    text, file = receipt.accepted.answer["receipt"].encode(), receipt.accepted.file
    findings = verify_receipt_file(receipt.path, text, keys, (str(file.path), file.data))
    failed = " ".join(each.text for each in findings if each.state == "fails")
    problem = Problem(str(receipt.path), None, "bad_receipt", failed)
    return replace(receipt, fault=ProofError([problem])) if failed else receipt


def _outcome_lines(kept: Sequence[SavedReceipt]) -> Iterator[str]:
    """What came of each file, for people."""
    from scorer.client.site_errors import printable_line
    from scorer.client.uploads import scores_text

    for receipt in kept:
        level, answer = receipt.accepted.file.level, receipt.accepted.answer
        marks = {
            "late": answer["submission"]["late"],
            "does not count": not answer["counts"],
            "was there already": not answer.get("new", True),
        }
        notes = ", ".join(note for note, applies in marks.items() if applies)
        suffix = f" ({notes})" if notes else ""
        yield printable_line(f"{level}: {scores_text(answer)}{suffix}; receipt {receipt.path or 'none'}")
        for warning in answer["submission"]["warnings"]:
            yield printable_line(f"warning: {level}: {warning}")


def print_destination(sending: "RunUpload") -> None:
    """Say where the files go, before they do."""
    from scorer.client.site_errors import printable_line

    phase, name, team = (printable_line(sending.run["run"][each]) for each in ("phase", "name", "team"))
    click.echo(f'to {phase}, for the run "{name}" of {team}', err=True)


def levels_after_refusal(sending: "RunUpload", refused: SiteError | None) -> dict[str, list[str]]:
    """After a refusal: the levels by what became of their files, not known where the site did not answer."""
    if refused is None:
        return {}
    stored = [accepted.file.level for accepted in sending.sent]
    name = "not known" if isinstance(refused, SiteUnavailable) else "not stored"
    return {"stored": stored, name: [file.level for file in sending.left]}


def print_levels_after_refusal(rest: Mapping[str, Sequence[str]]) -> None:
    """Say which files did not come that far."""
    for name, slugs in rest.items():
        more = "; run the same command again: a file that is there is not counted twice"
        hint = more if name == "not known" else ""
        click.echo(f"{name}: {', '.join(slugs) or 'none'}{hint}", err=True)


def echo_upload_json(
    sending: "RunUpload",
    kept: Sequence[SavedReceipt],
    refused: SiteError | None,
    rest: Mapping[str, Sequence[str]],
    empty: Sequence[str],
) -> None:
    """What came of each file, for programs."""
    files = [
        {
            "level": receipt.accepted.file.level,
            "file": str(receipt.accepted.file.path),
            "receipt_file": receipt.path and str(receipt.path),
            **receipt.accepted.answer,
        }
        for receipt in kept
    ]
    run = sending.run["run"]
    why = refused and (refused.problem or {"code": refused.code, "detail": str(refused)})
    levels = {name.replace(" ", "_"): list(slugs) for name, slugs in rest.items() if name != "stored"}
    stopped = {"code": refused.code, "detail": str(refused)} if isinstance(refused, CommandStopped) else {}
    echo_json(
        SCHEMA,
        **stopped,
        sent=_stored_extent(rest),
        site=sending.site.address,
        run={each: run[each] for each in ("id", "name", "phase", "team")},
        files=files,
        no_file=list(empty),
        refused=why,
        **levels,
    )


def _stored_extent(rest: Mapping[str, Sequence[str]]) -> str:
    """What of the run the site has: all, some or none of it; or that is not known."""
    if "not known" in rest:
        return "not known"
    return "all" if "not stored" not in rest else "some" if rest["stored"] else "none"
