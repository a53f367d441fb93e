"""The `assay` command, one file per group: parse, call one service, print."""

import sys


def run() -> None:
    """Run the command, or say that the server is missing: the scorer from a site is installed without it."""
    try:
        from server.cli.__main__ import run as start
    except ModuleNotFoundError as error:
        sys.exit(
            f"assay: {error.name} is not installed. `assay` runs a site, and needs the extra "
            '"server" of this package. To check and upload runs, use `scorer`.'
        )
    start()
