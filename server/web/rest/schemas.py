"""The format of errors (RFC 9457), in responses and in openapi.json."""

from typing import Any

from apiflask.fields import Integer, List, Nested, String
from marshmallow import EXCLUDE, Schema

from server.core.errors import list_codes
from server.web.rest.fields import DescribedSchema


class ProblemPart(DescribedSchema):
    """A part of an error, which openapi.json describes inline."""

    class Meta:
        """Options of marshmallow: clients have to expect fields that they do not know."""

        unknown = EXCLUDE


class OtherLine(ProblemPart):
    """A further line with the same error."""

    line = Integer(allow_none=True)
    message = String()
    text = String(allow_none=True)


class LineProblem(ProblemPart):
    """What is wrong with lines of a file."""

    source = String()
    line = Integer(allow_none=True)
    code = String()
    message = String()
    said = String()
    text = String(allow_none=True)
    before = String(allow_none=True)
    after = String(allow_none=True)
    count = Integer()
    others = List(Nested(OtherLine))


class BadLines(ProblemPart):
    """What is wrong with the lines of a file, if the error is about a file."""

    problems = List(Nested(LineProblem), attribute="refused.problems")
    count = Integer(attribute="refused.count")


class BadFile(BadLines):
    """A rejected file of a whole run."""

    filename = String(required=True)
    level = String(required=True, allow_none=True)
    code = String(required=True)
    detail = String(required=True, attribute="message")


class BadField(ProblemPart):
    """A field of the request with a wrong value."""

    place = String(required=True, data_key="in")
    field = String(required=True)
    detail = String(required=True)


CODES = list_codes()


class Problem(BadLines):
    """An error (RFC 9457), with the code and the text that the site's pages show."""

    type = String(required=True)
    title = String(required=True)
    status = Integer(required=True)
    code = String(
        required=True,
        metadata={
            "enum": [code for code, _status, _words in CODES],
            "description": "\n".join(f"- `{code}` ({status}): {words}" for code, status, words in CODES),
        },
    )
    detail = String(required=True)
    files = List(Nested(BadFile))
    good = List(String())
    bad_fields = List(Nested(BadField), data_key="fields")
    reference = String()


def schema_name(schema: Schema | type[Schema]) -> str | None:
    """Return the name of a schema in openapi.json; None to describe it inline."""
    kind: type[Any] = schema if isinstance(schema, type) else type(schema)
    return None if issubclass(kind, ProblemPart) and kind is not Problem else kind.__name__
