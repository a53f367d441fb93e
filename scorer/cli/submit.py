"""`scorer submit`: check a whole run, send it, and keep its receipts."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scorer.cli._progress import progress
from scorer.cli._sent import (
    SCHEMA,
    echo_sent,
    outcome_lines,
    prove_receipts,
    rest_of,
    save_receipts,
    tell_place,
    tell_rest,
)
from scorer.cli._site import SiteCommand, asked_site, echo_json, site_options
from scorer.cli._stop import Stop, Stopped, stoppable
from scorer.errors import DataError, RequestError, ScorerError, SiteError

if TYPE_CHECKING:
    from scorer.client.run_folder import RunFile
    from scorer.client.site import Connection
    from scorer.client.uploads import RunUpload


def _one_line(_ctx: click.Context, _param: click.Parameter, name: str | None) -> str | None:
    """A name as the site keeps it: its white space made single blanks."""
    found = None if name is None else " ".join(name.split())
    if found == "":
        raise click.BadParameter("a run needs a name; leave --run out for that of the folder")
    return found


@click.command("submit", cls=SiteCommand, short_help="Check a run, send it, keep its receipts.")
@click.argument("run_dir", type=click.Path(path_type=Path))
@click.option("--task", required=True, metavar="SLUG", help="The task, as `scorer tasks` lists it.")
@click.option("--phase", metavar="SLUG", help="The phase; by default the only one that takes files.")
@click.option(
    "--run", metavar="NAME", callback=_one_line, help="The run's name; by default that of the folder."
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
    with asked_site(site, task) as found, stoppable() as stop:
        try:
            with stop.waiting():
                sending, empty = _prepare(found, run_dir, (task, phase, name), folder, yes=yes)
        except (KeyboardInterrupt, click.Abort):
            early = Stopped("stopped before a file was sent")
            click.echo(str(early), err=True)
            if format_ == "json":
                echo_json(SCHEMA, code=early.code, detail=str(early), sent="none")
            raise click.exceptions.Exit(stop.exit_code) from None
        tell_place(sending)
        refused = _send(sending, stop)
        kept = prove_receipts(found, sending.sent, save_receipts(sending.sent, folder), stop)
        rest = rest_of(sending, refused)
        if format_ == "json":
            echo_sent(sending, kept, refused, rest, empty)
        else:
            click.echo("".join(f"{line}\n" for line in outcome_lines(sending.sent, kept)), nl=False)
        tell_rest(rest)
        _raise_first(refused, [one.fault for one in kept if one.fault is not None])


def _prepare(
    site: "Connection", run_dir: Path, place: tuple[str, str | None, str], receipts: Path, *, yes: bool
) -> "tuple[RunUpload, list[str]]":
    """The files of a run, checked, for a task, a phase and a run of one's own; and the levels without one."""
    from scorer.client.files import require_writable
    from scorer.client.hosted import read_items, read_task, require_begun
    from scorer.client.run_folder import read_run_folder
    from scorer.client.uploads import check_files

    task, phase, name = place
    hosted = read_task(site, task)
    target = hosted.phase(phase)
    require_begun(target)
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
    return _sending(site, task, target, name, files, yes=yes), empty


def _send(sending: "RunUpload", stop: Stop) -> SiteError | None:
    """Send the files that are not there yet; gives what the site refused, or why that is not known."""
    try:
        with stop.waiting(), progress("Sending"):
            sending.send()
    except KeyboardInterrupt:
        return Stopped("stopped before the site had answered")
    except SiteError as error:
        return error
    return None


def _sending(
    site: "Connection",
    task: str,
    phase: Mapping[str, Any],
    name: str,
    files: "Sequence[RunFile]",
    *,
    yes: bool,
) -> "RunUpload":
    """The files on their way to one's run of this name, which is made if it is new: whoever sends agrees."""
    from scorer.client.times import for_people
    from scorer.client.uploads import RunUpload, find_run, make_run

    slug, is_open = str(phase["slug"]), phase["state"] == "open"
    run = find_run(site, task, slug, name)
    found = None if run is None else RunUpload(site, run, files, is_open=is_open)
    if found is None and not yes:
        otherwise = "Say so with --yes, or name another with --run"
        _confirm(f'There is no run "{name}" in {slug} yet. Make it?', otherwise)
    if phase["state"] == "grace" and (found is None or found.left):
        ends = for_people(phase["window"]["grace_ends"])
        late = f"{slug} takes files until {ends}, but as late ones, which never rank."
        if yes:
            click.echo(late, err=True)
        else:
            _confirm(f"{late} Send them?", "Say so with --yes")
    return found or RunUpload(site, make_run(site, task, slug, name), files, is_open=is_open)


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
        if isinstance(refused, Stopped):
            click.echo(str(refused), err=True)
            return
        raise refused
    problems = [each for fault in faults if isinstance(fault, DataError) for each in fault.problems]
    if problems:
        raise DataError(problems)
    if faults:
        raise faults[0]
