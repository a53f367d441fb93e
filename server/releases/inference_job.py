"""The job that computes significance tests: it reads, computes outside any transaction, and writes."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.orm import Session, undefer

from server.access import tasks
from server.boards import service as boards
from server.boards.genres import genre_levels
from server.boards.inference_json import summarize_inference
from server.core import child_processes, db
from server.core.site_resources import Site
from server.core.storage import text_sha256
from server.gold import versions as gold_versions
from server.gold.models import GoldVersion
from server.inferences import inference_inputs, runner as inference_runner
from server.jobs import service as jobs
from server.phases.models import Phase
from server.releases import inference_parts, inferences, release_gold, service as releases
from server.releases.models import Inference, Release, ReleaseWithdrawal
from server.runs.models import Run
from server.scoring import service as scoring
from server.submissions import rescoring
from server.submissions.follow_up_jobs import INFERENCE_DELAY, add_paper_job, draft_key
from server.submissions.models import Standing

OPTIONS: dict[str, Any] = {}
"""The options of inferences: the defaults of `scorer board --significance`."""


@dataclass(frozen=True, slots=True)
class InferenceRequest:
    """What to compute, and where to store it: in a row, or (None) as the draft of a phase."""

    phase_id: int
    gold_version_id: int | None
    inference_id: int | None
    board_sha256: str
    inputs: dict[str, Any]
    request: dict[str, Any]
    """What to ask of the process, without the files."""


class FilesChanged(Exception):
    """Not the same files can be read as when the parts were asked for."""


def run_inference(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
    """Compute what the job requests, unless it was computed already or is no longer needed.

    On PostgreSQL other jobs compute the parts; then this one is run again, and joins them.
    """
    session = site.session()
    if "genres" in payload:
        _add_genres(site, payload["genres"], now)
    elif not jobs.can_share(session):
        _run_whole(session, payload, now)
    else:
        with db.reading(session):
            parts = inference_parts.find_parts(session, payload)
        if parts is not None and parts.columns is not None and parts.request["scorer"] == scoring.VERSION:
            _join_parts(session, payload, parts, now)
        elif parts is not None and parts.computing:
            with db.writing(session):
                inference_parts.add_whole(session, payload, now, now + INFERENCE_DELAY)
        else:
            _run_whole(session, payload, now)


def _run_whole(session: Session, payload: Mapping[str, Any], now: datetime) -> None:
    """Compute an inference, or let other jobs compute its parts."""
    with db.reading(session):
        inference_request = _prepare_request(session, payload, now)
        draft_text = None if inference_request is None else _find_draft_text(session, inference_request)
        request = None if inference_request is None else _read_files(session, inference_request)
    if inference_request is not None and request is not None:
        columns = inference_parts.list_columns(request) if jobs.can_share(session) else []
        if draft_text is None and len(columns) > 1:
            asked = asdict(inference_request) | {"left_out": request["left_out"], "scorer": scoring.VERSION}
            with db.writing(session):
                inference_parts.add_parts(session, payload, columns, asked, now)
            return
        _write(session, payload, inference_request, _compute(request, draft_text), now, now)
    _forget_parts(session, payload)
    if "draft" in payload:
        with db.writing(session):
            _queue_candidates(session, payload, now)


def _join_parts(
    session: Session, payload: Mapping[str, Any], parts: inference_parts.Parts, now: datetime
) -> None:
    """Join the parts of an inference; if files have arrived meanwhile, let it be computed again.

    If they cannot be joined, they are deleted, so that the next attempt computes them again.
    """
    inference_request = _read_asked(parts.request)
    try:
        with db.reading(session):
            request = _read_files(session, inference_request)
        computed = _compute(_add_columns(request, parts), None)
    except child_processes.ProcessInterrupted:
        raise
    except Exception:
        with db.writing(session):
            jobs.delete_jobs(session, parts.ids)
        raise
    _write(session, payload, inference_request, computed, parts.asked_at, now)
    with db.writing(session):
        jobs.delete_jobs(session, parts.ids)
        if _prepare_request(session, payload, now) is not None:
            inference_parts.add_whole(session, payload, now, now + INFERENCE_DELAY)
        if "draft" in payload:
            _queue_candidates(session, payload, now)


def _add_columns(request: dict[str, Any], parts: inference_parts.Parts) -> dict[str, Any]:
    """Return a request with the columns of its parts, which left out the same systems."""
    left_out = parts.request["left_out"]
    if _names(request["left_out"]) != _names(left_out):
        raise FilesChanged
    return {**request, "left_out": left_out, "columns": parts.columns}


def _names(left_out: Sequence[Mapping[str, Any]]) -> set[tuple[str, str, str]]:
    return {(each["kind"], each["team"], each["run"]) for each in left_out}


def _forget_parts(session: Session, payload: Mapping[str, Any]) -> None:
    """Delete parts that nobody needs any more, such as those that failed."""
    if jobs.can_share(session):
        with db.writing(session):
            parts = inference_parts.find_parts(session, payload)
            if parts is not None:
                jobs.delete_jobs(session, parts.ids)


def _read_asked(asked: Mapping[str, Any]) -> InferenceRequest:
    return InferenceRequest(**{field.name: asked[field.name] for field in fields(InferenceRequest)})


def _write(
    session: Session,
    payload: Mapping[str, Any],
    inference_request: InferenceRequest,
    computed: tuple[str, str | None],
    asked_at: datetime,
    now: datetime,
) -> None:
    text, by_genre = computed
    shown = summarize_inference(text) | ({} if by_genre is None else genre_levels(by_genre))
    with db.writing(session):
        row = _row_to_write(session, inference_request, asked_at)
        if row is not None:
            row.text, row.sha256, row.shown = text, text_sha256(text), shown
            row.genres, row.made_at = by_genre, now
            if row.release_id is not None and "live" not in payload:
                add_paper_job(session, row.release_id, now)


def run_part(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
    """Compute a column of an inference; with another scorer than the one asked, only look again."""
    session, asked = site.session(), json.loads(payload["request"])
    if asked["scorer"] != scoring.VERSION:
        with db.writing(session):
            inference_parts.add_whole(session, payload, now, now + INFERENCE_DELAY)
        return
    slug, _metric = payload["column"]
    with db.reading(session):
        request = _read_files(session, _read_asked(asked), only=slug)
    text = inference_runner.run_inference_process(
        {**request, "left_out": asked["left_out"], "key": payload["column"]}
    )
    with db.writing(session):
        inference_parts.record(session, payload, text, now)


def _compute(request: Mapping[str, Any], draft_text: str | None) -> tuple[str, str | None]:
    """Return the inference, that of the draft if there is one, and the values by genre if requested."""
    if draft_text is None:
        return _split_output(inference_runner.run_inference_process(request))
    return draft_text, _compute_genres(request) if request["genres"] else None


def _compute_genres(request: Mapping[str, Any]) -> str | None:
    return _split_output(inference_runner.run_inference_process({**request, "inference": False}))[1]


def _find_draft_text(session: Session, inference_request: InferenceRequest) -> str | None:
    """Return the inference of the draft if a release with all orders would have the same bytes."""
    if inference_request.inference_id is None or not inference_request.request["orders"]:
        return None
    query = inferences.select_draft(inference_request.phase_id).options(undefer(Inference.text))
    draft = session.scalar(query)
    if draft is None or (draft.board_sha256, draft.inputs) != (
        inference_request.board_sha256, inference_request.inputs
    ):  # fmt: skip
        return None
    same_scorer = draft.text is not None and json.loads(draft.text)["scorer"] == scoring.VERSION
    return draft.text if same_scorer else None


def _split_output(answer: str) -> tuple[str, str | None]:
    """Split the scorer's output into the inference and the values by genre, if they were requested."""
    first, _, second = answer.partition("\n")
    return f"{first}\n", second or None


