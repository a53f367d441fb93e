"""Inter-annotator agreement of a round, by a job: what `scorer agree` prints of the exported ratings.

The command runs in a process of its own, since the site's processes load no numpy. So the figures on the page
are those that anyone computes from the export.
"""

import hashlib
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.annotation.models import AgreementReport, AnnotationRound
from server.annotation.results import answer_rows, exports
from server.annotation.results.answer_rows import RoundAnswers
from server.core import db
from server.core.site_resources import Site
from server.inferences import runner
from server.jobs import service as jobs
from server.jobs.models import Job

AGREEMENT_JOB = "annotation.agreement"
"""The kind of job that computes the agreement of a round."""
_COMMAND = (sys.executable, "-m", "scorer.cli", "agree", "-", *exports.AGREE_OPTIONS, "--format", "json")


@dataclass(frozen=True, slots=True)
class Agreement:
    """The newest report of a round, and whether it is about the answers that count now."""

    values: Mapping[str, Any]
    made_at: datetime
    current: bool


def find_agreement(session: Session, of_round: AnnotationRound, answers: RoundAnswers) -> Agreement | None:
    """Return the newest agreement of a round; None: none was computed."""
    report = _find_report(session, of_round.id)
    if report is None:
        return None
    return Agreement(
        json.loads(report.text),
        report.made_at,
        report.ratings_sha256 == _hash(exports.write_ratings(answers, answers.passes[0])),
    )


def queue_agreement(session: Session, of_round: AnnotationRound, now: datetime) -> None:
    """Have the agreement computed, unless that waits already."""
    jobs.add_job(session, AGREEMENT_JOB, {"round": of_round.id}, now, key=_job_key(of_round.id))


def find_error(session: Session, of_round: AnnotationRound) -> str | None:
    """Return why the agreement could not be computed; None: it was, or is still to come."""
    newest = session.scalar(
        select(Job).where(Job.key == _job_key(of_round.id)).order_by(Job.id.desc()).limit(1)
    )
    return None if newest is None else jobs.find_failure(newest)


def is_queued(session: Session, of_round: AnnotationRound) -> bool:
    """Whether the agreement is being computed."""
    waiting = select(Job.id).where(Job.key == _job_key(of_round.id), Job.state.in_(("waiting", "running")))
    return session.scalar(waiting.limit(1)) is not None


def compute_agreement(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
    """Compute the agreement of a round from the answers that count now, and store it."""
    session = site.session()
    with db.reading(session):
        of_round = session.get_one(AnnotationRound, payload["round"])
        answers = answer_rows.load_answers(session, of_round)
        ratings = exports.write_ratings(answers, answers.passes[0])
        newest = _find_report(session, payload["round"])
    if newest is not None and newest.ratings_sha256 == _hash(ratings):
        return
    text = runner.run_process(_COMMAND, ratings)
    with db.writing(session):
        session.add(
            AgreementReport(round_id=payload["round"], ratings_sha256=_hash(ratings), text=text, made_at=now)
        )


def _find_report(session: Session, round_id: int) -> AgreementReport | None:
    query = select(AgreementReport).where(AgreementReport.round_id == round_id)
    return session.scalar(query.order_by(AgreementReport.id.desc()).limit(1))


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _job_key(round_id: int) -> str:
    return f"{AGREEMENT_JOB} {round_id}"
