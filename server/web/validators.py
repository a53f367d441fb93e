"""Validators of fields, defined once for forms, for the API, and for apispec in openapi.json.

They extend marshmallow's validators with messages in the site's language.
"""

import re
from collections.abc import Callable
from typing import Any

from apiflask.validators import Length, OneOf, Range
from marshmallow import ValidationError

from server.core.i18n import N_, _, translate


class ChoiceValidator(OneOf):
    """Accepts one of a few words."""

    def __call__(self, value: Any) -> Any:
        """Raise for other words."""
        if value not in self.choices:
            raise ValidationError(_("Send one of: %(there)s.", there=self.choices_text))
        return value


class LengthValidator(Length):
    """Accepts a text with a number of characters in a range."""

    def __call__(self, value: Any) -> Any:
        """Raise for shorter and longer texts."""
        try:
            return super().__call__(value)
        except ValidationError as error:
            words = _("Send %(low)d to %(high)d characters.", low=self.min, high=self.max)
            raise ValidationError(words) from error


class RangeValidator(Range):
    """Accepts a number in a range; `error` may be a custom message."""

    def __call__(self, value: Any) -> Any:
        """Raise for other numbers, and for None, which a form gives for input that is not a number."""
        if value is None or not self.min <= value <= self.max:
            words = self.error or N_("Enter a number from %(low)s to %(high)s.")
            raise ValidationError(_(words, low=self.min, high=self.max))
        return value


class TextValidator(Length):
    """Accepts a text of limited length that matches a pattern and passes the checks.

    An empty text is accepted unless there is a message for it, which then is the only one shown.
    """

    regex: re.Pattern[str] | None = None
    """The pattern; apispec reads it by this name."""

    def __init__(
        self,
        *checks: Callable[[str], str | None],
        most: int | None = None,
        empty: str | None = None,
        pattern: str | None = None,
        pattern_error: str = "",
        clean: Callable[[str], str] = str,
    ) -> None:
        super().__init__(max=most, min=1 if empty else None)
        self.checks, self.empty, self.clean = checks, empty, clean
        if pattern is not None:
            self.regex, self.pattern_error = re.compile(pattern), pattern_error

    def clean_input(self, text: str | None) -> str | None:
        """Clean the input of a form for storage."""
        return self.clean(text) if text else text

    def __call__(self, value: Any) -> Any:
        """Check a text that was cleaned; None is a field that the form did not send."""
        if problems := self._find_problems(value or ""):
            raise ValidationError(problems)
        return value

    def _find_problems(self, text: str) -> list[str]:
        if self.empty and not text.strip():
            return [translate(self.empty)]
        problems = []
        if self.max is not None and len(text) > self.max:
            problems.append(_("Use at most %(most)d characters.", most=self.max))
        if self.regex and not self.regex.fullmatch(text):
            problems.append(translate(self.pattern_error))
        return [*problems, *filter(None, (check(text) for check in self.checks))]


def one_line(text: str) -> str:
    """Replace each run of whitespace by a single space."""
    return " ".join(text.split())


def normalize_line_ends(text: str) -> str:
    """Convert the line ends of browsers to line feeds."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def trim(text: str) -> str:
    """Convert the line ends, and remove whitespace around the text."""
    return normalize_line_ends(text).strip()


def _without_byte_mark(text: str) -> str:
    """Remove the byte order mark that some editors put before a text."""
    return normalize_line_ends(text).lstrip("\ufeff")


def find_invisible(text: str) -> str | None:
    """Return an error for invisible and bidirectional characters, except two joiners that scripts need."""
    if all(char.isprintable() or char in "\u200c\u200d" for char in text):
        return None
    return _("Remove invisible characters.")


def find_invisible_in_lines(text: str) -> str | None:
    """Return an error for invisible characters in a text of several lines, which may have tabs."""
    return find_invisible("".join(text.splitlines()).replace("\t", ""))


def _require_letter(text: str) -> str | None:
    """Return an error for names without a letter or a digit."""
    return None if any(char.isalnum() for char in text) else _("A name needs a letter or a digit.")


_CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")


def find_controls(text: str) -> str | None:
    """Return an error for control characters, except line ends and tabs; some of them reorder text."""
    match = _CONTROL_CHARACTERS.search(text)
    return match and _("Remove the control character U+%(code)s.", code=f"{ord(match[0]):04X}")


NAME = TextValidator(
    find_invisible,
    _require_letter,
    most=80,
    empty=N_("Enter a name."),
    pattern=r"^[^/\\]+$",
    pattern_error=N_("Remove slashes."),
    clean=one_line,
)
"""A short name of one line, without slashes."""
TITLE = TextValidator(find_invisible, most=200, empty=N_("Enter a title."), clean=one_line)
"""A title of one line."""
REASON = TextValidator(find_invisible_in_lines, most=1000, empty=N_("Enter a reason."))
"""A sentence or two that other people will read."""


def long_text(
    most: int = 100_000, empty: str | None = None, *checks: Callable[[str], str | None]
) -> TextValidator:
    """A text of several lines."""
    return TextValidator(find_controls, *checks, most=most, empty=empty, clean=_without_byte_mark)
