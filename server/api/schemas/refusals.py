"""Uploads that were refused."""

from apiflask import Schema
from apiflask.fields import AwareDateTime, Integer, List, Nested, String

from server.web.rest.answers import Paged


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
