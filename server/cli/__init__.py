"""The `assay` command, one file per group: parse, call one service, print."""

import sys


def run() -> None:
    """Run the command, or say that the server is missing: the scorer from a site is installed without it."""
    try:
        from server.cli.__main__ import run as start
    except ModuleNotFoundError as error:
        sys.exit(
            f"assay runs a site, and {error.name} is not installed here, as it is not where the scorer alone "
            'is: install the extra "server" too. To check and send runs, use `scorer`.'
        )
    start()
