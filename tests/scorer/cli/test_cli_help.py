"""Every command of `scorer` says what it does, what each option is for, and how it exits."""

import re

import click
import pytest
from click.testing import CliRunner

from scorer.cli.__main__ import cli

with click.Context(cli) as _context:
    EVERY = {name: cli.get_command(_context, name) for name in cli.list_commands(_context)}
    EVERY |= {
        f"{name} {under}": found
        for name, group in EVERY.items()
        if isinstance(group, click.Group)
        for under, found in group.commands.items()
    }


def told(*arguments: str) -> str:
    result = CliRunner().invoke(cli, [*arguments, "--help"])
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


@pytest.mark.parametrize("name", EVERY)
def test_each_command_states_an_example_and_its_exit_codes(name: str) -> None:
    assert re.search(rf"^ +Example: +scorer {name}( |$)", told(*name.split()), re.MULTILINE)
    assert re.search(r"^ +Exit: +0 .*, 1 .*, 2 usage(, 3 .*, 4 .*)?$", told(*name.split()), re.MULTILINE), (
        f'end the docstring of `scorer {name}` with a line "Exit:  0 good, 1 bad data, 2 usage"'
    )


def test_the_group_states_its_exit_codes() -> None:
    assert re.search(r"Exit: +0 good\n +1 bad data.*\n +2 bad usage", told())


@pytest.mark.parametrize("name", EVERY)
def test_each_option_has_its_words(name: str) -> None:
    for parameter in EVERY[name].params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"scorer {name} {parameter.opts[0]}"


@pytest.mark.parametrize("name", EVERY)
def test_bad_usage_is_exit_2(name: str) -> None:
    result = CliRunner().invoke(cli, [*name.split(), "--nonsense"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "No such option" in result.stderr
