"""The `scorer` command. A subcommand is imported only when it is called, so that each starts fast."""

import os
import sys
from importlib import import_module
from io import TextIOWrapper

import click

from scorer._version import __version__
from scorer.errors import DataError, RequestError, ScorerError, SiteUnavailable, TokenError

_MODULES = (
    *(
        "score",
        "check",
        "baseline",
        "train",
        "bundle.bundle",
        "board",
        "changes",
        "compare",
        "power",
        "paper",
    ),
    *("annotation.agree", "annotation.adjudicate", "annotation.bias", "annotation.annotator_test"),
    "annotation.context",
    *(
        "annotation.rounds",
        "annotation.filter",
        "annotation.items",
        "annotation.split",
        "annotation.bws",
        "annotation.figures",
    ),
    *("annotation.dataset", "annotation.campaign", "annotation.assignments", "annotation.senses", "verify"),
    *("site.login", "site.logout", "site.tasks", "site.download", "site.submit", "site.status"),
    *("site.receipt", "site.standings"),
)
_COMMANDS = {module.rpartition(".")[2].replace("_", "-"): module for module in _MODULES}
"""The module of each command, in the order of `scorer --help`."""
_BAD_DATA, _INTERRUPTED = 1, 130


_EXIT_CODES = {RequestError: 2, SiteUnavailable: 3, TokenError: 4, ScorerError: _BAD_DATA}
"""The exit code of each kind of error. The first class that matches wins."""


class _LazyGroup(click.Group):
    """A command group that imports a subcommand when it is called and turns errors into exit codes."""

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
            message = f"{error}{_hint(error, ctx.invoked_subcommand)}"
            code = next(code for kind, code in _EXIT_CODES.items() if isinstance(error, kind))
            click.echo(message if isinstance(error, DataError) else f"Error: {message}", err=True)
            ctx.exit(code)


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.version_option(__version__, prog_name="scorer")
def cli() -> None:
    """Check, score and rank the runs of a shared task, and submit runs to a site.

    A run is one system of a team. It has one file for each level that the system enters. Line X of a run file
    has the score of item X, optionally followed by a tab and a confidence. A run file can also be a table
    with a header, whose columns you name with options. Use the file name "-" to read standard input. Results
    are written to standard output, everything else to standard error.

    \b
    Exit codes:
      0  success
      1  bad data, with the file and line of every problem; or the site rejected the request
      2  usage error
      3  the site is not available
      4  the token is missing or not valid
    """


def _hint(error: ScorerError, command: str | None) -> str:
    """Suggest options with which a rejected file can be read, for the commands that have them."""
    if not isinstance(error, DataError):
        return ""
    codes, notes = {problem.code for problem in error.problems}, []
    if "numeric_ids" in codes:
        notes.append("to confirm that the first column has the scores, add --first-is-score")
    reads_tables = command in ("score", "check", "compare")
    if reads_tables and "keyed_file" in codes:
        notes.append(
            "to match the rows of a table by id, name its columns with --id COLUMN and --score COLUMN"
        )
    if reads_tables and "no_header" in codes:
        notes.append(
            "to read a table without a header, add --no-header and give its columns by number, as in --id 1 "
            "--score 2" + ("" if command == "check" else "; name the column of the gold with --gold-score")
        )
    if reads_tables and any(
        problem.code == "confidence_range" and problem.count > 1 and problem.message.endswith(" from 0 to 1")
        for problem in error.problems
    ):
        notes.append("to read confidences from 0 to 100, add --confidence-max 100")
    return "".join(f"\nnote: {note}" for note in notes)


def main() -> None:
    """Run the command and exit with its exit code. No input ends in a traceback."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # matrices here are small: more threads only wait
    if isinstance(sys.stdout, TextIOWrapper):  # a file name may not be valid text; stderr escapes already
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