def _add_genres(site: Site, inference_id: int, now: datetime) -> None:
    """Add values by genre to a release's inference that was computed without them."""
    session, inference_request = site.session(), None
    with db.reading(session):
        row = session.get(Inference, inference_id)
        if row is not None and row.genres is None and row.made_at is not None:
            inference_request = _prepare_files(session, row, now)
        if inference_request is None or not inference_request.request["genres"]:
            return
        request = _read_files(session, inference_request)
    by_genre = _compute_genres(request)
    with db.writing(session):
        row = session.get(Inference, inference_id)
        if row is not None and by_genre is not None:
            row.genres, row.shown = by_genre, {**(row.shown or {}), **genre_levels(by_genre)}


def queue_missing(site: Site, now: datetime) -> None:
    """Queue what imported tasks lack: drafts of phases, and releases' values by genre."""
    with site.reading() as session:
        missing, lacking = [phase.id for phase in _list_missing(session)], _list_without_genres(session, now)
    if missing or lacking:
        with db.writing(session):
            for phase_id in missing:
                inferences.queue_draft(session, session.get_one(Phase, phase_id), now)
            for row_id in lacking:
                inferences.queue_genres(session, row_id, now)


def _list_without_genres(session: Session, now: datetime) -> list[int]:
    """List inferences of manual releases that may show values by genre, but have neither them nor a job."""
    rows = session.execute(
        select(Inference.id, Inference.phase_id)
        .join(Release, Release.id == Inference.release_id)
        .where(Release.feedback.is_(None), Inference.made_at.is_not(None), Inference.genres.is_(None))
        .where(Inference.inputs.is_not(None))
        .order_by(Inference.id)
    )
    keys = {inferences.genres_key(row.id): row for row in rows}
    job_keys = jobs.find_known_keys(session, keys)
    lacking = [row for key, row in keys.items() if key not in job_keys]
    phases = {phase_id: session.get_one(Phase, phase_id) for phase_id in {row.phase_id for row in lacking}}
    telling = {
        phase_id for phase_id, phase in phases.items() if release_gold.may_show_more(session, phase, now)
    }
    return [row.id for row in lacking if row.phase_id in telling]


