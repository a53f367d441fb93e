"""Schemas of uploads and their outcomes in the API."""

from typing import Any

from apiflask.fields import AwareDateTime, Boolean, Float, Integer, List, Nested, String
from apiflask.validators import Length
from marshmallow import ValidationError, pre_load
from webargs.multidictproxy import MultiDictProxy

from server.api.runs.schemas import RunTextsSchema, ScoredSubmission
from server.core.i18n import N_, _
from server.runs.forms import RUN_TEXT
from server.web.rest.fields import AnswerSchema, FlagField, ListField, RequestSchema, TextField, UploadField
from server.web.rest.responses import Paged
from server.web.rest.schemas import BadFile
from server.web.validators import NAME, TextValidator


class Parts(RequestSchema):
    """The parts of a form; the library ignores unknown parts that are files."""

    @pre_load
    def require_known(self, sent: MultiDictProxy, **_options: Any) -> MultiDictProxy:
        """Raise for unknown parts; `handle_error` has the messages."""
        others = {name: [name] for name in sent if name not in self.load_fields}
        if others:
            raise ValidationError(others)
        return sent


class UploadSchema(Parts):
    """One file."""

    file = UploadField(required=True)  # type: ignore[no-untyped-call]  # apiflask has no types here

    @pre_load
    def require_sole(self, sent: MultiDictProxy, **_options: Any) -> MultiDictProxy:
        """Raise for two files, of which the second would be ignored."""
        if len(sent.getlist("file")) > 1:
            raise ValidationError(_("Send exactly one file."), "file")
        return sent


class FirstColumn(RequestSchema):
    """Whether the first column of run files has the scores."""

    first_is_score = FlagField(load_default=False)


class RightPlace(RequestSchema):
    """Whether run files are for the level and run that they are sent for."""

    sure = FlagField(load_default=False)


class DryRunFileSchema(UploadSchema, FirstColumn):
    """One run file for a dry run."""


class RunFileSchema(UploadSchema, FirstColumn, RightPlace):
    """One run file."""


class WholeRunSchema(Parts, FirstColumn, RightPlace):
    """Run files for several levels, or zips of them."""

    file = ListField(UploadField(), required=True, validate=Length(min=1))  # type: ignore[no-untyped-call]  # as above


class OwnBaselineSchema(Parts, FirstColumn, RunTextsSchema):
    """A baseline that the site does not compute: its name, description and files, or zips of them."""

    name = TextField(required=True, validate=NAME)
    version = TextField(validate=RUN_TEXT)
    licence = TextField(validate=RUN_TEXT)
    command = TextField(validate=RUN_TEXT)
    file = ListField(UploadField(), load_default=[])  # type: ignore[no-untyped-call]  # as above


class KeyHeader(RequestSchema):
    """A key for the request: a retry with the same bytes gets the first response."""

    key = TextField(
        data_key="Idempotency-Key",
        validate=TextValidator(
            pattern=r"^[\x21-\x7e]{1,255}$", pattern_error=N_("Use 1 to 255 visible ASCII characters.")
        ),
    )


class StoredSubmission(ScoredSubmission):
    """The outcome of an upload."""

    new = Boolean()


class StoredOfRun(StoredSubmission):
    """The outcome of one of several files."""


class RunOutcome(AnswerSchema):
    """What several files have in common, checked or uploaded."""

    ignored = List(String)
    left_out = List(Nested(BadFile))


class StoredRun(RunOutcome):
    """The outcome of an upload of several files."""

    files = List(Nested(StoredOfRun))


class CheckedFile(AnswerSchema):
    """A file that could be uploaded now; nothing of it is stored."""

    level = String(attribute="level.slug")
    filename = String()
    same = Boolean()
    warnings = List(String, attribute="parsed.warnings")


class CheckedOfRun(CheckedFile):
    """One of several checked files."""


class CheckedRunSchema(RunOutcome):
    """Files that could be uploaded now."""

    files = List(Nested(CheckedOfRun))


class RefusalSchema(AnswerSchema):
    """A rejected upload; the file itself is not stored."""

    id = Integer()
    run_id = Integer()
    level = String(attribute="level.slug")
    filename = String()
    sha256 = String()
    arrived_at = AwareDateTime()
    count = Integer()


class RefusalsPage(Paged):
    """A page of rejected uploads of a run, the newest first."""

    items = List(Nested(RefusalSchema))


class ProblemLineSchema(AnswerSchema):
    """A further line with the same error, and the message for that line."""

    line = Integer(allow_none=True)
    message = String()


class ProblemSchema(AnswerSchema):
    """One problem: where and what it is, and how to fix it; the first line if several have it."""

    source = String()
    line = Integer(allow_none=True)
    code = String()
    message = String()
    count = Integer()
    others = List(Nested(ProblemLineSchema))


class RefusalWithProblems(RefusalSchema):
    """A rejected upload with its bad lines."""

    problems = List(Nested(ProblemSchema))


class DryScoreSchema(AnswerSchema):
    """A score that a file would get; `value` is null if it is undefined."""

    part = String(allow_none=True)
    metric = String()
    value = Float(allow_none=True)
    reason = String(allow_none=True)
    n = Integer()
    signature = String()


class DryRunSchema(AnswerSchema):
    """The result of a dry run."""

    gold_version = Integer()
    scores = List(Nested(DryScoreSchema))
    warnings = List(String)
