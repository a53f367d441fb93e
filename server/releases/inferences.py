"""Inferences of leaderboards and their values by genre: queued on changes, and read for pages.

`inference_job` computes them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Literal

from sqlalchemy import Select, delete, select
from sqlalchemy.orm import Session, undefer

from server.boards.genres import GenreTable, read_genres
from server.boards.inference_json import BoardInference, read_inference, read_inference_values
from server.core.cache import CacheByHash
from server.core.errors import require_found
from server.core.i18n import _
from server.gold.models import GoldVersion
from server.jobs import service as jobs
from server.phases.models import Phase
from server.releases.models import Inference, Release
from server.submissions.follow_up_jobs import INFERENCE_DELAY, INFERENCE_JOB, draft_key, make_draft_job

Inputs = dict[str, Any]
"""The gold versions and files of a leaderboard, from `inference_inputs`."""
InferenceState = Literal["there", "computing", "failed"]


@dataclass(frozen=True, slots=True)
class InferenceView:
    """An inference for a page; `error`: why its job failed, for organizers."""

    state: InferenceState
    shown: BoardInference | None
    made_at: datetime | None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class StoredInference:
    """The row of an inference without its long texts; `made_at` is None until it is computed."""

    id: int
    sha256: str | None
    made_at: datetime | None
    has_genres: bool


@dataclass(frozen=True, slots=True)
class InferenceStatus:
    """Whether there is an inference; `version` changes when its contents do; None: nothing yet."""

    state: InferenceState
    version: str | None


def queue_draft(session: Session, phase: Phase, now: datetime) -> None:
    """Queue the leaderboard that organizers see, with a delay that includes further changes."""
    jobs.add_jobs(session, [make_draft_job(phase, now)], now)


def queue_candidate(session: Session, phase: Phase, version: GoldVersion, now: datetime) -> None:
    """Queue the leaderboard under a gold candidate, to be computed once every file has a score against it."""
    payload, key = {"draft": phase.id, "gold": version.id}, _candidate_key(phase, version.id)
    jobs.add_job(session, INFERENCE_JOB, payload, now, due_at=now + INFERENCE_DELAY, key=key)


def queue_release(session: Session, release: Release, inputs: Inputs, now: datetime) -> None:
    """Store the inputs of a manual release in its transaction, and queue its inference."""
    _queue(session, release, release.sha256, inputs, now)


def queue_genres(session: Session, inference_id: int, now: datetime) -> None:
    """Queue the values by genre that an imported release lacks."""
    jobs.add_job(session, INFERENCE_JOB, {"genres": inference_id}, now, key=genres_key(inference_id))


def genres_key(inference_id: int) -> str:
    """Return the key of the job that adds values by genre."""
    return f"{INFERENCE_JOB}:genres:{inference_id}"


def queue_named_release(session: Session, release: Release, now: datetime) -> None:
    """Queue an anonymous release again with its names, from the files of its own time."""
    own = _select_inference(release.id, release.sha256)
    inputs = session.scalar(own.with_only_columns(Inference.inputs))
    existing = release.named_sha256 is not None and find_inference(session, release.id, release.named_sha256)
    if inputs is None or release.named_sha256 is None or existing:
        return
    systems = [{**system, **system.get("named", {})} for system in inputs["systems"]]
    _queue(session, release, release.named_sha256, {**inputs, "systems": systems}, now)


def queue_live_release(session: Session, release: Release, inputs: Inputs, now: datetime) -> None:
    """Store the inputs of a live release and queue it; delete the inferences of earlier live ones."""
    live = select(Release.id).where(Release.phase_id == release.phase_id, Release.feedback.is_not(None))
    session.execute(delete(Inference).where(Inference.release_id.in_(live)))
    _add(session, release, release.sha256, inputs, now)
    payload, key = {"live": release.phase_id}, f"{INFERENCE_JOB}:live:{release.phase_id}"
    jobs.add_job(session, INFERENCE_JOB, payload, now, due_at=now + INFERENCE_DELAY, key=key)


def find_inference(session: Session, release_id: int, board_sha256: str) -> InferenceView | None:
    """Return the inference of a release's leaderboard; None: none was ever requested."""
    row = session.scalar(_select_inference(release_id, board_sha256))
    return None if row is None else _view_of_row(session, row, _release_key(row.id))


def get_status(session: Session, stored: StoredInference) -> InferenceStatus:
    """Return whether an inference is computed; jobs are queried only if it is not."""
    if stored.made_at is not None:
        return InferenceStatus("there", f"{stored.id} {stored.sha256} {stored.has_genres}")
    error = jobs.find_error(session, _release_key(stored.id))
    return InferenceStatus("computing" if error is None else "failed", None)


def get_text(session: Session, release_id: int, board_sha256: str) -> str:
    """Return the JSON of a release's inference.

    Raises:
        NotFound: it is not computed.
    """
    words = _("No confidence intervals or significance tests have been computed for this release.")
    return require_found(find_text(session, release_id, board_sha256), words)


def find_text(session: Session, release_id: int, board_sha256: str) -> str | None:
    """Return the JSON of a release's inference; None: it is not computed."""
    row = session.scalar(_select_inference(release_id, board_sha256).options(undefer(Inference.text)))
    return None if row is None else row.text