def _list_missing(session: Session) -> list[Phase]:
    """List phases with files, without a draft, for which no job was ever added."""
    files = select(Run.id).join(Standing, Standing.run_id == Run.id).where(Run.phase_id == Phase.id)
    draft = select(Inference.id).where(Inference.phase_id == Phase.id, Inference.release_id.is_(None))
    phases = session.scalars(select(Phase).where(files.exists(), ~draft.exists()).order_by(Phase.id)).all()
    keys = {draft_key(phase): phase for phase in phases}
    job_keys = jobs.find_known_keys(session, keys)
    return [phase for key, phase in keys.items() if key not in job_keys]


def _prepare_request(session: Session, payload: Mapping[str, Any], now: datetime) -> InferenceRequest | None:
    if "draft" in payload:
        return _prepare_draft(session, payload["draft"], payload.get("gold"))
    if "live" in payload:
        return _prepare_live(session, payload["live"], now)
    row = session.get(Inference, payload["inference"])
    return None if row is None else _prepare_release(session, row, now)


def _prepare_draft(session: Session, phase_id: int, version_id: int | None) -> InferenceRequest | None:
    """Prepare the leaderboard of a phase, or what a gold candidate would make of it once all is scored.

    None if that was computed already, or the leaderboard is empty.
    """
    phase = session.get(Phase, phase_id)
    version = None if version_id is None else _find_scored(session, version_id)
    if phase is None or (version_id is not None and version is None):
        return None
    board = boards.phase_board(session, phase, instead=version)
    if not (board.official or board.late or board.baselines):
        return None
    text = boards.serialize_board(board, phase)
    inputs = inference_inputs.collect_inputs(session, phase, instead=version)
    sha256 = text_sha256(text)
    draft = session.scalar(inferences.select_draft(phase_id, version_id))
    if draft is not None and (draft.board_sha256, draft.inputs) == (sha256, inputs):
        return None
    return InferenceRequest(phase_id, version_id, None, sha256, inputs, {"board": text})


