"""The forms of the pages, for the API: filled with what programs send, and their bounds for the schemas.

So one place says what a name may be."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

from apiflask.exceptions import HTTPError
from werkzeug.datastructures import MultiDict
from wtforms import BooleanField, Field, RadioField, SelectField
from wtforms.validators import DataRequired, Regexp

from server.core.i18n import _
from server.web.fields import MaxLength, NumberBounds, SiteForm

AnyForm = TypeVar("AnyForm", bound=SiteForm)


def fill_form(
    form: type[AnyForm],
    given: Mapping[str, Any],
    choices: Mapping[str, Sequence[tuple[str, str]]] | None = None,
    **options: Any,
) -> AnyForm:
    """The form of a page with what a program sent.

    What it says of a field is said to the program; there is no CSRF token, for there is no cookie.
    """
    filled = form(formdata=_form_data(given), meta={"csrf": False}, **options)
    for name, offered in (choices or {}).items():
        filled[name].choices = offered
    if filled.validate():
        return filled
    raise HTTPError(422, detail={"json": {name: _faults(filled[name]) for name in filled.errors}})


def _faults(field: Field) -> Sequence[str]:
    """What is wrong with a field; where only a few words may stand, which."""
    offered = [str(choice[0]) for choice in field.iter_choices()] if isinstance(field, SelectField) else []
    if offered and str(field.data) not in offered:
        return [_("Send one of: %(there)s.", there=", ".join(offered))]
    return field.errors


def _form_data(given: Mapping[str, Any]) -> MultiDict[str, str]:
    """As a browser sends it: a box that is not ticked is left out, and what is null is an empty field."""
    form_data: MultiDict[str, str] = MultiDict()
    for name, value in given.items():
        for item in value if isinstance(value, list) else [value]:
            if item is not False:
                form_data.add(name, _form_text(item))
    return form_data


def _form_text(value: Any) -> str:
    if isinstance(value, datetime):
        return f"{value.astimezone(UTC):%Y-%m-%d %H:%M:%S}"
    if value is None:
        return ""
    return "y" if value is True else str(value)


def form_values(form: SiteForm) -> dict[str, Any]:
    """What a form that shows a row says of it, as a program would send it."""
    return {
        field.name: field.data if isinstance(field, BooleanField | RadioField) else field._value()
        for field in form
        if isinstance(field, BooleanField | RadioField) or hasattr(field, "_value")
    }


def field_bounds(form: type[SiteForm], name: str, words: str | None = None) -> dict[str, Any]:
    """What JSON Schema says of a form's field, and what is said of it beside that."""
    bounds: dict[str, Any] = {} if words is None else {"description": words}
    for rule in getattr(form, name).kwargs["validators"]:
        match rule:
            case MaxLength():
                bounds["maxLength"] = rule.most
            case NumberBounds():
                bounds |= {"minimum": rule.low, "maximum": rule.high}
            case Regexp():
                bounds["pattern"] = rule.regex.pattern
            case DataRequired():
                bounds["minLength"] = 1
    return bounds
