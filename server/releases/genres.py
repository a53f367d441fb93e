"""Values by genre of releases by hand: computed with what is inferred of them, by the same job."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.boards.genres import GenreTable, read_genres
from server.core.errors import NotFound
from server.core.i18n import _
from server.releases.models import Inference


def find_of(session: Session, release_id: int, board_sha256: str) -> GenreTable | None:
    """The values by genre of a release's board; None: they are not computed, or not public."""
    text = _find_text(session, release_id, board_sha256)
    return None if text is None else read_genres(text)


def get_text(session: Session, release_id: int, board_sha256: str) -> str:
    """The JSON of a release's values by genre.

    Raises:
        NotFound: they are not computed, or not public.
    """
    text = _find_text(session, release_id, board_sha256)
    if text is None:
        raise NotFound(_("This release has no values by genre, or not yet."))
    return text


def _find_text(session: Session, release_id: int, board_sha256: str) -> str | None:
    own = Inference.release_id == release_id, Inference.board_sha256 == board_sha256
    return session.scalar(select(Inference.genres).where(*own))