def _prepare_live(session: Session, phase_id: int, now: datetime) -> InferenceRequest | None:
    """Prepare the newest release of a phase, if it is live: earlier live ones are obsolete."""
    phase = session.get(Phase, phase_id)
    newest = None if phase is None else releases.find_newest(session, phase)
    if newest is None or newest.by_hand:
        return None
    row = session.scalar(select(Inference).where(Inference.release_id == newest.release.id))
    return None if row is None else _prepare_release(session, row, now)


def _prepare_release(session: Session, row: Inference, now: datetime) -> InferenceRequest | None:
    """Prepare a release with its files and gold versions, unless it was computed already or withdrawn."""
    return _prepare_files(session, row, now) if row.made_at is None else None


def _prepare_files(session: Session, row: Inference, now: datetime) -> InferenceRequest | None:
    withdrawn = session.get(ReleaseWithdrawal, row.release_id) is not None
    if row.inputs is None or row.release is None or withdrawn:
        return None
    text = row.release.board if row.board_sha256 == row.release.sha256 else row.release.named_board
    if text is None:
        return None
    by_hand = row.release.feedback is None  # in live releases, values by genre would help probing
    more = by_hand and release_gold.may_show_more(session, row.phase, now)
    request = {"board": text, "orders": more, "genres": more}
    return InferenceRequest(row.phase_id, None, row.id, row.board_sha256, row.inputs, request)


def _read_files(
    session: Session, inference_request: InferenceRequest, only: str | None = None
) -> dict[str, Any]:
    """Add to a request what the files say: all, or those of one level."""
    phase = session.get_one(Phase, inference_request.phase_id)
    read = inference_inputs.read_inputs(session, phase, inference_request.inputs, only)
    return {**inference_request.request, "options": OPTIONS, **read}


def _row_to_write(session: Session, inference_request: InferenceRequest, now: datetime) -> Inference | None:
    """Return the row to write to; None: another worker was first, or its release is gone."""
    if inference_request.inference_id is not None:
        row = session.get(Inference, inference_request.inference_id)
        return None if row is None or row.made_at is not None else row
    gold = inference_request.gold_version_id
    draft = session.scalar(inferences.select_draft(inference_request.phase_id, gold))
    if draft is not None and draft.noted_at > now:
        return None
    if draft is None:
        draft = Inference(phase_id=inference_request.phase_id, release_id=None, gold_version_id=gold)
        session.add(draft)
    draft.board_sha256, draft.inputs = inference_request.board_sha256, inference_request.inputs
    draft.noted_at = now
    return draft


def _find_scored(session: Session, version_id: int) -> GoldVersion | None:
    """Return a gold version, if it is a candidate and every file has its score."""
    version = session.get(GoldVersion, version_id)
    if version is None or gold_versions.find_candidate(session, version.split) is not version:
        return None
    lacking = rescoring.count_scored(session, [version_id])[version_id].lacking
    return None if lacking else version


def _queue_candidates(session: Session, payload: Mapping[str, Any], now: datetime) -> None:
    """After a draft, queue the candidates' leaderboards, also of candidates that are not fully scored."""
    phase = session.get(Phase, payload["draft"])
    if phase is None:  # removed meanwhile, with its drafts
        return
    candidates = gold_versions.list_candidates(session, [split for _level, split in tasks.splits_of(phase)])
    versions = {version.id: version for version in candidates.values()}
    gone = Inference.gold_version_id.is_not(None) & Inference.gold_version_id.not_in(versions)
    session.execute(delete(Inference).where(Inference.phase_id == phase.id, gone))
    version_id = payload.get("gold")
    for version in versions.values():
        if version_id is None or (version_id == version.id and _find_scored(session, version.id) is None):
            inferences.queue_candidate(session, phase, version, now)
