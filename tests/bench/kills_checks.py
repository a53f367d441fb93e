"""What must hold after the kills: nothing is lost, doubled, unscored or stuck, and the log is whole."""

import hashlib
import os
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from scorer.files.reading import Gold, parse_run
from scorer.proof.document_verification import NamedFile, VerificationInputs
from scorer.proof.findings import is_proved
from scorer.proof.keys import KeyRing, read_keys
from scorer.proof.receipt_verification import verify_receipt
from scorer.proof.receipts import read_receipt
from scorer.proof.signing import read_signed
from scorer.scoring.evaluate import Undefined, evaluate
from server.access import tasks
from server.backups import sweeps
from server.core import clock, db
from server.core.config import Config, to_env
from server.core.site_resources import Site, create_site
from server.gold import versions as gold_versions
from server.gold.models import GoldVersion
from server.jobs.models import Job
from server.releases import inferences
from server.releases.models import Inference, Release
from server.scoring.models import Score
from server.signing import service as signing_keys
from server.submissions.models import Receipt, Submission
from tests.bench.kills_load import Upload
from tests.bench.kills_site import FIXED_GOLD, GOLD, LEVELS, LIVE, RELEASED, ROOT, SLUG, wait_until
from tests.server.job_runs import hasten

IDLE_BOUND = 300.0
KEPT_RECEIPTS = 20
"""How many of the clients' receipts are checked against the log as external documents."""


Scores = dict[int, dict[str, float | None]]
"""What a file got, by the number of the gold version and by metric."""
FAULTS = (
    "lost", "doubled", "scored otherwise", "without a good receipt", "there though refused", "from nobody",
    "stuck", "files that no sweep takes", "the log",
)  # fmt: skip


@dataclass
class Outcome:
    """The problems by their name in the table, and everything else that is reported."""

    faults: dict[str, list[str]] = field(default_factory=lambda: {kind: [] for kind in FAULTS})
    there: int = 0
    """Uploads that were not acknowledged and are there."""
    pieces: int = 0
    unnamed: int = 0
    inferences: int = 0
    attempts: Counter[int] = field(default_factory=Counter)
    """How many jobs took so many attempts."""


def await_idle(site: Site) -> float:
    """Wait until no job is under way, or has to be tried again; how many seconds that took.

    A job that went wrong, or whose inference was killed, waits for minutes or hours: it is made due at once.

    Raises:
        TooLate: jobs are still under way after the bound.
    """
    return wait_until(lambda: _is_idle(site), "jobs do not come to an end", IDLE_BOUND, 0.5)


def _is_idle(site: Site) -> bool:
    session = site.session()
    hastened = or_(Job.attempt > 0, Job.kind == inferences.INFERENCE_JOB)
    with db.writing(session):
        now = clock.now()
        later = select(Job.id).where(Job.state == "waiting", Job.due_at > now, hastened)
        hasten(session, session.scalars(later).all(), now)
        under_way = or_(Job.state == "running", (Job.state == "waiting") & (Job.due_at <= now))
        return session.scalar(select(Job.id).where(under_way).limit(1)) is None


def check(config: Config, uploads: Sequence[Upload], folder: Path) -> Outcome:
    """Look at everything that the clients know of, and at the jobs, the store and the log."""
    found = Outcome()
    site = create_site(config)
    try:
        session = site.session()
        with db.reading(session):
            _check_uploads(site, uploads, found)
            _check_jobs(site, found)
        _check_store(site, found)
    finally:
        site.session.remove()
        site.engine.dispose()
    _check_log(config, uploads, folder, found)
    return found


def _check_uploads(site: Site, uploads: Sequence[Upload], found: Outcome) -> None:
    session = site.session()
    rows: dict[str, list[int]] = defaultdict(list)
    for submission in session.scalars(select(Submission)):
        rows[submission.sha256].append(submission.id)
    receipts = {row.submission_id: row.text for row in session.scalars(select(Receipt))}
    scores: dict[int, Scores] = defaultdict(lambda: defaultdict(dict))
    rows_of_scores = select(Score, GoldVersion.number).join(
        GoldVersion, Score.gold_version_id == GoldVersion.id
    )
    for score, number in session.execute(rows_of_scores):
        scores[score.submission_id][number][score.metric] = score.value
    in_force = _gold_in_force(session)
    ring = read_keys(signing_keys.published_keys_text(session).encode(), "keys.json")
    for upload in uploads:
        own = rows.pop(upload.sha256, [])
        what = f"{upload.state} {upload.sha256[:12]}, key {upload.key}, submission {upload.id}, rows {own}"
        found.there += upload.state == "unknown" and bool(own)
        for fault in _faults_of_rows(upload, own):
            found.faults[fault].append(what)
        for submission_id in own:
            data = site.storage.get(upload.sha256) if site.storage.has(upload.sha256) else b""
            text = receipts.get(submission_id)
            number, scored = in_force[upload.phase, upload.level], scores[submission_id]
            if number not in scored:
                found.faults["scored otherwise"].append(f"{what}: not by gold {number}")
            for fault in _faults_of_row(upload, data, scored, text, ring):
                found.faults[fault].append(what)
    found.faults["from nobody"] += [f"{sha256[:12]}: {ids}" for sha256, ids in rows.items()]


