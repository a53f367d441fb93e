"""`scorer submit`: checks a run, uploads it, saves its receipts and prints the result of each file."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scorer.cli._options import first_is_score_option, flag_option, level_files_option, value_option
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
    printable,
)

if TYPE_CHECKING:
    from scorer.client.connection import Connection
    from scorer.client.uploads import AcceptedFile, CheckedRun, Confirmation, Question, RunPaths, RunUpload
    from scorer.proof.keys import KeyRing

SCHEMA = "assay.submit/1"


def _clean_run_name(_ctx: click.Context, _param: click.Parameter, name: str | None) -> str | None:
    """Normalize a run name as the site does: replace each run of white space by one space."""
    clean_name = None if name is None else " ".join(name.split())
    if clean_name == "":
        raise click.BadParameter("a run needs a name; leave out --run to use the name of the folder")
    return clean_name


@click.command("submit", cls=SiteCommand)
@click.argument("run_path", type=click.Path(path_type=Path), metavar="[RUN]", required=False)
@level_files_option(
    "--level", "The file of a level, whatever its name is. Give it once for each level, instead of RUN."
)
@value_option("--task", "SLUG", "The task, as `scorer tasks` lists it.", required=True)
@value_option("--phase", "SLUG", "The phase. Can be left out if only one phase accepts files.")
@value_option(
    "--run",
    "NAME",
    "The name of the run. By default the name of the folder, or of the file without its ending.",
    callback=_clean_run_name,
)
@value_option(
    "--receipts",
    "DIR",
    "The folder for receipts. By default `receipts` in the folder RUN, or else in the current one.",
    type=click.Path(path_type=Path),
)
@first_is_score_option
@flag_option(
    "--sure",
    "Each file is in the right place, even if the same one counts at another level or in another run.",
)
@flag_option("--yes", "Create a new run or send late files without asking.")
@site_options
def command(
    *,
    run_path: Path | None,
    level_files: Mapping[str, Path],
    task: str,
    phase: str | None,
    run: str | None,
    receipts: Path | None,
    first_is_score: bool,
    sure: bool,
    yes: bool,
    site: str | None,
    format_: str,
) -> None:
    """Check a run, upload it and save its receipts.

    RUN is a folder, a zip of it, or a single file. All files in it are checked and uploaded, and their scores
    are printed. The name of each file, or of the folder that it is in, must contain the short name of its
    level, such as paragraph2sentence; in a task with one level, files can have any name. The task's
    page lists the short names. With --level you say yourself which file is for which level.

    Each file is first checked against the items of the site, as `scorer check` does. If a file is bad, every
    bad line is listed and nothing is sent. If the site rejects one file, it stores none of them. Only files
    for levels with no submissions left are left out; then the exit code is 1.

    The output has the scores of each file, or "stored" if the phase does not show scores. The receipts are
    saved and verified.

    You can safely run the same command again, even after Ctrl-C. A file that already counts at its level is
    not sent again.

    \b
    Examples:
      scorer submit runs/quay --task clss-2014 --phase evaluation --run quay
      scorer submit runs/quay.zip --task clss-2014 --yes --format json
      scorer submit --level phrase2word=a.tsv --level word2sense=b.tsv --task clss-2014 --run quay

    \b
    Exit codes:
      0  success
      1  bad data or rejected
      2  usage error
      3  site not available
      4  no valid token
    """
    source = _find_source(run_path, level_files, run)
    flags: dict[Confirmation, bool] = {"first_is_score": first_is_score, "sure": sure}
    confirmed = [name for name, is_set in flags.items() if is_set]
    name, folder = run or source.name, receipts or source.receipts
    with connect_to_site(site, task) as connection, handle_stop_signals() as stop:
        try:
            with stop.waiting():
                sending, checked = _check_run(
                    connection, source, (task, phase, name), folder, confirmed, yes=yes
                )
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
            echo_upload_json(sending, kept, refused, rest, checked.empty)
        else:
            click.echo("".join(f"{line}\n" for line in _outcome_lines(kept, checked.warnings)), nl=False)
        print_levels_after_refusal(rest)
        _raise_first(refused, [receipt.fault for receipt in kept if receipt.fault is not None])


@dataclass(frozen=True, slots=True)
class RunSource:
    """Where the files of a run are, and the default name of the run and folder of its receipts."""

    files: "RunPaths"
    name: str
    receipts: Path


def _find_source(path: Path | None, level_files: Mapping[str, Path], run: str | None) -> RunSource:
    if (path is None) == (not level_files):
        raise click.UsageError("give either RUN or --level LEVEL=FILE")
    if path is None:
        if run is None:
            raise click.UsageError("with --level, name the run with --run")
        return RunSource(level_files, run, Path("receipts"))
    if path.is_file():
        return RunSource(path, " ".join(path.stem.split()), Path("receipts"))
    return RunSource(path, " ".join(path.resolve().name.split()), path / "receipts")


def _check_run(
    site: "Connection",
    source: RunSource,
    place: tuple[str, str | None, str],
    receipts: Path,
    confirmed: "Sequence[Confirmation]",
    *,
    yes: bool,
) -> "tuple[RunUpload, CheckedRun]":
    """Check the files of a run and prepare their upload."""
    from scorer.client.local_files import require_writable
    from scorer.client.uploads import check_run, prepare_upload

    task, phase, name = place
    try:
        checked = check_run(site, task, phase, source.files, confirmed)
    except DataError:
        click.echo("nothing was sent:", err=True)
        echo_json(SCHEMA, sent="none")
        raise
    if checked.empty:
        click.echo(f"no file for: {', '.join(checked.empty)}", err=True)
    for warning in checked.warnings:
        click.echo(f"warning: {warning}", err=True)
    require_writable(receipts)
    sending = prepare_upload(site, checked, name, confirmed, partial(_confirm, yes=yes))
    return sending, checked


def _send(sending: "RunUpload", stop: StopSignal) -> SiteError | None:
    """Send the files that the site does not have yet; return the error if the site rejects them or fails."""
    try:
        with stop.waiting(), progress("Sending"):
            sending.send()
    except KeyboardInterrupt:
        return CommandStopped("stopped before the site had answered")
    except SiteError as error:
        return error
    return None


def _confirm(question: "Question", reason: str, *, yes: bool) -> None:
    """Ask the user to confirm; raise RequestError with what to do if standard input is not a terminal."""
    is_late = question == "late"
    if yes:
        if is_late:
            click.echo(reason, err=True)
        return
    if not sys.stdin.isatty():
        other = "send them" if is_late else "create it, or give the name of another run with --run"
        raise RequestError(f"{reason} Add --yes to {other}")
    click.confirm(f"{reason} {'Send them?' if is_late else 'Create it?'}", abort=True, err=True)


def _raise_first(refused: SiteError | None, faults: Sequence[ScorerError]) -> None:
    """Raise the site's error, else the errors of the receipts; print the ones that are not raised."""
    if refused is not None:
        for fault in faults:
            click.echo(str(fault), err=True)
        if isinstance(refused, CommandStopped):
            click.echo(str(refused), err=True)
            return
        raise refused
    problems = [problem for fault in faults if isinstance(fault, DataError) for problem in fault.problems]
    if problems:
        raise DataError(problems)
    if faults:
        raise faults[0]


