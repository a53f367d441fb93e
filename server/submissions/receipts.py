"""Receipts, which the site signs when it accepts a file, in the same transaction."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from scorer.proof.receipts import SCHEMA
from scorer.proof.signing import format_instant
from server.audit.models import AuditEntry
from server.core.errors import require_found
from server.core.i18n import _
from server.core.identity import get_identity
from server.gold import versions as gold_versions
from server.scoring import service as scoring
from server.signing import service as signing_keys
from server.submissions import feedback
from server.submissions.models import Receipt, Submission
from server.tasks.models import Split


@dataclass(frozen=True, slots=True)
class SignedGold:
    """The facts about the gold version in force in a receipt: its number, and its commitment."""

    number: int
    commitment: str


def add_receipt(
    session: Session,
    submission: Submission,
    split: Split,
    gold: SignedGold,
    entry: AuditEntry,
    replaced: Submission | None,
    left_out: Sequence[str],
) -> None:
    """Sign a receipt: `gold` is the version in force, `entry` the audit log's entry for this file.

    `left_out`: the levels whose files came with this one and were not stored.

    Raises:
        ConfigError: the site's key was encrypted with another secret.
    """
    run = submission.run
    content = {
        "schema": SCHEMA,
        "site": get_identity(session).site_url,
        "receipt": submission.id,
        "task": run.team.task.slug,
        "phase": run.phase.slug,
        "split": run.phase.split,
        "level": submission.level.slug,
        "team": {"id": run.team_id, "name": run.team.name},
        "run": {"id": run.id, "name": run.name},
        "arrived": format_instant(submission.arrived_at),
        "file": {"sha256": submission.sha256, "bytes": submission.size},
        "items": {
            "sha256": split.items_sha256,
            "count": split.n_items,
            "public_sha256": split.public_items_sha256,
        },
        "gold": {"version": gold.number, "commitment": gold.commitment},
        "scorer": {"version": scoring.VERSION, "metrics": list(submission.level.metrics)},
        "late": submission.late,
        "counts": True,  # the newest file of its run and level
        "replaces": None if replaced is None else replaced.id,
        "left_out": list(left_out),
        "scores": _describe_scores(session, submission),
        "audit": {"number": entry.number, "sha256": entry.sha256},
    }
    text = signing_keys.sign_document(session, content, submission.arrived_at)
    session.add(Receipt(submission_id=submission.id, text=text))


def find_receipt(session: Session, submission: Submission) -> Receipt | None:
    """Return the receipt of a submission; None: it came with an import, or is a baseline's."""
    return session.get(Receipt, submission.id)


def get_receipt(session: Session, submission: Submission) -> Receipt:
    """Return the receipt of a submission.

    Raises:
        NotFound: it has none.
    """
    receipt = find_receipt(session, submission)
    return require_found(
        receipt,
        _(
            "This submission has no receipt because it is a baseline or was uploaded "
            "before this site issued receipts."
        ),
    )


def find_salt(session: Session, receipt: Receipt, split: Split) -> str | None:
    """Return the salt of the gold version in a receipt, if that is in force and public; else None."""
    gold = gold_versions.find_gold(session, split) if split.public_gold else None
    named = json.loads(receipt.text)["signed"]["gold"]["version"]
    return gold.salt if gold is not None and gold.number == named else None


def find_replaced(session: Session, receipt: Receipt) -> Submission | None:
    """Return the submission that the one of a receipt replaced."""
    replaced = json.loads(receipt.text)["signed"]["replaces"]
    return None if replaced is None else session.get(Submission, replaced)


def filename_of(receipt: Receipt) -> str:
    """Return the name of its file."""
    return f"receipt-{receipt.submission_id}.json"


def _describe_scores(session: Session, submission: Submission) -> list[dict[str, Any]] | None:
    """Return the scores as the phase shows them; None: it hides them."""
    phase = submission.run.phase
    if phase.feedback == "hidden":
        return None
    shown = feedback.shown_scores(session, phase, Submission.id == submission.id)[submission.id]
    return [
        {
            "metric": score.metric,
            # As text, because numbers with decimal places have more than one JSON representation.
            "value": None if score.value is None else repr(score.value),
            "undefined": (
                {"code": score.undefined_code, "reason": score.undefined_reason}
                if score.value is None
                else None
            ),
            "signature": score.signature,
        }
        for score in shown
    ]
