"""Live boards: a phase that releases its board by itself when it changes, at most once a minute."""

import hashlib
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.orm import Session

from server import db
from server.domain.actors import WORKER
from server.models import Phase, Release
from server.services import boards, jobs, releases
from server.site import Site

APART = timedelta(minutes=1)
"""How far two live releases of a phase are apart."""
RELEASE = "board.release"


def note_change(session: Session, phase: Phase, now: datetime) -> None:
    """Have the board released soon, if the phase releases it by itself; a job for each change is too many."""
    if phase.board != "live":
        return
    newest = releases.find_newest(session, phase)
    due = now if newest is None else max(now, newest.release.made_at + APART)
    jobs.add_job(session, RELEASE, {"phase": phase.id}, now, due_at=due, key=f"{RELEASE}:{phase.id}")


def release_live(session: Session, phase: Phase, now: datetime) -> Release | None:
    """Release the board with what the feedback shows; None if there is nothing new to show, or no right to.

    A release that an organizer made, or withdrew, stays what the public sees: a live one does not replace it.
    """
    newest = releases.find_newest(session, phase)
    by_hand = newest is not None and (newest.withdrawal is not None or newest.release.feedback is None)
    if phase.board != "live" or phase.feedback == "hidden" or by_hand:
        return None
    if newest is not None and now < newest.release.made_at + APART:
        note_change(session, phase, now)
        return None
    board = boards.shown_board(session, phase)
    text = boards.as_text(board, phase)
    empty = not (board.official or board.late or board.baselines)
    if empty or (newest is not None and newest.shows(hashlib.sha256(text.encode()).hexdigest())):
        return None
    return releases.add_release(session, WORKER, phase, text, now, phase.feedback)


def make_release(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
    """The job: release the board of its phase."""
    session = site.session()
    with db.writing(session):
        release_live(session, session.get_one(Phase, payload["phase"]), now)
