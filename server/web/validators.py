"""What a field may hold: said once, for forms, for the JSON of programs, and by apispec for openapi.json.

They are validators of marshmallow, whose words are the site's, in its language.
"""

import re
from collections.abc import Callable
from typing import Any

from apiflask.validators import Length, OneOf, Range
from marshmallow import ValidationError

from server.core.i18n import N_, _, translate


class ChoiceValidator(OneOf):
    """One of a few words."""

    def __call__(self, value: Any) -> Any:
        """Refuse others."""
        if value not in self.choices:
            raise ValidationError(_("Send one of: %(there)s.", there=self.choices_text))
        return value


class LengthValidator(Length):
    """A word of so many characters."""

    def __call__(self, value: Any) -> Any:
        """Refuse shorter and longer ones."""
        try:
            return super().__call__(value)
        except ValidationError as error:
            words = _("Send %(low)d to %(high)d characters.", low=self.min, high=self.max)
            raise ValidationError(words) from error


class RangeValidator(Range):
    """A number from one to another; its `error` may have words of its own."""

    def __call__(self, value: Any) -> Any:
        """Refuse others, and None, which is what a form could not read as a number."""
        if value is None or not self.min <= value <= self.max:
            words = self.error or N_("Enter a number from %(low)s to %(high)s.")
            raise ValidationError(_(words, low=self.min, high=self.max))
        return value


class TextValidator(Length):
    """A text: of so many characters, of a pattern, and without what the checks find.

    An empty one may stand unless there are words for that, which then are all that is said of it.
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
        """What a form was sent, as it is kept."""
        return self.clean(text) if text else text

    def __call__(self, value: Any) -> Any:
        """Check a text that was cleaned; None is what a form was not sent."""
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
    """Text with its white space made single blanks."""
    return " ".join(text.split())


def normalize_line_ends(text: str) -> str:
    """Text whose lines end as they do everywhere but in browsers."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _without_byte_mark(text: str) -> str:
    """The same without the mark that some editors put before a text."""
    return normalize_line_ends(text).lstrip("\ufeff")


def find_invisible(text: str) -> str | None:
    """Refuse what cannot be seen, or turns the text around it: two joiners aside, which some scripts need."""
    if all(char.isprintable() or char in "\u200c\u200d" for char in text):
        return None
    return _("Remove invisible characters.")


def find_invisible_in_lines(text: str) -> str | None:
    """The same of each line, which may have tabs."""
    return find_invisible("".join(text.splitlines()).replace("\t", ""))


def _require_letter(text: str) -> str | None:
    """Refuse names of dots and dashes alone."""
    return None if any(char.isalnum() for char in text) else _("A name needs a letter or a digit.")


_CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")


def find_controls(text: str) -> str | None:
    """Refuse control characters, which no text needs, line ends and tabs aside; some turn what follows."""
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


def long_text(most: int = 100_000, empty: str | None = None) -> TextValidator:
    """A text of several lines."""
    return TextValidator(find_controls, most=most, empty=empty, clean=_without_byte_mark)
