"""The process that writes the files of a drafted campaign: reads a draft and its table as JSON, prints JSON.

It knows no database and no storage, and ends early if it takes too much memory or time.
"""

import json
import sys
from collections.abc import Mapping
from typing import Any

from scorer.bundles.bundle import ScaleSpec
from scorer.bundles.drafts.items_preview import ItemsPreview
from scorer.campaigns.drafts.campaign_files import write_campaign_files
from scorer.campaigns.drafts.draft import CampaignDraft
from scorer.errors import DataError
from server.core.child_processes import limit_resources

COMMAND = (sys.executable, "-m", "server.annotation.drafts.process")
MEMORY_LIMIT = 1 << 30
"""The maximum address space of the process."""
TIME_LIMIT = 30
"""Its maximum time on the processor, in seconds: 100,000 texts take about 20."""
OUT_OF_MEMORY = "out of memory"
"""What the process prints before it ends."""


def write_files(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the files of a campaign by their names, or the problems because of which there are none."""
    try:
        files = write_campaign_files(_read_draft(request["draft"]), request["data"].encode())
    except DataError as error:
        rows = [(problem.source, problem.line, problem.code, problem.message) for problem in error.problems]
        return {"problems": rows}
    return {"problems": [], "files": {name: data.decode() for name, data in files.items()}}


def _read_draft(values: Mapping[str, Any]) -> CampaignDraft:
    labels = {
        language: {float(point): label for point, label in points.items()}
        for language, points in values["labels"].items()
    }
    layout, scale = ItemsPreview(**values["layout"]), ScaleSpec(**values["scale"])
    return CampaignDraft(**{**values, "layout": layout, "scale": scale, "labels": labels})


def main() -> None:
    """Answer one request."""
    limit_resources(MEMORY_LIMIT, TIME_LIMIT)
    try:
        json.dump(write_files(json.load(sys.stdin)), sys.stdout)
    except MemoryError:
        sys.exit(OUT_OF_MEMORY)


if __name__ == "__main__":
    main()
