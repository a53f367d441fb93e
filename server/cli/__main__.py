"""`assay`: the command for operators, which does what the pages do and runs the site."""

import atexit
import gc
import importlib
import os

import click

from server.core.config import ConfigError
from server.core.errors import InvalidFile, ServerError

COMMANDS = {
    "serve": "Serve the site on ASSAY_HOST and ASSAY_PORT.",
    "worker": "Run background jobs, such as sending emails.",
    "health": "Ask the running site whether it is ready.",
    "demo": "Serve a demo site with sample data.",
    "migrate": "Migrate the database to this version's schema.",
    "sweep": "Remove orphaned files.",
    "backup": "Back up the whole site to a file, or check a backup.",
    "restore": "Restore the site from a backup.",
    "user": "Manage accounts and site administrators.",
    "task": "Import, publish, archive, copy and list tasks, and give roles.",
    "team": "Manage teams: their approval, invitations, captains and members.",
    "phase": "Show and add the phases of a task, and extend deadlines.",
    "announcement": "List, send, edit and pin announcements.",
    "campaign": "Manage annotation campaigns, their links and results.",
    "gold": "Manage gold versions: add, list, preview, put in force, discard.",
    "key": "Show the signing keys, or create a new one.",
    "release": "Show, release, schedule or withdraw leaderboards.",
    "audit": "Verify the activity log.",
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
    """Run a site for shared tasks: hidden gold standards, scored runs, released leaderboards.

    Assay reads its settings from environment variables (ASSAY_SECRET_KEY, ASSAY_DATA_DIR, ...). The file
    deploy/env.example lists them.

    \b
    Exit:  0 success, 1 invalid data or other error, 2 usage or settings
    """


def run() -> None:
    """Run the command as a process whose files only its owner can read: they contain gold and hashes."""
    os.umask(0o077)
    gc.set_threshold(50_000, 20, 50)  # imports leave no garbage, and looking for it takes a sixth of a start
    atexit.register(gc.freeze)  # nor at the end, where it takes a third of most commands
    main()


if __name__ == "__main__":
    run()
