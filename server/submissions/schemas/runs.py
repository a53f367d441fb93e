"""Runs: what is sent to make or change one, and what is answered."""

from apiflask import Schema
from apiflask.fields import AwareDateTime, Boolean, Float, Integer, List, Nested, String

from server.phases.schemas import PHASE_STATE
from server.runs.forms import RunForm
from server.web.rest.fields import (
    ChoiceValidator,
    CountField,
    LengthValidator,
    RangeValidator,
    RequestSchema,
    TextField,
    YesNoField,
)
from server.web.rest.forms import field_bounds
from server.web.rest.responses import Paged, PageQuery

TEXTS = {
    "description": "What the system is, in a sentence or two; empty: nothing is said.",
    "method": "How it works: model, features, training; empty: nothing is said.",
    "resources": "Data, lexicons and models beside what the task gives; empty: nothing is said.",
    "links": "Addresses of code, model or paper, one a line; empty: none.",
    "authors": "The authors as a paper should have them, one a line; empty: nothing is said.",
}


def _text(name: str) -> TextField:
    return TextField(metadata=field_bounds(RunForm, name, TEXTS[name]))


def _said(name: str) -> String:
    return String(required=True, metadata={"description": TEXTS[name]})


class RunTextsSchema(RequestSchema):
    """What a team says of a run."""

    description = _text("description")
    method = _text("method")
    resources = _text("resources")
    links = _text("links")
    authors = _text("authors")


class NewRunSchema(RunTextsSchema):
    """A run to be made."""

    name = TextField(required=True, metadata=field_bounds(RunForm, "name"))


class RunChangeSchema(RunTextsSchema):
    """What is to change of a run; what is left out stays as it is. The name stays after the deadline."""

    name = TextField(metadata=field_bounds(RunForm, "name"))
    is_primary = YesNoField()


class MoveSchema(RequestSchema):
    """Where a run goes in the order of its team and phase."""

    direction = TextField(required=True, validate=ChoiceValidator(["up", "down"]))


class RunSchema(Schema):
    """One system of a team in a phase."""

    id = Integer(required=True)
    task = String(required=True, attribute="team.task.slug")
    phase = String(required=True, attribute="phase.slug")
    team = String(required=True, attribute="team.name", metadata={"description": "The name of the team."})
    name = String(required=True)
    is_primary = Boolean(required=True)
    description = _said("description")
    method = _said("method")
    resources = _said("resources")
    links = _said("links")
    authors = _said("authors")
    baseline = String(required=True, allow_none=True)
    created_at = AwareDateTime(required=True)


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


ROW_ID = RangeValidator(min=1, max=2**31 - 1)
SLUG = LengthValidator(min=1, max=64)


class TeamQuery(RequestSchema):
    """Of which team, for those who see all of the task."""

    team = CountField(
        validate=ROW_ID,
        metadata={"description": "Of this team, by its number; for those who see all of the task."},
    )


class RunsQuery(PageQuery, TeamQuery):
    """Which runs: of a phase; of a team, for those who see all of the task."""

    phase = TextField(validate=SLUG, metadata={"description": "Of the phase with this short name."})


class SubmissionsQuery(RunsQuery):
    """Which files: of a run, a level, a phase; of a team, for those who see all of the task."""

    run = CountField(validate=ROW_ID, metadata={"description": "Of this run, by its number."})
    level = TextField(validate=SLUG, metadata={"description": "For the level with this short name."})


class TeamName(Schema):
    """A team: its number, for addresses, and its name."""

    id = Integer(required=True)
    name = String(required=True)


class RunFacts(RunSchema):
    """What a run is, among what it has."""


class FiledSubmission(Schema):
    """A file with its state."""

    submission = Nested(SubmissionSchema, required=True)
    withdrawn = Boolean(required=True)
    counts = Boolean(required=True, metadata={"description": "Whether it is what counts at its level."})


class FiledOfTeam(FiledSubmission):
    """A file with its state, and whose it is."""

    team = Nested(TeamName, required=True, attribute="submission.run.team")


class SubmissionsPage(Paged):
    """Some of the files, the newest first."""

    items = List(Nested(FiledOfTeam), required=True)


