"""Submissions with what is shown of their scores."""

from apiflask import Schema
from apiflask.fields import AwareDateTime, Boolean, Float, Integer, List, String


class ScoreSchema(Schema):
    """A score as the phase shows it to whoever asks; `value` is null where it is undefined."""

    metric = String(required=True)
    value = Float(required=True, allow_none=True)
    undefined_code = String(required=True, allow_none=True)
    undefined_reason = String(required=True, allow_none=True)
    n = Integer(required=True)
    signature = String(required=True)
    exact = Boolean(required=True, metadata={"description": "Whether all digits are shown."})
    part = String(
        required=True, allow_none=True, metadata={"description": "Of which part of the items; null: of all."}
    )


class SubmissionSchema(Schema):
    """One file of a run for a level, as it was stored."""

    id = Integer(required=True)
    task = String(required=True, attribute="run.team.task.slug")
    phase = String(required=True, attribute="run.phase.slug")
    run_id = Integer(required=True)
    run = String(required=True, attribute="run.name", metadata={"description": "The name of the run."})
    level = String(required=True, attribute="level.slug")
    filename = String(required=True, metadata={"description": "The name that it was sent with."})
    sha256 = String(required=True)
    size = Integer(required=True)
    arrived_at = AwareDateTime(required=True)
    late = Boolean(required=True)
    warnings = List(String, required=True)
