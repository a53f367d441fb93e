"""The tables and figures of papers: whether there are any, and having them made.

Those of a public release are made from its evidence, which is all that a visitor can download, so that they
show nothing else. They are offered only while the evidence is as it was: never with other names, gold or
intervals than the release shows now. Those of organizers are made from the export of the task and of its
campaigns, with hidden gold.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.util import find_spec

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.access import service as access
from server.annotation.campaigns import service as campaigns
from server.annotation.models import AnnotationRound
from server.annotation.results import answer_rows
from server.core.actors import Actor
from server.core.errors import NotFound
from server.core.storage import storage_of, text_sha256
from server.evidence import service as evidence
from server.jobs import service as jobs
from server.papers.models import StoredPaper
from server.phases.models import Phase
from server.releases import inferences
from server.releases.service import ReleaseState
from server.runs.archives import RunArchive
from server.scoring import service as scoring
from server.signing import service as signing_keys
from server.submissions.follow_up_jobs import PAPER_JOB, paper_key
from server.tasks.models import Task

DRAWS = find_spec("matplotlib") is not None
"""Whether figures can be drawn here: the extra `[paper]` is installed."""


@dataclass(frozen=True, slots=True)
class PaperState:
    """The tables and figures, if there are any that may be offered; `failure`: why there are none.

    `waiting`: they are being made, or what they are made from is still being computed.
    """

    row: StoredPaper | None
    waiting: bool = False
    failure: str | None = None

    @property
    def is_missing(self) -> bool:
        """Whether they are to be made."""
        return self.row is None and not self.waiting and self.failure is None


def find_release_paper(session: Session, phase: Phase, state: ReleaseState, now: datetime) -> PaperState:
    """Return the tables and figures of a public release.

    Raises:
        NotFound: it has no evidence.
    """
    evidence.require_evidence(phase, state, now)
    key = paper_key(state.release.id)
    if signing_keys.list_keys(session):  # else it was imported, and the job makes the key
        row = session.scalar(select(StoredPaper).where(StoredPaper.release_id == state.release.id))
        archive = None if row is None else evidence.collect_evidence(session, phase, state, now)
        if row is not None and archive is not None and row.inputs_sha256 == hash_evidence(archive):
            return _state_of_row(row)
    inference = inferences.find_inference(session, state.release.id, state.sha256)
    computing = inference is not None and inference.state == "computing"
    return PaperState(None, computing or jobs.is_queued(session, key), jobs.find_error(session, key))


def hash_evidence(archive: RunArchive) -> str:
    """Hash what the tables and figures of a release are made from."""
    return text_sha256(f"{evidence.evidence_etag(archive)} {scoring.VERSION} {DRAWS}")


def find_task_paper(session: Session, actor: Actor, task: Task) -> PaperState:
    """Return the tables and figures that were made for the organizers of a task.

    They are not offered once answers that they count were excluded, withdrawn or decided.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
    """
    access.require_organizer(session, actor, task)
    key = task_key(task)
    if jobs.is_queued(session, key):
        return PaperState(None, waiting=True, failure=jobs.find_error(session, key))
    query = select(StoredPaper).where(StoredPaper.task_id == task.id, StoredPaper.release_id.is_(None))
    row = session.scalar(query)
    if row is not None and row.inputs_sha256 == hash_rounds(session, list_rounds(session, actor, task)):
        return _state_of_row(row)
    return PaperState(None, failure=jobs.find_error(session, key))


def request_task_paper(session: Session, actor: Actor, task: Task, style: str, now: datetime) -> None:
    """Have the tables and figures of a task made in place of earlier ones, unless that waits already.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
    """
    access.require_organizer(session, actor, task)
    jobs.add_job(session, PAPER_JOB, {"task": task.id, "style": style}, now, key=task_key(task))


def task_key(task: Task) -> str:
    """Return the key of the job that makes the tables and figures of a task."""
    return f"{PAPER_JOB}:task:{task.id}"


def list_rounds(session: Session, actor: Actor, task: Task) -> list[AnnotationRound]:
    """List the rounds of a task's campaigns that have answers.

    Raises:
        Forbidden, NotFound: `actor` may not see all of the task.
    """
    rounds = [round_ for each in campaigns.list_campaigns(session, actor, task) for round_ in each.rounds]
    return [round_ for round_ in rounds if answer_rows.count_answers(session, round_)]


def hash_rounds(session: Session, rounds: Sequence[AnnotationRound]) -> str:
    """Hash what counts in the rounds; new answers do not change it."""
    states = (answer_rows.hash_state(session, [round_], with_answers=False) for round_ in rounds)
    return text_sha256(" ".join(states))


def read_zip(session: Session, state: PaperState) -> bytes:
    """Return the zip file.

    Raises:
        NotFound: there is none that may be offered.
    """
    if state.row is None or state.row.sha256 is None:
        raise NotFound.of("The tables and figures have not been made yet.")
    return storage_of(session).get(state.row.sha256)


def _state_of_row(row: StoredPaper) -> PaperState:
    return PaperState(None, failure=row.error) if row.sha256 is None else PaperState(row)