class ScoredSubmission(FiledOfTeam):
    """A file with what came of it."""

    state = String(
        required=True,
        metadata={"enum": ["scored", "stored"], "description": "“stored” where the phase hides scores."},
    )
    scores = List(
        Nested(ScoreSchema),
        required=True,
        allow_none=True,
        metadata={"description": "Null where the phase hides them."},
    )
    receipt = String(
        required=True,
        allow_none=True,
        metadata={"description": "The signed receipt, a JSON text: save it byte by byte."},
    )


class CountingSchema(Schema):
    """A file that counts at a level, on time or late."""

    level = String(required=True, attribute="level.slug")
    submission = Integer(required=True, attribute="id", metadata={"description": "The file, by its number."})
    late = Boolean(required=True)


class FiledRun(Schema):
    """A run with what counts of it."""

    run = Nested(RunFacts, required=True)
    team = Nested(TeamName, required=True, attribute="run.team")
    withdrawn = Boolean(required=True)
    counting = List(Nested(CountingSchema), required=True)


class RunsPage(Paged):
    """Some of the runs, by phase and team."""

    items = List(Nested(FiledRun), required=True)


class LeftSchema(Schema):
    """How many more files of a level may be scored, for all runs of the team; null: without that bound."""

    in_all = Integer(required=True, allow_none=True)
    today = Integer(
        required=True,
        allow_none=True,
        metadata={"description": "Within this day of UTC; null: without that bound."},
    )


class LevelState(Schema):
    """What a run has at a level."""

    level = String(required=True)
    on_time = Integer(
        required=True,
        allow_none=True,
        metadata={"description": "The file that counts, by its number; null: there is none."},
    )
    late = Integer(
        required=True,
        allow_none=True,
        metadata={"description": "The late file that is shown apart, by its number; null: there is none."},
    )
    left = Nested(LeftSchema, required=True)


class RunState(Schema):
    """A run with what counts at each level, and what is left to send."""

    run = Nested(RunFacts, required=True)
    withdrawn = Boolean(required=True)
    levels = List(Nested(LevelState), required=True)


class LevelWithFiles(LevelState):
    """What a run has at a level, with everything ever sent, the newest first."""

    files = List(
        Nested(FiledSubmission),
        required=True,
        metadata={"description": "Everything ever sent, the newest first."},
    )


class RunWithFiles(RunState):
    """A run with all its files."""

    team = Nested(TeamName, required=True, attribute="run.team")
    levels = List(Nested(LevelWithFiles), required=True)


class MissingSchema(Schema):
    """A run, by its number, and a level that it has no file on time for."""

    run = Integer(required=True, metadata={"description": "The run, by its number."})
    level = String(required=True)


class LevelQuota(Schema):
    """What is left at a level for all runs of the team together."""

    level = String(required=True, attribute="level.slug")
    left = Nested(LeftSchema, required=True)


class PhaseTimes(Schema):
    """When a phase takes the files of a team."""

    phase = String(required=True, attribute="view.phase.slug")
    state = String(required=True, attribute="view.state", metadata=PHASE_STATE)
    opens = AwareDateTime(required=True, allow_none=True, attribute="view.window.opens")
    closes = AwareDateTime(required=True, allow_none=True, attribute="view.window.closes")
    closes_for_all = AwareDateTime(
        required=True,
        allow_none=True,
        attribute="view.phase.closes",
        metadata={"description": "Without the time that this team alone has."},
    )
    grace_ends = AwareDateTime(required=True, allow_none=True, attribute="view.window.grace_ends")


class PhaseCounts(PhaseTimes):
    """What counts of a team in one phase."""

    runs = List(Nested(RunState), required=True)
    withdrawn = List(
        Nested(RunState), required=True, metadata={"description": "The runs that were taken back."}
    )
    missing = List(Nested(MissingSchema), required=True)
    quotas = List(Nested(LevelQuota), required=True)
    next_day = AwareDateTime(required=True, metadata={"description": "When the quota of a day begins anew."})


class Counts(Schema):
    """What counts of a team: in the phases that take files, and in the one that closed last."""

    team = Nested(TeamName, required=True)
    phases = List(
        Nested(PhaseCounts),
        required=True,
        metadata={"description": "Those that take files, and the one that closed last."},
    )
    early = List(Nested(PhaseTimes), required=True, metadata={"description": "Those that open later."})
