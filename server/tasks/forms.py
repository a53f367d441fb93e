"""The fields of a task: its texts, its scale, and how people reach its organizers."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from flask_wtf.file import FileField, FileRequired
from wtforms import BooleanField, RadioField
from wtforms.validators import InputRequired, Optional

from scorer.bundles.citations import MAX_CITATION, find_citation_fault
from scorer.files.numbers import read_number
from server.core.i18n import N_, _
from server.tasks.contacts import is_contact, is_link
from server.tasks.rules import suggest_slug
from server.web.fields import (
    EditForm,
    ShortFloatField,
    SiteForm,
    ValidatedBy,
    line_field,
    lines_field,
    markdown_field,
    number_field,
)
from server.web.validators import TITLE, RangeValidator, TextValidator, find_invisible, long_text, one_line


def _find_bad_contact(text: str) -> str | None:
    if not text or is_contact(text):
        return None
    return _("Enter an email address, or a link that begins with https://.")


def _find_bad_link(text: str) -> str | None:
    return None if not text or is_link(text) else _("Enter a link that begins with https:// or http://.")


def _find_bad_citation(text: str) -> str | None:
    why = find_citation_fault(text)
    return None if why is None else _("Enter one or more BibTeX entries: %(why)s.", why=why)


ORGANIZERS = TextValidator(find_invisible, most=500, clean=one_line)
CONTACT = TextValidator(_find_bad_contact, most=255, clean=one_line)
MAILING_LIST = TextValidator(_find_bad_link, most=255, clean=one_line)


CITATION = long_text(MAX_CITATION, None, _find_bad_citation)


class ContactForm(EditForm):
    """Who organizes a task, and how to reach them."""

    organizers = line_field(
        ORGANIZERS, N_("Organizers"), N_("Their names, as everyone sees them. Needed to publish the task.")
    )
    contact = line_field(
        CONTACT,
        N_("Contact"),
        N_("An email address or a link, which everyone can see. Needed to publish the task."),
    )
    mailing_list = line_field(MAILING_LIST, N_("Mailing list"), N_("A link (optional)."))
    citation = lines_field(
        CITATION,
        N_("How to cite"),
        N_("BibTeX entries, such as that of your overview paper, which pages of the task show (optional)."),
        rows=6,
    )


TASK_TEXT = long_text()


LICENCE = long_text(2000)


TASK_SLUG = TextValidator(
    empty=N_("Enter a short name."),
    pattern=r"^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$",
    pattern_error=N_("Use lowercase letters, digits and hyphens between them."),
    clean=one_line,
)


SLUG_HINT = N_("Used in URLs, such as similarity-2027: lowercase letters, digits and hyphens.")


_LABEL_LINE = re.compile(r"(\S+?)\s*[:=\s]\s*(.*\S)")


def read_labels(text: str) -> list[tuple[float, str]]:
    """Read the labels of points of a scale, one on each line; other lines are left out."""
    return [label for line in text.split("\n") if (label := _read_label(line)) is not None]


def write_labels(labels: Iterable[tuple[float, str]]) -> str:
    """Write the labels of points of a scale, one on each line."""
    return "\n".join(f"{point:g} = {label}" for point, label in labels)


def _read_label(line: str) -> tuple[float, str] | None:
    match = _LABEL_LINE.fullmatch(line.strip())
    point = None if match is None else read_number(match[1])
    return None if match is None or point is None else (point, match[2])


def _find_bad_label(text: str) -> str | None:
    """Return an error unless each line has a number and a label, and each number occurs once."""
    for line in text.split("\n"):
        if line.strip() and _read_label(line) is None:
            return _('"%(line)s": write a number and its label, such as: 4 = very similar.', line=line[:80])
    numbers = [point for point, _label in read_labels(text)]
    return _("Give each point one label.") if len(set(numbers)) < len(numbers) else None


LABEL_LINES = long_text(10_000, None, _find_bad_label)
SCALE_END = RangeValidator(-1e9, 1e9)


SHIFT_DAYS = RangeValidator(0, 3660)


def _scale_end(label: str) -> ShortFloatField:
    return ShortFloatField(label, validators=[InputRequired(N_("Enter a number.")), ValidatedBy(SCALE_END)])


class ScaleForm(SiteForm):
    """A rating scale, and the labels of its points."""

    low = _scale_end(N_("Lowest value"))
    high = _scale_end(N_("Highest value"))
    step = ShortFloatField(
        N_("Step"),
        description=N_(
            "The difference between two points of the scale. Leave it empty if a label can have any value."
        ),
        validators=[Optional()],
    )
    labels = lines_field(
        LABEL_LINES,
        N_("Labels"),
        N_("One line for each point that has a label, such as: 4 = very similar. Leave empty for none."),
        rows=5,
    )


class StateForm(SiteForm):
    """The confirmation of a change of a task's state."""

    sure = BooleanField(N_("Publish these placeholders"))


