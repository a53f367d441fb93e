"""Schemas that requests of several nouns share."""

from apiflask.fields import List, String

from server.web.rest.fields import AnswerSchema, RequestSchema, TextField, YesNoField
from server.web.validators import REASON, RangeValidator

ROW_ID = RangeValidator(min=1, max=2**31 - 1)


class SureSchema(RequestSchema):
    """A confirmation."""

    sure = YesNoField(load_default=False)


class ReasonSchema(RequestSchema):
    """A reason."""

    reason = TextField(required=True, validate=REASON)


class ChangedSchema(AnswerSchema):
    """The names of the fields that changed."""

    changed = List(String)
