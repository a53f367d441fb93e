"""`scorer bundle`: starts and checks the folder of a task, and lists the keys of `task.toml`."""

import click

from scorer.cli.bundle import check, keys, new


@click.group("bundle")
def command() -> None:
    """Start and check the folder of a task.

    A task bundle is a folder with the items, the gold standard and a task.toml. `new` looks at a folder of
    data and writes a task.toml. `check` lists everything that is wrong with a bundle, and what a site would
    host. `keys` explains every key of task.toml.

    \b
    Examples:
      scorer bundle new FOLDER
      scorer bundle check FOLDER
      scorer bundle keys level

    \b
    Exit codes:
      0  success
      1  bad data
      2  usage error
    """


command.add_command(new.command)
command.add_command(check.command)
command.add_command(keys.command)
