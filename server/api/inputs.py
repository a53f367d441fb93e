"""What programs send goes through the forms of the pages: one place says what a name may be."""

from collections.abc import Mapping
from typing import Any, TypeVar

from apiflask.exceptions import HTTPError
from werkzeug.datastructures import MultiDict

from server.forms.fields import SiteForm

AnyForm = TypeVar("AnyForm", bound=SiteForm)


def fill(form: type[AnyForm], given: Mapping[str, Any], **options: Any) -> AnyForm:
    """The form of a page with what a program sent.

    What it says of a field is said to the program; there is no CSRF token, for there is no cookie.
    """
    filled = form(formdata=_sent(given), meta={"csrf": False}, **options)
    if filled.validate():
        return filled
    raise HTTPError(422, detail={"json": filled.errors})


def _sent(given: Mapping[str, Any]) -> MultiDict[str, str]:
    """As a browser sends it: a box that is not ticked is left out, and so is what is null."""
    sent: MultiDict[str, str] = MultiDict()
    for name, value in given.items():
        for one in value if isinstance(value, list) else [value]:
            if one is not None and one is not False:
                sent.add(name, "y" if one is True else str(one))
    return sent
