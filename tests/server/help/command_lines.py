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
    while isinstance(command, click.Group):
        name, *rest = rest
        subcommand = command.get_command(click.Context(command), name)
        assert subcommand is not None, line
        command = subcommand
    command.make_parser(click.Context(command)).parse_args(list(rest))


def list_names() -> set[str]:
    """The names of all commands, such as "scorer check"."""
    return {
        f"{program} {name}"
        for program, group in PROGRAMS.items()
        for name in group.list_commands(click.Context(group))
    }
