"""The `scorer` command. Subcommands are imported when they are called, so that each starts fast."""

import os
import sys
from importlib import import_module
from io import TextIOWrapper

import click

from scorer._version import __version__
from scorer.errors import DataError, RequestError, ScorerError, SiteUnavailable, TokenError

_COMMANDS = {
    "score": "score",
    "check": "check",
    "baseline": "baseline",
    "board": "board",
    "changes": "changes",
    "compare": "compare",
    "power": "power",
    "agree": "annotation.agree",
    "adjudicate": "annotation.adjudicate",
    "context": "annotation.context",
    "rounds": "annotation.rounds",
    "filter": "annotation.filter",
    "items": "annotation.items",
    "split": "annotation.split",
    "bws": "annotation.bws",
    "verify": "verify",
    "login": "site.login",
    "logout": "site.logout",
    "tasks": "site.tasks",
    "download": "site.download",
    "submit": "site.submit",
    "status": "site.status",
    "receipt": "site.receipt",
    "standings": "site.standings",
}
"""The module of each command, in the order of `scorer --help`."""
_BAD_DATA, _INTERRUPTED = 1, 130


_EXIT_CODES = {RequestError: 2, SiteUnavailable: 3, TokenError: 4, ScorerError: _BAD_DATA}
"""The exit code of what is refused: that of the first class which it is of."""


class _LazyGroup(click.Group):
    """Imports a subcommand when it is called, and turns what the scorer refuses into an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click passes it)
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002  (the same)
        if name not in _COMMANDS:
            return None
        command: click.Command = import_module(f"scorer.cli.{_COMMANDS[name]}").command
        return command

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except ScorerError as error:
            words = f"{error}{_hint(error, ctx.invoked_subcommand)}"
            code = next(code for kind, code in _EXIT_CODES.items() if isinstance(error, kind))
            click.echo(words if code == _BAD_DATA else f"Error: {words}", err=True)
            ctx.exit(code)


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.version_option(__version__, prog_name="scorer")
def cli() -> None:
    """Check and score the runs of a shared task, rank its systems, and take part in it from here.

    A run is a text file whose line X holds the score of item X, optionally followed by a tab and a
    confidence; or a table with a header, whose columns you name. The file name "-" is standard input.
    Results go to standard output, everything else to standard error.

    \b
    Exit:  0 good
           1 bad data; every problem is listed with its file and line
           2 bad usage
           3 the site does not answer
           4 no token, or one that the site does not take
    """


def _hint(error: ScorerError, command: str | None) -> str:
    """The options that read a file which is refused without them, for the commands that have them."""
    if not isinstance(error, DataError) or command not in ("score", "check", "compare"):
        return ""
    notes = []
    if any(problem.code == "keyed_file" for problem in error.problems):
        notes.append(
            "a keyed file is read as such if you name its columns with --id COLUMN and --score COLUMN"
        )
    if any(
        problem.code == "confidence_range" and problem.count > 1 and problem.message.endswith(" from 0 to 1")
        for problem in error.problems
    ):
        notes.append("confidences from 0 to 100 are read with --confidence-max 100")
    return "".join(f"\nnote: {note}" for note in notes)


def main() -> None:
    """Run the command and leave with its exit code; no input ends in a traceback."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # products here are small: more threads only wait
    if isinstance(sys.stdout, TextIOWrapper):  # a file's name may be no text; standard error does the same
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code = cli.main(prog_name="scorer", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except click.Abort:
        code = _INTERRUPTED
    except OSError as error:
        what = error.filename or "the results"
        click.echo(f"Error: {what} cannot be written: {error.strerror}", err=True)
        code = _BAD_DATA
    sys.exit(code)


if __name__ == "__main__":
    main()
