"""Parses commands that README and help show, with the parsers of the commands themselves."""

import shlex

import click

from scorer.cli.__main__ import cli as scorer_commands
from server.cli.__main__ import main as assay_commands

PROGRAMS: dict[str, click.Group] = {"scorer": scorer_commands, "assay": assay_commands}


def parse(line: str) -> None:
    """Fail unless the line is a command that exists, with options and arguments that it takes."""
    program, *rest = shlex.split(line.partition(" > ")[0], comments=True)
    command: click.Command = PROGRAMS[program]
    context = click.Context(command, **command.context_settings)
    while isinstance(command, click.Group):
        name, *rest = rest
        subcommand = command.get_command(context, name)
        assert subcommand is not None, line
        command = subcommand
        # With its group, because a command remembers the names of the option for help that it had first.
        context = click.Context(command, parent=context, **command.context_settings)
    command.make_parser(context).parse_args(list(rest))


def list_names() -> set[str]:
    """The names of all commands, such as "scorer check"."""
    return {
        f"{program} {name}"
        for program, group in PROGRAMS.items()
        for name in group.list_commands(click.Context(group))
    }
