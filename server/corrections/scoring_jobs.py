"""Jobs that score every file of a split against a gold candidate, a chunk of files per job.

A file is parsed and evaluated outside any lock, and its scores are written a batch at a time. Scores that
exist stay, so a job that was killed continues where it was, and two workers do not harm each other.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Select, exists, select
from sqlalchemy.orm import Session, contains_eager

from server.core import db
from server.core.errors import InvalidFile
from server.core.i18n import _
from server.core.site_resources import Site
from server.gold import versions as gold_versions
from server.gold.models import GoldVersion
from server.jobs import service as jobs
from server.phases.models import Phase
from server.runs.models import Run
from server.scoring import service as scoring
from server.scoring.models import Score
from server.submissions import rescoring
from server.submissions.models import Submission

SCORE = "gold.score"
CHUNK = 50
"""How many files a job scores."""
BATCH_SIZE = 25
"""How many files' scores are written in one transaction."""
MAX_SUBMISSION_ID = 2**31 - 1
"""Larger than the id of any submission."""


class FilesRefused(Exception):
    """The installed scorer rejects stored files; the job's error names them and the reasons."""


class ScorerMismatch(Exception):
    """This worker has another version of the scorer than the requested one."""


@dataclass(frozen=True, slots=True)
class ScoredBatch:
    """The scores of some files, up to the submission `last`."""

    results: Mapping[int, scoring.RunResults]
    refused: Mapping[int, str]
    last: int


def select_unscored(version: GoldVersion) -> Select[Submission]:
    """Select the files of the version's split that have no score against it."""
    scored = exists().where(Score.submission_id == Submission.id, Score.gold_version_id == version.id)
    return (
        select(Submission)
        .join(Submission.run)
        .join(Run.phase)
        .where(Submission.level_id == version.split.level_id, Phase.split == version.split.name, ~scored)
        .options(contains_eager(Submission.run))
        .order_by(Submission.id)
    )


def add_jobs(session: Session, version: GoldVersion, now: datetime) -> None:
    """Add jobs that score all files without a score, one per chunk, in place of any that wait or failed."""
    jobs.delete_jobs_for(session, SCORE, "version", version.id)
    ids = list(session.scalars(select_unscored(version).with_only_columns(Submission.id)))
    for start in range(0, len(ids), CHUNK):
        first, last = ids[start], ids[start : start + CHUNK][-1]
        payload = {"version": version.id, "first": first, "last": last}
        jobs.add_job(session, SCORE, payload, now, key=f"{SCORE}:{version.id}:{first}")


def list_errors(session: Session, version: GoldVersion) -> list[str]:
    """List the errors of chunks of files that are not scored yet."""
    return [
        job.error
        for job in jobs.list_jobs_for(session, SCORE, "version", version.id, "waiting", "failed")
        if job.error
    ]


def is_scoring(session: Session, version: GoldVersion) -> bool:
    """Whether a job is due or running that scores files against the version."""
    return bool(jobs.list_jobs_for(session, SCORE, "version", version.id, "waiting", "running"))


def score_chunk(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
    """Score the files of the job's chunk that have no score, while the version is a candidate."""
    session, after, refused = site.session(), payload["first"] - 1, dict[int, str]()
    while True:
        with db.reading(session):
            batch = evaluate_batch(session, payload["version"], after, payload["last"])
        if batch is None:
            break
        with db.writing(session):
            write_batch(session, payload["version"], batch, now)
        after = batch.last
        refused |= batch.refused
    if refused:
        raise FilesRefused(
            "; ".join(
                _("submission %(number)d: %(why)s", number=number, why=why) for number, why in refused.items()
            )
        )


def score_all(site: Site, version_id: int, now: datetime) -> None:
    """Score all files without a score against a candidate in this process; jobs may run at the same time."""
    score_chunk(site, {"version": version_id, "first": 0, "last": MAX_SUBMISSION_ID}, now)


def evaluate_batch(session: Session, version_id: int, after: int, last: int) -> ScoredBatch | None:
    """Score the next files of a chunk that have no score; writes nothing. None: there are none."""
    version = _find_candidate(session, version_id)
    if version is None:
        return None
    query = select_unscored(version).where(Submission.id > after, Submission.id <= last).limit(BATCH_SIZE)
    files = list(session.scalars(query))
    if not files:
        return None
    if version.scorer != scoring.VERSION:
        raise ScorerMismatch(
            _(
                "scorer %(asked)s is required, but %(installed)s is installed",
                asked=version.scorer,
                installed=scoring.VERSION,
            )
        )
    split = version.split
    gold, parts = scoring.gold_of(session, split, version), scoring.parts_of(session, split)
    results, refused = {}, {}
    for file in files:
        try:
            results[file.id] = rescoring.score_stored_file(session, split, gold, parts, file)
        except InvalidFile as error:
            refused[file.id] = " ".join([error.message, *map(str, error.problems[:1])])
    return ScoredBatch(results, refused, files[-1].id)


def write_batch(session: Session, version_id: int, batch: ScoredBatch, now: datetime) -> None:
    """Write the scores of files that still have none, if the version is still a candidate."""
    version = _find_candidate(session, version_id)
    if version is None:
        return
    lacking = session.scalars(select_unscored(version).where(Submission.id.in_(batch.results)))
    scoring.add_scores(session, version, {file.id: batch.results[file.id] for file in lacking}, now)


def _find_candidate(session: Session, version_id: int) -> GoldVersion | None:
    """Return the version, if it is a candidate."""
    version = session.get(GoldVersion, version_id)
    if version is None or gold_versions.find_candidate(session, version.split) is not version:
        return None
    return version
