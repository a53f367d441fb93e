"""Schemas of runs and submissions in the API."""

from apiflask.fields import AwareDateTime, Boolean, Float, Integer, List, Nested, String

from server.api.phases.schemas import PHASE_STATE
from server.runs.forms import RUN_LINKS, RUN_TEXT
from server.web.rest.fields import AnswerSchema, CountField, RequestSchema, TextField, YesNoField
from server.web.rest.requests import ROW_ID
from server.web.rest.responses import Paged, PageQuery
from server.web.validators import NAME, ChoiceValidator, LengthValidator


class RunTextsSchema(RequestSchema):
    """The texts that a team writes about a run."""

    description = TextField(validate=RUN_TEXT)
    method = TextField(validate=RUN_TEXT)
    resources = TextField(validate=RUN_TEXT)
    links = TextField(validate=RUN_LINKS)
    authors = TextField(validate=RUN_TEXT)


class NewRunSchema(RunTextsSchema):
    """A new run."""

    name = TextField(required=True, validate=NAME)


class RunChangeSchema(RunTextsSchema):
    """Changes to a run; omitted fields do not change. The name is fixed after the deadline."""

    name = TextField(validate=NAME)
    is_primary = YesNoField()


class MoveSchema(RequestSchema):
    """Where to move a run in the order of its team and phase."""

    direction = TextField(required=True, validate=ChoiceValidator(["up", "down"]))


class RunSchema(AnswerSchema):
    """One system of a team in a phase."""

    id = Integer()
    task = String(attribute="team.task.slug")
    phase = String(attribute="phase.slug")
    team = String(attribute="team.name")
    name = String()
    is_primary = Boolean()
    description = String()
    method = String()
    resources = String()
    links = String()
    authors = String()
    version = String()
    licence = String()
    command = String()
    baseline = String(allow_none=True)
    created_at = AwareDateTime()


class ScoreSchema(AnswerSchema):
    """A score as the phase shows it to you; `value` is null if it is undefined."""

    metric = String()
    value = Float(allow_none=True)
    undefined_code = String(allow_none=True)
    undefined_reason = String(allow_none=True)
    n = Integer()
    signature = String()
    exact = Boolean()
    part = String(allow_none=True)


class SubmissionSchema(AnswerSchema):
    """One file of a run for a level, as it was uploaded."""

    id = Integer()
    task = String(attribute="run.team.task.slug")
    phase = String(attribute="run.phase.slug")
    run_id = Integer()
    run = String(attribute="run.name")
    level = String(attribute="level.slug")
    filename = String()
    sha256 = String()
    size = Integer()
    arrived_at = AwareDateTime()
    late = Boolean()
    warnings = List(String)


SLUG = LengthValidator(min=1, max=64)


class TeamQuery(RequestSchema):
    """The team, if you may see all of the task."""

    team = CountField(validate=ROW_ID)


class RunsQuery(PageQuery, TeamQuery):
    """Selects runs: of a phase; of a team, if you may see all of the task."""

    phase = TextField(validate=SLUG)


class SubmissionsQuery(RunsQuery):
    """Selects submissions: of a run, level or phase; of a team, if you may see all of the task."""

    run = CountField(validate=ROW_ID)
    level = TextField(validate=SLUG)


class TeamName(AnswerSchema):
    """A team: its number, which is used in paths, and its name."""

    id = Integer()
    name = String()


class RunFacts(RunSchema):
    """The fields of a run that contain no lists."""


class FiledSubmission(AnswerSchema):
    """A submission with its state."""

    submission = Nested(SubmissionSchema)
    withdrawn = Boolean()
    counts = Boolean()


class FiledOfTeam(FiledSubmission):
    """A submission with its state and its team."""

    team = Nested(TeamName, attribute="submission.run.team")


class SubmissionsPage(Paged):
    """A page of submissions, the newest first."""

    items = List(Nested(FiledOfTeam))


class ScoredSubmission(FiledOfTeam):
    """A submission with its outcome."""

    state = String(metadata={"enum": ["scored", "stored"]})
    scores = List(Nested(ScoreSchema), allow_none=True)
    receipt = String(allow_none=True, attribute="receipt.text", dump_default=None)


class CountingSchema(AnswerSchema):
    """A submission that counts at a level, on time or late."""

    level = String(attribute="level.slug")
    submission = Integer(attribute="id")
    late = Boolean()


class FiledRun(AnswerSchema):
    """A run with its submissions that count."""

    run = Nested(RunFacts)
    team = Nested(TeamName, attribute="run.team")
    withdrawn = Boolean()
    counting = List(Nested(CountingSchema))


class RunsPage(Paged):
    """A page of runs, by phase and team."""

    items = List(Nested(FiledRun))


class LeftSchema(AnswerSchema):
    """How many more files of a level may be scored, for all runs of the team; null: unlimited."""

    in_all = Integer(allow_none=True)
    today = Integer(allow_none=True)


class LevelState(AnswerSchema):
    """A run at one level."""

    level = String(attribute="level.slug")
    on_time = Integer(allow_none=True, attribute="on_time.id", dump_default=None)
    late = Integer(allow_none=True, attribute="late.id", dump_default=None)
    left = Nested(LeftSchema)


class RunState(AnswerSchema):
    """A run with the submissions that count at each level, and the files that are missing."""

    run = Nested(RunFacts)
    withdrawn = Boolean()
    levels = List(Nested(LevelState))


class LevelWithFiles(LevelState):
    """A run at one level, with all its submissions, the newest first."""

    files = List(Nested(FiledSubmission))


class RunWithFiles(RunState):
    """A run with all its files."""

    team = Nested(TeamName, attribute="run.team")
    levels = List(Nested(LevelWithFiles))


class MissingSchema(AnswerSchema):
    """A run, by its number, and a level for which it has no file on time."""

    run = Integer(attribute="run.id")
    level = String(attribute="level.slug")


class LevelQuota(AnswerSchema):
    """The files left at a level for all runs of the team together."""

    level = String(attribute="level.slug")
    left = Nested(LeftSchema)


class PhaseTimes(AnswerSchema):
    """When a phase accepts the files of a team."""

    phase = String(attribute="view.phase.slug")
    state = String(attribute="view.state", metadata=PHASE_STATE)
    opens = AwareDateTime(allow_none=True, attribute="view.window.opens")
    closes = AwareDateTime(allow_none=True, attribute="view.window.closes")
    closes_for_all = AwareDateTime(allow_none=True, attribute="view.phase.closes")
    grace_ends = AwareDateTime(allow_none=True, attribute="view.window.grace_ends")


class PhaseCounts(PhaseTimes):
    """The counts of a team in one phase."""

    runs = List(Nested(RunState))
    withdrawn = List(Nested(RunState))
    missing = List(Nested(MissingSchema))
    quotas = List(Nested(LevelQuota))
    next_day = AwareDateTime()


class Counts(AnswerSchema):
    """The counts of a team in the phases that accept files, and in the one that closed last."""

    team = Nested(TeamName)
    phases = List(Nested(PhaseCounts))
    early = List(Nested(PhaseTimes))


class UploadedBaseline(AnswerSchema):
    """A baseline that the site does not compute."""

    id = Integer(attribute="run.id")
    name = String(attribute="run.name")
    removed = Boolean()


class BaselinesSchema(AnswerSchema):
    """The baselines of a phase."""

    present = List(String, attribute="names")
    uploaded = List(Nested(UploadedBaseline), attribute="own")
    released = Boolean()
