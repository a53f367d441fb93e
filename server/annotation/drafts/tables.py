"""A table of pairs or a list of texts between its upload and its campaign.

It is in the file store under its hash, and no row refers to it, so that the sweep deletes it a day after the
last visit. A signed name of it in the page's address is valid for one person and one task.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from itsdangerous import BadSignature, URLSafeSerializer
from sqlalchemy.orm import Session

from scorer.campaigns.drafts.draft import CampaignDraft, draft_campaign
from scorer.campaigns.drafts.units import read_draft_units
from scorer.errors import DataError
from scorer.files.tables import Delimiter
from server.access import service as access
from server.core.actors import Actor
from server.core.errors import NotFound
from server.core.identity import get_identity
from server.core.storage import storage_of
from server.core.zips import MEGABYTE
from server.scoring.service import rejection_of
from server.tasks.models import Task

SMALL_LINES = 10_000
NAME_LENGTH = 60
"""A name of so many characters can be that of a file."""


@dataclass(frozen=True, slots=True)
class UploadedTable:
    """A table and its name."""

    name: str
    data: bytes

    @property
    def is_small(self) -> bool:
        """Whether a page can read all of it; a job reads the others, when a campaign is created from them."""
        return len(self.data) <= MEGABYTE and self.data.count(b"\n") + self.data.count(b"\r") <= SMALL_LINES

    def draft(self, delimiter: Delimiter | None = None) -> CampaignDraft:
        """Guess what the table is by its first rows; by default its delimiter, too.

        Raises:
            InvalidFile: with every problem that keeps its first rows from being shown.
        """
        with self.rejecting():
            return draft_campaign(self.data, self.name, delimiter)

    @contextmanager
    def rejecting(self) -> Iterator[None]:
        """Raise InvalidFile for what the scorer finds wrong with the table."""
        try:
            yield
        except DataError as error:
            raise rejection_of(error, self.name, self.data) from error


def check_table(draft: CampaignDraft, table: UploadedTable) -> None:
    """Read all pairs or texts of a table by the columns of its draft.

    Raises:
        InvalidFile: with every problem of the table.
    """
    with table.rejecting():
        read_draft_units(draft, table.data)


def keep_table(session: Session, actor: Actor, task: Task, table: UploadedTable) -> str:
    """Store a table, and return the signed name by which its page finds it again.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: the task is archived.
    """
    access.require_organizer(session, actor, task)
    access.require_not_archived(task)
    return sign_table(session, actor, task, storage_of(session).put(table.data), table.name)


def sign_table(session: Session, actor: Actor, task: Task, sha256: str, name: str) -> str:
    """Return the signed name of a table that this person uploaded."""
    signed = _signer(session).dumps([task.id, actor.user_id, sha256, name[-NAME_LENGTH:]])
    return signed if isinstance(signed, str) else signed.decode("ascii")


def get_table(session: Session, actor: Actor, task: Task, signed: str) -> UploadedTable:
    """Return a table that this person uploaded for the task, which stays stored for another day.

    Raises:
        Forbidden: `actor` does not organize the task.
        NotFound: the signed name is not the site's, or another person's or task's, or the table was deleted.
    """
    access.require_organizer(session, actor, task)
    try:
        task_id, user_id, sha256, name = _signer(session).loads(signed)
    except (BadSignature, ValueError, TypeError):
        task_id, user_id, sha256, name = None, None, "", ""
    if (task_id, user_id) != (task.id, actor.user_id) or not storage_of(session).renew(sha256):
        raise NotFound.of("The uploaded table is no longer there. Upload it again.")
    return UploadedTable(name, storage_of(session).get(sha256))


def _signer(session: Session) -> URLSafeSerializer:
    return URLSafeSerializer(get_identity(session).secret_key, salt="assay uploaded table")
