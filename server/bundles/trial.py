"""The process that plans the import of an uploaded bundle first, with limits of memory and time.

Run as `python -m server.bundles.trial FOLDER`. It hands nothing back: planning gives the same each
time, so what fits into the limits here fits into the process of the site, which then plans once more and says
what is wrong with the bundle. That takes twice the time, and spares a format for handing over plans.
"""

import resource
import sys
from pathlib import Path

from server.bundles.importing import plan_import
from server.bundles.uploaded import MEMORY, NO_MEMORY, SECONDS
from server.core.errors import ServerError


def main(folder: Path) -> None:
    """Plan the import of a bundle."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))  # where nobody waits for it any more
    try:
        plan_import(folder)
    except ServerError:
        pass  # the site says so
    except MemoryError:
        sys.exit(NO_MEMORY)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
