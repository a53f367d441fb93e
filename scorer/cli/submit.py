"""`scorer submit`: check a whole run, send it, and keep its receipts."""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scorer.cli._options import StrictCommand
from scorer.cli._progress import progress
from scorer.cli._site import asked_site, echo_json, site_options
from scorer.errors import DataError, Problem, ProofError, RequestError, SiteError

if TYPE_CHECKING:
    from scorer.client.site import Site
    from scorer.client.uploads import Sent

SCHEMA = "assay.submit/1"


@click.command("submit", cls=StrictCommand, short_help="Check a run, send it, keep its receipts.")
@click.argument("run_dir", type=click.Path(path_type=Path))
@click.option("--task", required=True, metavar="SLUG", help="The task, as `scorer tasks` lists it.")
@click.option("--phase", metavar="SLUG", help="The phase; by default the only one that takes files.")
@click.option("--run", metavar="NAME", help="The run's name; by default that of the folder.")
@click.option(
    "--receipts", type=click.Path(path_type=Path), metavar="DIR", help="By default RUN_DIR/receipts."
)
@click.option("--yes", is_flag=True, help="Make a new run without asking.")
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
    nothing is sent. What is sent is scored in the site's answer; its receipts are saved and verified.

    It is safe to run it again: a file whose answer was lost is not counted twice.

    \b
    Example:  scorer submit runs/quay --task clss-2014 --phase evaluation --run quay
              scorer submit runs/quay --task clss-2014 --yes --format json
    Exit:     0 good, 1 bad data or refused, 2 usage, 3 the site is away, 4 no good token
    """
    from scorer.client.hosted import read_items, read_task
    from scorer.client.run_folder import read_run_folder
    from scorer.client.uploads import check_files, send_files

    with asked_site(site) as found:
        hosted = read_task(found, task)
        target = hosted.phase(phase)
        levels = hosted.items_of(target)
        try:
            files = read_run_folder(run_dir, list(levels))
            items = read_items(found, hosted, [levels[file.level] for file in files])
            warnings = check_files(hosted, levels, items, files)
        except DataError as error:
            if format_ == "json":
                _echo_bad(error)
                raise click.exceptions.Exit(1) from error
            raise
        for warning in warnings:
            click.echo(f"warning: {warning}", err=True)
        own = _run_of(found, task, str(target["slug"]), run or run_dir.resolve().name, yes=yes)
        sent, refused = list["Sent"](), None
        try:
            with progress("Sending", len(files)) as advance:
                for one in send_files(found, own, files):
                    sent.append(one)
                    advance(1)
        except SiteError as error:
            refused = error
        kept = list(_keep(found, sent, receipts or run_dir / "receipts"))
        if format_ == "json":
            _echo_sent(found.address, own, sent, kept, refused)
        else:
            click.echo("".join(f"{line}\n" for line in _lines(sent, kept)), nl=False)
        if refused is not None:
            _tell_rest(sent, [file.level for file in files])
            raise refused
    if any(fault for _, fault in kept):
        raise ProofError(
            [Problem(path, None, "bad_receipt", fault) for path, fault in kept if path and fault]
        )


def _run_of(site: "Site", task: str, phase: str, name: str, *, yes: bool) -> dict[str, Any]:
    """One's run of this name, made if it is new."""
    from scorer.client.uploads import find_run, make_run

    found = find_run(site, task, phase, name)
    if found is not None:
        return found
    if not yes:
        question = f'There is no run "{name}" in {phase} yet. Make it?'
        if not sys.stdin.isatty():
            raise RequestError(f"{question} Say so with --yes, or name another with --run")
        click.confirm(question, abort=True, err=True)
    return make_run(site, task, phase, name)


def _keep(site: "Site", sent: list["Sent"], folder: Path) -> Iterator[tuple[str | None, str]]:
    """Save the receipts; yields the file of each, and what is wrong with it."""
    from scorer.client.receipts import keep_receipt, site_keys

    signed = [one.answer["receipt"] for one in sent]
    keys = site_keys(site) if any(signed) else None
    for one, text in zip(sent, signed, strict=True):
        if text is None or keys is None:
            yield None, ""
            continue
        run = str(one.file.path), one.file.data
        path, findings = keep_receipt(folder, int(one.answer["submission"]["id"]), text.encode(), keys, run)
        yield str(path), " ".join(each.text for each in findings if each.state == "fails")


def _lines(sent: list["Sent"], kept: list[tuple[str | None, str]]) -> Iterator[str]:
    """What came of each file, for people."""
    from scorer.client.problems import one_line
    from scorer.client.scores import outcome

    for one, (path, _) in zip(sent, kept, strict=True):
        notes = [
            *(["late"] if one.answer["submission"]["late"] else []),
            *([] if one.answer["counts"] else ["does not count"]),
            *([] if one.answer.get("new", True) else ["was there already"]),
        ]
        told = f" ({', '.join(notes)})" if notes else ""
        yield one_line(f"{one.file.level}: {outcome(one.answer)}{told}; receipt {path or 'none'}")
        for warning in one.answer["submission"]["warnings"]:
            yield one_line(f"warning: {one.file.level}: {warning}")


def _tell_rest(sent: list["Sent"], levels: list[str]) -> None:
    """Say which files did not come that far."""
    click.echo(f"stored: {', '.join(levels[: len(sent)]) or 'none'}", err=True)
    click.echo(f"not stored: {', '.join(levels[len(sent) :])}", err=True)


def _echo_bad(error: DataError) -> None:
    problems = [
        {"file": one.source, "line": one.line, "code": one.code, "message": one.message, "text": one.text}
        for one in error.problems
    ]
    echo_json(SCHEMA, sent=False, problems=problems, count=error.count)


def _echo_sent(
    address: str,
    run: Mapping[str, Any],
    sent: list["Sent"],
    kept: list[tuple[str | None, str]],
    refused: SiteError | None,
) -> None:
    files = [
        {"level": one.file.level, "file": str(one.file.path), "receipt_file": path, **one.answer}
        for one, (path, _) in zip(sent, kept, strict=True)
    ]
    names = {"id": run["run"]["id"], "name": run["run"]["name"]}
    echo_json(
        SCHEMA,
        sent=refused is None,
        site=address,
        run=names,
        files=files,
        refused=refused and refused.problem,
    )
