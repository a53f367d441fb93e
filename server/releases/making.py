"""Making releases: a copy of a board as it stands, named or with letters, with its rules and files."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.access import service as access
from server.audit import service as audit
from server.boards import service as boards
from server.core.actors import Actor
from server.core.dates import clock_words
from server.core.errors import Conflict
from server.core.i18n import _
from server.inferences import inputs as inference_inputs
from server.phases import windows
from server.phases.feedback import Feedback
from server.phases.models import Phase
from server.releases import files as release_files
from server.releases import inferences, pseudonyms, seals
from server.releases import opening as gold_opening
from server.releases import stored_rules as release_rules
from server.releases.models import Release, ReleaseNaming
from server.releases.seals import hash_of
from server.releases.service import find_newest
from server.submissions import follow_up_jobs


@dataclass(frozen=True, slots=True)
class ReleaseOptions:
    """How a board is to be released: without names, with the gold of its items, with a word to readers."""

    anonymous: bool = False
    opens_gold: bool = False
    note: str | None = None
    """What readers are told about it."""


PLAIN = ReleaseOptions()


@dataclass(frozen=True, slots=True)
class BoardCopy:
    """What a release keeps; `named_board`: of an anonymous one, the board with the names."""

    board: str
    named_board: str | None = None
    files: list[dict[str, Any]] | None = None
    opens_gold: bool = False
    note: str | None = None


def release_board(
    session: Session, actor: Actor, phase: Phase, now: datetime, manner: ReleaseOptions = PLAIN
) -> Release:
    """Publish the board of a phase as it stands now; raises as `make_release` does.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
    """
    access.require_organizer(session, actor, phase.task)
    return make_release(session, actor, phase, now, manner)


def make_release(
    session: Session, actor: Actor, phase: Phase, now: datetime, manner: ReleaseOptions
) -> Release:
    """A release by hand or by plan; the caller has the right to. All is asked before anything is written.

    Raises:
        Conflict: the board is empty, the newest release by hand shows the same, the letters of an anonymous
            one are known already, or gold is to be opened that may not be.
    """
    held = windows.baselines_hidden_until(session, phase, now)
    baselines = held is None
    named = boards.board_text(session, phase, baselines=baselines)
    _require_rows(phase, named, held)
    require_possible(session, phase, manner, now)
    _require_news(session, phase, named, manner)
    if manner.opens_gold:
        gold_opening.open_gold(session, actor, phase, now)
    names = pseudonyms.name_runs(session, phase) if manner.anonymous else None
    text = boards.board_text(session, phase, baselines=baselines, names=names) if manner.anonymous else named
    copy = BoardCopy(
        board=text,
        named_board=named if manner.anonymous else None,
        files=release_files.list_files(session, phase, names, baselines=baselines),
        opens_gold=manner.opens_gold,
        note=manner.note or None,
    )
    release = add_release(session, actor, phase, copy, now)
    inputs = inference_inputs.collect_inputs(session, phase, baselines=baselines, names=names)
    inferences.note_release(session, release, inputs, now)
    for other in windows.list_phases_on_items(session, phase.task_id, phase.split):
        follow_up_jobs.add_follow_up_jobs(session, other, now)
    return release


def require_possible(session: Session, phase: Phase, manner: ReleaseOptions, at: datetime) -> None:
    """Let a manner of release pass that may be at an instant, whatever the board is then.

    Raises:
        Conflict: the letters of an anonymous one are known, or gold is to be opened that may not be.
    """
    known = select(Release.number).join(ReleaseNaming, ReleaseNaming.release_id == Release.id)
    number = session.scalar(known.where(Release.phase_id == phase.id).limit(1))
    if manner.anonymous and number is not None:
        raise Conflict(
            _(
                "Release %(number)d shows whose letters are whose, so an anonymous release would hide "
                "nothing.",
                number=number,
            )
        )
    if manner.opens_gold:
        gold_opening.require_may_open(session, phase, at)


def _require_rows(phase: Phase, text: str, held: datetime | None) -> None:
    values = json.loads(text)
    if not (values["official"] or values["late"] or values["baselines"]):
        if held is None:
            raise Conflict(
                _("There is nothing to release: no run of %(phase)s has a file.", phase=phase.title)
            )
        raise Conflict(
            _(
                "There is nothing to release: no run of %(phase)s has a file, and baselines wait for %(at)s.",
                phase=phase.title,
                at=clock_words(held),
            )
        )


def _require_news(session: Session, phase: Phase, named: str, manner: ReleaseOptions) -> None:
    """Let pass what the newest release by hand does not show; opening the gold is news too."""
    newest = find_newest(session, phase)
    if newest is None or newest.withdrawal is not None or not newest.by_hand or manner.opens_gold:
        return
    same = (newest.release.named_sha256 or newest.release.sha256) == hash_of(named)
    if same and newest.anonymous == manner.anonymous:
        raise Conflict(_("Release %(number)d shows just this board already.", number=newest.release.number))
    if same and newest.anonymous:
        raise Conflict(
            _(
                "Release %(number)d is just this board without names; show its names instead.",
                number=newest.release.number,
            )
        )


def add_release(
    session: Session,
    actor: Actor,
    phase: Phase,
    copy: BoardCopy,
    now: datetime,
    feedback: Feedback | None = None,
) -> Release:
    """A release whose right to be there was established by the caller; with `feedback`: of a live board."""
    newest = find_newest(session, phase)
    named = copy.named_board
    release = Release(
        phase_id=phase.id,
        number=1 if newest is None else newest.release.number + 1,
        board=copy.board,
        sha256=hash_of(copy.board),
        named_board=named,
        named_sha256=None if named is None else hash_of(named),
        rules=release_rules.rules_of(session, phase, now, opens_gold=copy.opens_gold),
        files=copy.files,
        opens_gold=copy.opens_gold,
        feedback=feedback,
        note=copy.note,
        made_by=actor.user_id,
        made_at=now,
    )
    session.add(release)
    session.flush()
    manner = {"anonymous": release.anonymous, "opens_gold": release.opens_gold, "note": copy.note is not None}
    entry = audit.record(
        session,
        actor,
        now,
        "release.add" if feedback is None else "release.live",
        phase.task_id,
        phase=phase.slug,
        number=release.number,
        sha256=release.sha256,
        statement=True,
        **{name: True for name, held in manner.items() if held},
    )
    seals.seal_release(session, phase, release, entry, now)
    return release
