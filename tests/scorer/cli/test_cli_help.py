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


def help_of(*arguments: str) -> str:
    result = CliRunner().invoke(cli, [*arguments, "--help"])
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


@pytest.mark.parametrize("name", EVERY)
def test_each_command_has_examples_and_exit_codes(name: str) -> None:
    text = help_of(*name.split())
    assert re.search(rf"^  Examples:\n    scorer {name}( |$)", text, re.MULTILINE)
    codes = r"^  Exit codes:\n    0  .*\n    1  .*\n    2  usage error\n(    3  .*\n    4  .*\n)?\n"
    assert re.search(codes, text, re.MULTILINE), f"list the exit codes in the docstring of `scorer {name}`"


@pytest.mark.parametrize("name", EVERY)
def test_each_command_starts_with_a_short_sentence(name: str) -> None:
    sentence = " ".join((EVERY[name].help or "").split("\n\n")[0].split())
    assert re.fullmatch(r"([^.]|[.]toml)+[.]", sentence)
    *group, last = name.split()
    listed = rf"^ +{last} +{re.escape(sentence)}$"
    assert re.search(listed, help_of(*group), re.MULTILINE), "the list of commands has this sentence, uncut"


def test_the_group_lists_its_exit_codes() -> None:
    assert re.search(r"Exit codes:\n +0  success\n +1  bad data.*\n +2  usage error", help_of())


@pytest.mark.parametrize("name", EVERY)
def test_each_option_has_a_description(name: str) -> None:
    for parameter in EVERY[name].params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"scorer {name} {parameter.opts[0]}"


@pytest.mark.parametrize("name", EVERY)
def test_usage_error_is_exit_2(name: str) -> None:
    result = CliRunner().invoke(cli, [*name.split(), "--nonsense"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "No such option" in result.stderr
