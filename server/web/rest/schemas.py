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
    text = String(allow_none=True, metadata={"description": "The line as it was uploaded."})


class LineProblem(ProblemPart):
    """What is wrong with lines of a file."""

    source = String()
    line = Integer(allow_none=True)
    code = String()
    message = String()
    said = String(metadata={"description": "The complete sentence, with file and line."})
    text = String(
        allow_none=True, metadata={"description": "The line as it was uploaded; null if there is none."}
    )
    before = String(allow_none=True, metadata={"description": "The line before it; null if there is none."})
    after = String(allow_none=True, metadata={"description": "The line after it; null if there is none."})
    count = Integer(metadata={"description": "The number of lines with this error."})
    others = List(Nested(OtherLine))


class BadLines(ProblemPart):
    """What is wrong with the lines of a file, if the error is about a file."""

    problems = List(
        Nested(LineProblem),
        attribute="refused.problems",
        metadata={
            "description": "What is wrong with a file: at most a hundred kinds of errors, each with the "
            "first line that has it."
        },
    )
    count = Integer(attribute="refused.count")


class BadFile(BadLines):
    """A rejected file of a whole run."""

    filename = String(required=True)
    level = String(
        required=True,
        allow_none=True,
        metadata={"description": "The slug of the level that the file is for; null if it is not known."},
    )
    code = String(
        required=True,
        metadata={
            "description": "The error code that the file would get alone; `no_level` or `level_twice` for "
            "its name; or what is wrong with a zip file."
        },
    )
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
    title = String(required=True, metadata={"description": "The HTTP status in words."})
    status = Integer(required=True)
    code = String(
        required=True,
        metadata={
            "enum": [code for code, _status, _words in CODES],
            "description": "\n".join(f"- `{code}` ({status}): {words}" for code, status, words in CODES),
        },
    )
    detail = String(required=True)
    files = List(Nested(BadFile), metadata={"description": "The files of a whole run that have errors."})
    good = List(String(), metadata={"description": "The names of the files without errors."})
    bad_fields = List(
        Nested(BadField),
        data_key="fields",
        metadata={"description": "The fields of the request that have errors."},
    )
    reference = String(
        metadata={"description": "The reference of an internal error, which the server's log contains."}
    )


def schema_name(schema: Schema | type[Schema]) -> str | None:
    """Return the name of a schema in openapi.json; None to describe it inline."""
    kind: type[Any] = schema if isinstance(schema, type) else type(schema)
    return None if issubclass(kind, ProblemPart) and kind is not Problem else kind.__name__
