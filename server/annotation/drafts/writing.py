"""Writing the files of a drafted campaign.

numpy draws the tuples of best-worst scaling, and the site's processes do not load it: the command does.
"""

import sys
from collections.abc import Sequence

from scorer.campaigns.drafts.campaign_files import write_campaign_files
from scorer.campaigns.drafts.draft import CampaignDraft
from scorer.campaigns.drafts.units import read_draft_units
from server.annotation.campaigns.creation import PreparedCampaign, folder_of, prepare_campaign
from server.annotation.drafts.tables import UploadedTable
from server.core.child_processes import ProcessTimeout, run_process
from server.core.errors import InvalidFile
from server.core.i18n import _

COMMAND = (sys.executable, "-m", "scorer.cli", "bws", "tuples", "-", "--format", "tsv", "--size")
TIME_LIMIT = 30.0
"""The maximum time in which tuples are drawn, in seconds: those of 100,000 texts take about 20."""


def check_table(draft: CampaignDraft, table: UploadedTable) -> None:
    """Read all pairs or texts of a table by the columns of its draft.

    Raises:
        InvalidFile: with every problem of the table.
    """
    with table.rejecting():
        read_draft_units(draft, table.data)


def prepare_draft(draft: CampaignDraft, table: UploadedTable) -> PreparedCampaign:
    """Make a campaign of a draft and plan its rounds; does not access the database.

    Raises:
        InvalidFile: with every problem, or drawing the tuples takes too long.
    """
    with table.rejecting():
        files = write_campaign_files(draft, table.data, _draw_tuples)
    with folder_of(files.items()) as folder:
        return prepare_campaign(folder)


def _draw_tuples(keys: Sequence[str], size: int) -> str:
    try:
        return run_process((*COMMAND, str(size)), "\n".join(keys).encode(), timeout=TIME_LIMIT)
    except ProcessTimeout as error:
        words = _(
            "Drawing the tuples takes more than %(seconds)d seconds. Use fewer texts, or the command scorer "
            "campaign new.",
            seconds=TIME_LIMIT,
        )
        raise InvalidFile(words, (), 1) from error
