"""The process that first reads an uploaded campaign and plans its rounds, with limits of memory and time.

Run as `python -m server.annotation.campaigns.planning_process FOLDER WORK`. FOLDER has the campaign; or it is
made there from what is in WORK: a table and its draft, or the export of a round and options. WORK gets the
plan of each round. The site then reads FOLDER again, which fits into these limits, and reports its
problems. Of the site this imports little, and no numpy for ratings, so that a small campaign is planned in
half a second.
"""

import json
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from scorer.campaigns.assignments import plan_round
from scorer.campaigns.drafts.campaign_files import write_campaign_files
from scorer.campaigns.drafts.next_stage import NextOptions, draft_next
from scorer.campaigns.reader import read_campaign
from scorer.errors import DataError, RequestError
from server.annotation.drafts.stored import read_draft
from server.core.child_processes import limited

TABLE, DRAFT = "table", "draft.json"
EXPORT, NEXT, NOTES = "export", "next.json", "notes.json"
TIME_LIMIT = 150
"""The maximum processor time in seconds; the hardest campaign takes 45 to 60."""


def main(folder: Path, work: Path) -> None:
    """Plan the rounds of a campaign."""
    with limited(TIME_LIMIT), suppress(DataError, RequestError):  # the site reports it
        for name, data in _write_files(work).items():
            (folder / name).write_bytes(data)
        for number, round_ in enumerate(read_campaign(folder).rounds):
            plan_path(work, number).write_bytes(plan_round(round_).to_json())


def _write_files(work: Path) -> Mapping[str, bytes]:
    """Write the files of a campaign that is made from a table or from an export."""
    if (work / DRAFT).exists():
        draft = read_draft(json.loads((work / DRAFT).read_bytes()))
        return write_campaign_files(draft, (work / TABLE).read_bytes())
    if (work / NEXT).exists():
        stage = draft_next(work / EXPORT, NextOptions(**json.loads((work / NEXT).read_bytes())))
        (work / NOTES).write_text(json.dumps(stage.notes), encoding="utf-8")
        return stage.files
    return {}


def plan_path(work: Path, number: int) -> Path:
    """Return where the plan of a round is written; the first round is 0."""
    return work / f"plan-{number}.json"


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
