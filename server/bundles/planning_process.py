"""The process that plans the import of an uploaded bundle first, with limits of memory and time.

Run as `python -m server.bundles.planning_process FOLDER`. It hands nothing back: planning gives the same each
time, so what fits into the limits here fits into the process of the site, which then plans once more and says
what is wrong with the bundle. That takes twice the time, and spares a format for handing over plans.
"""

import resource
import sys
from pathlib import Path

from server.bundles.importing import plan_import
from server.bundles.upload_planning import EXIT_NO_MEMORY, MEMORY_LIMIT, TIME_LIMIT
from server.core.errors import ServerError


def main(folder: Path) -> None:
    """Plan the import of a bundle."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    resource.setrlimit(resource.RLIMIT_CPU, (TIME_LIMIT, TIME_LIMIT))  # where nobody waits for it any more
    try:
        plan_import(folder)
    except ServerError:
        pass  # the site says so
    except MemoryError:
        sys.exit(EXIT_NO_MEMORY)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
