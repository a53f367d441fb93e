"""`assay`: the command for operators, which does what the pages do and runs the site."""

import importlib
import os

import click

from server.core.config import ConfigError
from server.core.errors import InvalidFile, ServerError

COMMANDS = {
    "serve": "Serve the site with gunicorn.",
    "worker": "Work off jobs, such as mails.",
    "demo": "Serve a populated site for looking around.",
    "migrate": "Bring the database to this version's schema.",
    "sweep": "Remove files that no row names.",
    "backup": "Write the whole site to a file, while it runs; check such a file.",
    "restore": "Make the site that a backup is of.",
    "user": "Accounts: add, list, forget, confirm, password, 2nd factor, admins.",
    "task": "Tasks: import and export a bundle, list, people.",
    "team": "Teams: list, invite to one, approve, decline, name a captain.",
    "gold": "Gold versions: add, list, show what one would change, publish, drop.",
    "key": "Signing keys: show, begin a new one.",
    "release": "Boards: show, release or plan a release, show its names, withdraw it.",
    "audit": "The audit log: verify it.",
}


class CommandGroup(click.Group):
    """Loads a command's module when it is used; errors are printed in one line and set the exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002, D102
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002, D102
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"server.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002, D102
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> object:  # noqa: D102  (as click has it)
        try:
            return super().invoke(ctx)
        except ConfigError as error:
            click.echo(f"assay: {error}", err=True)
            ctx.exit(2)
        except InvalidFile as error:
            for problem in error.problems:
                click.echo(str(problem), err=True)
            click.echo(f"assay: {error.message} Nothing was changed.", err=True)
            ctx.exit(1)
        except ServerError as error:
            click.echo(f"assay: {error.message}", err=True)
            ctx.exit(1)


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.version_option(package_name="assay", prog_name="assay")
def main() -> None:
    """Run a shared task: hidden gold standard, scored runs, released leaderboards.

    Settings come from the environment (ASSAY_SECRET_KEY, ASSAY_DATA_DIR, ...), as deploy/env.example lists.

    \b
    Exit:  0 good, 1 bad data or refused, 2 usage or settings
    """


def run() -> None:
    """Run the command as a process whose files only its owner can read: they contain gold and hashes."""
    os.umask(0o077)
    main()


if __name__ == "__main__":
    run()