def find_draft(session: Session, phase: Phase, board_sha256: str) -> InferenceView:
    """Return the inference of a phase's current leaderboard; that of an older one does not count."""
    row = session.scalar(select_draft(phase.id))
    is_current = row is not None and row.board_sha256 == board_sha256
    return _view_of_row(session, row if is_current else None, draft_key(phase))


def find_draft_and_candidate(
    session: Session, phase: Phase, version: GoldVersion, boards: tuple[str, str]
) -> tuple[str, str] | None:
    """Return the inferences of the draft and of the candidate's leaderboard with these hashes."""
    texts = []
    for gold, board_sha256 in zip((None, version.id), boards, strict=True):
        row = session.scalar(select_draft(phase.id, gold).options(undefer(Inference.text)))
        if row is None or row.text is None or row.board_sha256 != board_sha256:
            return None
        texts.append(row.text)
    return texts[0], texts[1]


def find_candidate_error(session: Session, phase: Phase, version: GoldVersion) -> str | None:
    """Return why the computation for a candidate failed; None: it did not."""
    return jobs.find_error(session, _candidate_key(phase, version.id))


def get_draft_text(session: Session, phase: Phase) -> str:
    """The JSON of the newest draft that was computed.

    Raises:
        NotFound: there is none yet.
    """
    row = session.scalar(select_draft(phase.id).options(undefer(Inference.text)))
    words = _("Confidence intervals and significance tests of this leaderboard have not been computed yet.")
    return require_found(None if row is None else row.text, words)


def find_row(session: Session, release_id: int, board_sha256: str) -> Inference | None:
    """Return the row of a release's inference with its text and inputs, if it was computed."""
    whole = _select_inference(release_id, board_sha256).options(
        undefer(Inference.text), undefer(Inference.inputs)
    )
    row = session.scalar(whole)
    return None if row is None or row.text is None else row


def find_values(session: Session, release_id: int, board_sha256: str) -> BoardInference | None:
    """Return a release's whole inference; None: not yet."""
    row = find_row(session, release_id, board_sha256)
    return None if row is None or row.text is None else parse_text(row.text)


@lru_cache(maxsize=4)
def parse_text(text: str) -> BoardInference:
    """Parse an inference; cached, because 38 systems have 3,500 pairs."""
    return read_inference(text)


def _queue(
    session: Session, release: Release, board_sha256: str, inputs: Mapping[str, Any], now: datetime
) -> None:
    row = _add(session, release, board_sha256, inputs, now)
    jobs.add_job(session, INFERENCE_JOB, {"inference": row.id}, now, key=_release_key(row.id))


def _add(
    session: Session, release: Release, board_sha256: str, inputs: Mapping[str, Any], now: datetime
) -> Inference:
    row = Inference(
        phase_id=release.phase_id,
        release_id=release.id,
        board_sha256=board_sha256,
        inputs=dict(inputs),
        noted_at=now,
    )
    session.add(row)
    session.flush()
    return row


def _select_inference(release_id: int, board_sha256: str) -> Select[Inference]:
    return select(Inference).where(Inference.release_id == release_id, Inference.board_sha256 == board_sha256)


def select_draft(phase_id: int, gold: int | None = None) -> Select[Inference]:
    """Select the inference of a phase's draft, under the gold in force or another version."""
    own = Inference.phase_id == phase_id, Inference.release_id.is_(None)
    return select(Inference).where(*own, Inference.gold_version_id.is_not_distinct_from(gold))


def _view_of_row(session: Session, row: Inference | None, key: str) -> InferenceView:
    if row is not None and row.made_at is not None:
        return InferenceView("there", _read_summary(row), row.made_at)
    error = jobs.find_error(session, key)
    return InferenceView("computing" if error is None else "failed", None, None, error)


SUMMARY_CACHE: CacheByHash[tuple[str | None, bool], BoardInference] = CacheByHash(24)
"""The newest summaries, by the hash of the inference and whether it has values by genre."""


def _read_summary(row: Inference) -> BoardInference:
    values = row.shown or {}
    return SUMMARY_CACHE.get((row.sha256, "genres" in values), lambda: read_inference_values(values))


def list_summaries(session: Session, ids: Sequence[int]) -> dict[int, BoardInference]:
    """Return the summaries of computed inferences of releases by the release's id."""
    rows = session.scalars(select(Inference).where(Inference.id.in_(ids))) if ids else ()
    return {row.release_id: _read_summary(row) for row in rows if row.release_id is not None}


def _candidate_key(phase: Phase, version_id: int) -> str:
    return f"{draft_key(phase)}:{version_id}"


def _release_key(inference_id: int) -> str:
    return f"{INFERENCE_JOB}:{inference_id}"


def find_genres(session: Session, release_id: int, board_sha256: str) -> GenreTable | None:
    """Return the values by genre of a release; None: they are not computed, or not public."""
    text = _find_genres_text(session, release_id, board_sha256)
    return None if text is None else read_genres(text)


def get_genres_text(session: Session, release_id: int, board_sha256: str) -> str:
    """Return the JSON of a release's values by genre.

    Raises:
        NotFound: they are not computed, or not public.
    """
    text = _find_genres_text(session, release_id, board_sha256)
    return require_found(text, _("This release has no scores by genre."))


def _find_genres_text(session: Session, release_id: int, board_sha256: str) -> str | None:
    return session.scalar(_select_inference(release_id, board_sha256).with_only_columns(Inference.genres))
