"""The bounds of what is sent, as the forms of the pages have them: each is written there alone."""

from typing import Any

from wtforms.validators import DataRequired, Regexp

from server.web.fields import AtMost, Between, SiteForm


def bounds(form: type[SiteForm], name: str, words: str | None = None) -> dict[str, Any]:
    """What JSON Schema says of a form's field, and what is said of it beside that."""
    found: dict[str, Any] = {} if words is None else {"description": words}
    for rule in getattr(form, name).kwargs["validators"]:
        match rule:
            case AtMost():
                found["maxLength"] = rule.most
            case Between():
                found |= {"minimum": rule.low, "maximum": rule.high}
            case Regexp():
                found["pattern"] = rule.regex.pattern
            case DataRequired():
                found["minLength"] = 1
    return found