def _faults_of_rows(upload: Upload, own: list[int]) -> Iterator[str]:
    """What is wrong with the submissions of an upload, of which there is one, or none if it was not taken."""
    if len(own) > 1:
        yield "doubled"
    if upload.state == "acknowledged" and upload.id not in own:
        yield "lost"
    if upload.state in ("refused", "never sent") and own:
        yield "there though refused"


def _faults_of_row(
    upload: Upload, data: bytes, scores: Scores, receipt: str | None, ring: KeyRing
) -> Iterator[str]:
    """What is wrong with the file, the scores and the receipt of a submission."""
    if hashlib.sha256(data).hexdigest() != upload.sha256:
        yield "lost"
    elif scores != {number: _scored(data, (GOLD, FIXED_GOLD)[number - 1]) for number in scores}:
        yield "scored otherwise"
    kept = upload.receipt or receipt
    if receipt is None or receipt != kept or not _is_good(receipt, data, ring):
        yield "without a good receipt"


def _gold_in_force(session: Session) -> dict[tuple[str, str], int]:
    """The number of the gold version of each phase and level."""
    task = tasks.get_named_task(session, SLUG)
    numbers = {}
    for slug, level in product((LIVE, RELEASED), LEVELS):
        phase = tasks.get_phase(session, task, slug)
        version = gold_versions.find_gold(session, tasks.get_level_split(task, level, phase.split)[1])
        assert version is not None
        numbers[slug, level] = version.number
    return numbers


def _scored(data: bytes, gold: Sequence[float]) -> dict[str, float | None]:
    """What the scorer gives a file."""
    run = parse_run(data, "run.tsv", n=len(gold))
    results = evaluate(Gold(gold), run, ["pearson", "spearman"]).results
    return {one.metric: None if isinstance(one.value, Undefined) else one.value for one in results}


def _is_good(text: str, data: bytes, ring: KeyRing) -> bool:
    """Whether a receipt verifies offline with its file and the site's keys."""
    document = read_signed(text.encode(), "receipt")
    receipt = read_receipt(document, "receipt")
    beside = VerificationInputs(keys=("keys.json", ring), run=NamedFile("run.tsv", data))
    return is_proved(verify_receipt(document, receipt, beside))


def _check_jobs(site: Site, found: Outcome) -> None:
    session = site.session()
    for job in session.scalars(select(Job)):
        if job.state in ("running", "failed"):
            found.faults["stuck"].append(
                f"job {job.id} ({job.kind}) is {job.state} at attempt {job.attempt}: {job.error}"
            )
        if job.attempt:
            found.attempts[job.attempt] += 1
    released = select(Release.id, Inference.made_at).outerjoin(Inference, Inference.release_id == Release.id)
    for release_id, made_at in session.execute(released.where(Release.feedback.is_(None))):
        found.inferences += made_at is not None
        if made_at is None:
            found.faults["stuck"].append(f"release {release_id} has no inference")


def _check_store(site: Site, found: Outcome) -> None:
    """Count what the killed left in the store, and sweep it."""
    found.pieces = sum(not file.whole for file in site.storage.files())
    session, now = site.session(), datetime.now(UTC)
    found.unnamed = len(sweeps.remove_orphaned_files(session, now)) - found.pieces
    left = sweeps.find_orphaned_files(session, now)
    found.faults["files that no sweep takes"] += [file.name for file in left]


def _check_log(config: Config, uploads: Sequence[Upload], folder: Path, found: Outcome) -> None:
    """`assay audit verify`, with receipts that clients have kept."""
    kept = [upload for upload in uploads if upload.receipt]
    command = [sys.executable, "-m", "server.cli", "audit", "verify"]
    for upload in kept[:: max(1, len(kept) // KEPT_RECEIPTS)]:
        path = folder / f"receipt-{upload.id}.json"
        path.write_text(upload.receipt, encoding="utf-8")
        command += ["--against", str(path)]
    ended = subprocess.run(
        command,
        env=to_env(config, os.environ),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    if ended.returncode:
        found.faults["the log"].append(f"{ended.stdout[-1000:]}{ended.stderr[-1000:]}")
