"""Schemas of the activity log and of jobs in the API."""

from typing import get_args

from apiflask.fields import AwareDateTime, Integer, List, Nested, Raw, String

from server.activity.actions import ACTION_KINDS
from server.api.runs.schemas import TeamQuery
from server.jobs.service import JobState
from server.web.rest.fields import AnswerSchema, CountField, RequestSchema, TextField
from server.web.rest.requests import ROW_ID
from server.web.rest.responses import Paged, PageQuery
from server.web.validators import ChoiceValidator


class JobsQuery(PageQuery):
    """Selects jobs by their state."""

    state = TextField(validate=ChoiceValidator(get_args(JobState)))


class JobSchema(AnswerSchema):
    """A background job."""

    id = Integer()
    kind = String()
    state = String(metadata={"enum": list(get_args(JobState))})
    about = Raw(attribute="numbers", metadata={"type": "object"})
    attempt = Integer()
    error = String(allow_none=True)
    due_at = AwareDateTime()
    created_at = AwareDateTime()
    finished_at = AwareDateTime(allow_none=True)


class JobsPage(Paged):
    """A page of jobs, the newest first; old finished jobs are deleted."""

    items = List(Nested(JobSchema))


class LogQuery(RequestSchema):
    """Selects entries of the log."""

    before = CountField(validate=ROW_ID)
    kind = TextField(validate=ChoiceValidator(ACTION_KINDS))


class TaskLogQuery(LogQuery, TeamQuery):
    """Selects entries of the log of a task, also by team."""


class LineSchema(AnswerSchema):
    """Who did what, and when."""

    number = Integer(attribute="entry.number")
    at = AwareDateTime(attribute="entry.at")
    kind = String(allow_none=True, metadata={"enum": [*ACTION_KINDS, None]})
    action = String(attribute="entry.action")
    team = Integer(allow_none=True, attribute="entry.team_id")
    said = String(attribute="words")


class TaskLine(LineSchema):
    """An entry for people who may see all of the task: teams do not see which organizer acted."""

    actor = String(attribute="entry.actor")


class TeamLog(AnswerSchema):
    """A hundred entries, the newest first."""

    items = List(Nested(LineSchema))
    next = String(allow_none=True)


class TaskLog(TeamLog):
    """A hundred entries, the newest first."""

    items = List(Nested(TaskLine))
