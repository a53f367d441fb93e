"""What is uploaded, and the answer."""

from typing import Any

from apiflask import Schema
from apiflask.fields import AwareDateTime, Boolean, Float, Integer, List, Nested, String
from apiflask.validators import Length
from marshmallow import ValidationError, pre_load
from webargs.multidictproxy import MultiDictProxy

from server.core.i18n import N_, _
from server.submissions.schemas.runs import ScoredSubmission
from server.web.rest.fields import ListField, PatternValidator, RequestSchema, TextField, UploadField
from server.web.rest.responses import Paged


class Parts(RequestSchema):
    """The parts of a form; of those with files the library passes over what is not known."""

    @pre_load
    def require_known(self, sent: MultiDictProxy, **_options: Any) -> MultiDictProxy:
        """Refuse a part that is not known; `handle_error` has the words."""
        others = {name: [name] for name in sent if name not in self.load_fields}
        if others:
            raise ValidationError(others)
        return sent


class UploadSchema(Parts):
    """One file."""

    file = UploadField(required=True, metadata={"description": "The file, in a part of the form."})  # type: ignore[no-untyped-call]  # apiflask has no types here

    @pre_load
    def require_sole(self, sent: MultiDictProxy, **_options: Any) -> MultiDictProxy:
        """Of two files the second would be passed over in silence."""
        if len(sent.getlist("file")) > 1:
            raise ValidationError(_("Send one file; this address takes no more."), "file")
        return sent


class WholeRunSchema(Parts):
    """Run files for several levels, or zips of them."""

    file = ListField(
        UploadField(),  # type: ignore[no-untyped-call]  # the same
        required=True,
        validate=Length(min=1),
        metadata={"description": "Each is named by its level; a zip is unpacked."},
    )


class KeyHeader(RequestSchema):
    """A name for the request: sent again with the same bytes, it is answered as the first time."""

    key = TextField(
        data_key="Idempotency-Key",
        load_default=None,
        validate=PatternValidator(
            r"[\x21-\x7e]{1,255}\Z", error=N_("Use 1 to 255 visible ASCII characters.")
        ),
        metadata={
            "description": "A name for the request, yours for 7 days; a program draws one for each upload."
        },
    )


class StoredSubmission(ScoredSubmission):
    """What came of an upload."""

    new = Boolean(
        required=True, metadata={"description": "False: just this file counted already; nothing was stored."}
    )


class StoredOfRun(StoredSubmission):
    """What came of one of several files."""


class StoredRun(Schema):
    """What came of an upload of several files."""

    files = List(Nested(StoredOfRun), required=True)
    ignored = List(String, required=True, metadata={"description": "What of a zip is no run file."})


class CheckedFile(Schema):
    """A file that might be sent now; nothing of it is stored."""

    level = String(required=True, attribute="level.slug")
    filename = String(required=True)
    same = Boolean(required=True, metadata={"description": "Whether just this file counts already."})
    warnings = List(String, required=True, attribute="parsed.warnings")


class CheckedOfRun(CheckedFile):
    """One of several files."""


class CheckedRunSchema(Schema):
    """Files that might be sent now."""

    files = List(Nested(CheckedOfRun), required=True)
    ignored = List(String, required=True, metadata={"description": "What of a zip is no run file."})


class RefusalSchema(Schema):
    """A file that was refused; the file itself is not kept."""

    id = Integer(required=True)
    run_id = Integer(required=True)
    level = String(required=True, attribute="level.slug")
    filename = String(required=True)
    sha256 = String(required=True)
    arrived_at = AwareDateTime(required=True)
    count = Integer(
        required=True,
    )


class RefusalsPage(Paged):
    """Some of the refused uploads of a run, the newest first."""

    items = List(Nested(RefusalSchema), required=True)


class ProblemLineSchema(Schema):
    """A further line with the same problem, and what the message says of that line."""

    line = Integer(required=True, allow_none=True)
    message = String(required=True)


class ProblemSchema(Schema):
    """One problem: where, what, and how to mend it; of several lines that have it, the first one."""

    source = String(required=True)
    line = Integer(required=True, allow_none=True)
    code = String(required=True)
    message = String(required=True)
    count = Integer(
        required=True,
        dump_default=1,  # what an older version stored
        metadata={"description": "How many lines have this problem."},
    )
    others = List(Nested(ProblemLineSchema), required=True, dump_default=[])


class RefusalWithProblems(RefusalSchema):
    """A refused upload with its bad lines."""

    problems = List(Nested(ProblemSchema), required=True)


class DryScoreSchema(Schema):
    """What a file would get; `value` is null where it is undefined."""

    part = String(
        required=True, allow_none=True, metadata={"description": "Of which part of the items; null: of all."}
    )
    metric = String(required=True)
    value = Float(required=True, allow_none=True)
    reason = String(
        required=True, allow_none=True, metadata={"description": "Why there is no value; null: there is one."}
    )
    n = Integer(required=True)
    signature = String(required=True)


class DryRunSchema(Schema):
    """What came of a file that was not entered."""

    gold_version = Integer(required=True)
    scores = List(Nested(DryScoreSchema), required=True)
    warnings = List(String, required=True)
