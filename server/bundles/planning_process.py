"""The process that plans the import of an uploaded bundle first, with limits of memory and time.

Run as `python -m server.bundles.planning_process FOLDER [NAME]`. It returns no plan: planning gives the same
each time, so a bundle within these limits is safe in the process of the site, which then plans again and
reports its problems. That takes twice the time, but needs no format for plans.
"""

import sys
from contextlib import suppress
from pathlib import Path

from server.bundles.importing import plan_import
from server.bundles.upload_planning import describe_package
from server.core.child_processes import limited
from server.core.errors import ServerError


def main(folder: Path, name: str | None = None) -> None:
    """Plan the import of a bundle, or describe a package with this short name."""
    with limited(), suppress(ServerError):  # the site reports it
        if name is None:
            plan_import(folder, computes_baselines=False)
        else:
            describe_package(folder, name)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
