"""Writing the files of a drafted campaign, in a process with limits of memory and time.

The process loads numpy, which draws the tuples of best-worst scaling, and the site's processes do not.
"""

import json
from dataclasses import asdict

from scorer.campaigns.drafts.draft import CampaignDraft
from scorer.campaigns.drafts.units import read_draft_units
from scorer.errors import DataError
from server.annotation.campaigns.creation import (
    CampaignFile,
    PreparedCampaign,
    folder_of,
    prepare_campaign,
)
from server.annotation.drafts.process import COMMAND, MEMORY_LIMIT, OUT_OF_MEMORY, TIME_LIMIT
from server.annotation.drafts.tables import UploadedTable
from server.core.child_processes import ProcessFailed, ProcessInterrupted, run_process
from server.core.errors import FileProblem, InvalidFile
from server.core.i18n import _
from server.scoring.service import rejection_of


def check_table(draft: CampaignDraft, table: UploadedTable) -> None:
    """Read all pairs or texts of a table by the columns of its draft.

    Raises:
        InvalidFile: with every problem of the table.
    """
    try:
        read_draft_units(draft, table.data)
    except DataError as error:
        raise rejection_of(error, table.name, table.data) from error


def prepare_draft(draft: CampaignDraft, table: UploadedTable) -> PreparedCampaign:
    """Make a campaign of a draft and plan its rounds; does not access the database.

    Raises:
        InvalidFile: with every problem, or the table takes too much memory or time.
    """
    check_table(draft, table)
    request = {"draft": asdict(draft), "data": table.data.decode()}
    try:
        answer = json.loads(run_process(COMMAND, json.dumps(request).encode()))
    except ProcessInterrupted as error:
        raise _too_much() from error
    except ProcessFailed as error:
        if str(error) == OUT_OF_MEMORY:
            raise _too_much() from error
        raise
    if problems := answer["problems"]:
        words = _("A campaign cannot be made of %(file)s.", file=table.name)
        raise InvalidFile(words, [FileProblem(*problem) for problem in problems], len(problems))
    files = [CampaignFile(name, text.encode()) for name, text in answer["files"].items()]
    with folder_of(files) as folder:
        return prepare_campaign(folder)


def _too_much() -> InvalidFile:
    words = _(
        "Making the campaign takes more than %(memory)d MB of memory or %(seconds)d seconds. Use a smaller "
        "table, or the command scorer campaign new.",
        memory=MEMORY_LIMIT >> 20,
        seconds=TIME_LIMIT,
    )
    return InvalidFile(words, (), 1)