class TaskForm(ContactForm):
    """The texts of a task."""

    title = line_field(TITLE, N_("Title"))
    description = markdown_field(TASK_TEXT, N_("Description"), N_("What the task is about."), rows=16)
    licence = lines_field(
        LICENCE, N_("Licence of the data"), N_("One line, shown below the list of data files."), rows=2
    )
    terms = markdown_field(
        TASK_TEXT,
        N_("Terms"),
        N_(
            "Leave empty for none. A change creates a new version, which everyone has "
            "to accept before downloading data or uploading files."
        ),
        rows=10,
    )


class SluggedForm(EditForm):
    """A form with a title, for which a short name is suggested if none was given."""

    def validate(self, extra_validators: Mapping[str, Sequence[Any]] | None = None) -> bool:
        """Validate each field, after the short name was made from the title if none was given."""
        if not self.slug.data:
            self.slug.data = suggest_slug(self.title.data or "")
        valid = bool(super().validate(extra_validators))
        if not self.slug.data:
            words = _("The title has no letters from a to z and no digits. Enter a short name.")
            self.slug.errors = [words] if self.title.data else []
        return valid


class NewTaskForm(SluggedForm):
    """The names of a new task, and what there is already."""

    title = line_field(TITLE, N_("Title"))
    slug = line_field(
        TASK_SLUG,
        N_("Short name"),
        N_(
            "Used in URLs, such as similarity-2027: lowercase letters, digits and hyphens. Leave it empty "
            "to make it from the title. You can change it until the task is published."
        ),
        maxlength=64,
    )
    start = RadioField(
        N_("What do you have?"),
        choices={
            "files": N_("I have items and a gold standard"),
            "ratings": N_("I have texts, and collect ratings first"),
        },
        default="files",
    )


class RenameForm(EditForm):
    """The slug and the title of a draft."""

    slug = line_field(TASK_SLUG, N_("Short name"), SLUG_HINT, maxlength=64)
    title = line_field(TITLE, N_("Title"))


class CopyForm(SiteForm):
    """A copy of a task."""

    slug = line_field(TASK_SLUG, N_("Short name"), SLUG_HINT, maxlength=64)
    days = number_field(
        SHIFT_DAYS,
        N_("Move all dates by this many days"),
        N_("364 days are 52 weeks, so each date stays on the same day of the week."),
        empty=N_("Enter a number of days."),
        default=364,
    )


TEXT_LIMIT = 1024 * 1024
"""The maximum size of the form with a task's texts."""


class TaskFileForm(SiteForm):
    """A picture or a file of the starter kit to add to a task."""

    file = FileField(
        N_("Add a file"),
        description=N_(
            "At most 2 MB. Pictures: PNG, JPEG or WebP, at most 4000 pixels wide or high; the site stores "
            "them without metadata, such as where they were taken. Starter kit: text in UTF-8, such as "
            "Python, notebooks and tables, or a zip of texts. A file with a name below replaces that file."
        ),
        validators=[FileRequired(N_("Choose a file first."))],
    )
