"""Forms for runs."""

from flask_wtf.file import MultipleFileField
from wtforms import BooleanField, TextAreaField

from server.core.i18n import N_, _
from server.runs.links import MAX_LINK_LENGTH, MAX_LINKS, is_link, split_links
from server.web.fields import SiteForm, line_field, lines_field
from server.web.validators import NAME, TextValidator, find_invisible_in_lines, trim


def _find_bad_link(text: str) -> str | None:
    """Return an error for lines that are not links, with the number of the first."""
    lines = split_links(text)
    if len(lines) > MAX_LINKS:
        return _("Enter at most %(most)d links.", most=MAX_LINKS)
    for number, line in enumerate(lines, start=1):
        if not is_link(line):
            return _(
                "Link %(number)d is not a valid URL. Start it with https:// or http://, and use at "
                "most %(most)d characters without spaces.",
                number=number,
                most=MAX_LINK_LENGTH,
            )
    return None


RUN_TEXT = TextValidator(find_invisible_in_lines, most=2000, clean=trim)
RUN_LINKS = TextValidator(find_invisible_in_lines, _find_bad_link, most=4000, clean=trim)


def _text_field(label: str, description: str, rows: int = 3) -> TextAreaField:
    return lines_field(RUN_TEXT, label, description, rows, maxlength=RUN_TEXT.max)


class RunForm(SiteForm):
    """A run: one system of the team, and its description."""

    name = line_field(NAME, N_("Run name"), N_("Shown on the leaderboard next to the team's name."))
    description = _text_field(N_("Description"), N_("One or two sentences about the system (optional)."))
    method = _text_field(N_("Method"), N_("Model, features, training; for the overview paper (optional)."))
    resources = _text_field(
        N_("Resources"), N_("Data, lexicons and pretrained models besides the task's data (optional).")
    )
    links = lines_field(
        RUN_LINKS,
        N_("Links"),
        N_("Code, model or paper; one URL per line (optional)."),
        rows=2,
        maxlength=RUN_LINKS.max,
    )
    authors = _text_field(N_("Authors"), N_("As in a paper, one per line (optional)."))

    def texts(self) -> dict[str, str]:
        """Return the texts beside the name."""
        return {field.name: field.data or "" for field in self if isinstance(field, TextAreaField)}


class BaselineForm(RunForm):
    """A baseline that the site does not compute: its description, and its files."""

    name = line_field(NAME, N_("Name"), N_("Shown on the leaderboard, such as GloVe."))
    version = _text_field(N_("Version"), N_("Of the model and the code (optional)."), rows=1)
    licence = _text_field(N_("Licence"), N_("Of the model and the data (optional)."), rows=1)
    command = _text_field(N_("Command"), N_("What was called to make the files (optional)."))
    file = MultipleFileField(N_("Run files"))
    first_is_score = BooleanField(
        N_("The first column has the scores. Accept it although it looks like ids.")
    )