@dataclass(frozen=True, slots=True)
class SavedReceipt:
    """An accepted file, where its receipt is saved, and the error if the receipt is not valid."""

    accepted: "AcceptedFile"
    path: Path | None = None
    fault: ScorerError | None = None


def _save_receipt(accepted: "AcceptedFile", folder: Path) -> SavedReceipt:
    """Save a receipt. An error is returned, not raised: the site has stored the file, so show its scores."""
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
    """Verify the saved receipts against the keys of the site."""
    from scorer.client.receipts import fetch_site_keys

    if all(receipt.path is None for receipt in kept):
        return kept
    try:
        with stop.waiting():
            keys = fetch_site_keys(site)
    except KeyboardInterrupt:
        click.echo("the receipts are saved but not verified", err=True)
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
    failed = " ".join(finding.text for finding in findings if finding.state == "fails")
    problem = Problem(str(receipt.path), None, "bad_receipt", failed)
    return replace(receipt, fault=ProofError([problem])) if failed else receipt


def _outcome_lines(kept: Sequence[SavedReceipt], shown: Sequence[Problem]) -> Iterator[str]:
    """Yield a line with the result of each file, and the warnings of the site that were not shown before."""
    from scorer.client.uploads import scores_text

    known = tuple(str(replace(warning, source="")) for warning in shown)  # the site names the file otherwise
    for receipt in kept:
        level, answer = receipt.accepted.file.level, receipt.accepted.answer
        marks = {
            "late": answer["submission"]["late"],
            "does not count": not answer["counts"],
            "already stored": not answer.get("new", True),
        }
        notes = ", ".join(note for note, applies in marks.items() if applies)
        suffix = f" ({notes})" if notes else ""
        yield printable(f"{level}: {scores_text(answer)}{suffix}; receipt {receipt.path or 'none'}")
        for warning in answer["submission"]["warnings"]:
            if not warning.endswith(known):
                yield printable(f"warning: {level}: {warning}")


def print_destination(sending: "RunUpload") -> None:
    """Print the phase, run and team to which the files are sent."""

    phase, name, team = (printable(sending.run["run"][key]) for key in ("phase", "name", "team"))
    click.echo(f'sending to {phase}, run "{name}" of {team}', err=True)


def levels_after_refusal(sending: "RunUpload", refused: SiteError | None) -> dict[str, list[str]]:
    """Group the levels by what happened to their files after an error; "not known" without an answer."""
    if refused is None:
        return {}
    stored = [accepted.file.level for accepted in sending.sent]
    name = "not known" if isinstance(refused, SiteUnavailable) else "not stored"
    return {"stored": stored, name: [file.level for file in sending.left]}


def print_levels_after_refusal(rest: Mapping[str, Sequence[str]]) -> None:
    """Print which files are stored, which are not, and which may be."""
    for name, slugs in rest.items():
        advice = "; run the same command again: a file that is already stored is not counted twice"
        hint = advice if name == "not known" else ""
        click.echo(f"{name}: {', '.join(slugs) or 'none'}{hint}", err=True)


def echo_upload_json(
    sending: "RunUpload",
    kept: Sequence[SavedReceipt],
    refused: SiteError | None,
    rest: Mapping[str, Sequence[str]],
    empty: Sequence[str],
) -> None:
    """Print the result of each file as JSON."""
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
        run={key: run[key] for key in ("id", "name", "phase", "team")},
        files=files,
        no_file=list(empty),
        refused=why,
        **levels,
    )


def _stored_extent(rest: Mapping[str, Sequence[str]]) -> str:
    """Return whether the site has stored all, some or none of the files, or "not known"."""
    if "not known" in rest:
        return "not known"
    return "all" if "not stored" not in rest else "some" if rest["stored"] else "none"
