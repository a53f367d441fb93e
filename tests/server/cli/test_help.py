import re
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

from server.cli.__main__ import COMMANDS, main
from tests.server.commands import Assay

pytestmark = pytest.mark.one_database


def commands(
    command: click.Command, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        with click.Context(command) as context:
            for name in command.list_commands(context):
                inner = command.get_command(context, name)
                assert inner is not None, (*path, name)
                yield from commands(inner, (*path, name))


EVERY = dict(commands(main))


def test_help_lists_exactly_the_designed_commands() -> None:
    paths = {" ".join(path) for path in EVERY}
    assert paths >= {
        "serve", "demo", "migrate", "user add", "user list", "user password", "user admin", "task import",
        "task export", "task list", "task organizer", "task people", "gold add", "gold list", "gold show",
        "gold publish", "gold drop", "team list", "team invite",
        "team approve", "team decline", "team captain", "release add", "release show", "release list",
        "release withdraw",
    }  # fmt: skip


@pytest.mark.parametrize("path", EVERY, ids=" ".join)
def test_each_command_has_help_with_a_sentence_for_each_option(assay: Assay, path: tuple[str, ...]) -> None:
    result = assay(*path, "--help")
    assert (result.exit_code, result.stderr) == (0, "")
    assert EVERY[path].help
    for parameter in EVERY[path].params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{' '.join(path)} {parameter.opts[0]}"
    assert assay(*path, "-h").stdout == result.stdout


@pytest.mark.parametrize("path", EVERY, ids=" ".join)
def test_each_command_states_its_exit_codes(assay: Assay, path: tuple[str, ...]) -> None:
    help_text = assay(*path, "--help").stdout
    assert re.search(r"^ +Exit: +0 .*, 2 (usage|settings)", help_text, re.MULTILINE), (
        f"`assay {' '.join(path)} --help` does not say how it exits: end its docstring with a line "
        '"Exit:  0 success, 1 error, 2 usage or settings", below a line of its own with \\b'
    )


@pytest.mark.parametrize("path", [path for path in EVERY if path], ids=" ".join)
def test_list_of_commands_has_the_first_sentence_of_each_command_uncut(
    assay: Assay, path: tuple[str, ...]
) -> None:
    paragraph = " ".join((EVERY[path].help or "").split("\n\n")[0].split())
    sentence = re.split(r"(?<=[.]) (?=[A-Z])", paragraph)[0]
    assert re.search(
        rf"^ +{path[-1]} +{re.escape(sentence)}$", assay(*path[:-1], "--help").stdout, re.MULTILINE
    )
    assert len(path) > 1 or COMMANDS[path[0]] == sentence


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["user", "add"], ["task", "import", "/no/such/path"], ["release", "add", "x"]]
)
def test_usage_error_exits_2_and_points_to_help(assay: Assay, arguments: list[str]) -> None:
    result = assay(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Usage:" in result.stderr
    assert "Error:" in result.stderr


def test_version_option_prints_the_version() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "server.cli", "--version"], capture_output=True, text=True, check=True
    )
    assert re.fullmatch(r"assay, version \d+\.\d+\.\d+\S*\n", done.stdout)


@pytest.mark.parametrize(
    "code",
    [
        "from server.cli import run; run()",
        "import click; from server.core.child_processes import limited; limited().__enter__(); print()",
    ],
)
def test_process_ends_without_looking_for_garbage(code: str) -> None:
    note = "import atexit, gc; atexit.register(lambda: print(gc.get_freeze_count() > 1000)); "
    command = [sys.executable, "-c", note + code, "--version"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.endswith("\nTrue\n")


def test_help_loads_no_part_of_the_site() -> None:
    code = (
        "import sys; import server.cli.__main__; sys.exit('flask' in sys.modules or 'scipy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_worker_does_not_load_pages() -> None:
    code = (
        "import sys; from server.cli.__main__ import main; main.get_command(None, 'worker'); "
        "import server.worker; sys.exit('server.app' in sys.modules or 'apiflask' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
