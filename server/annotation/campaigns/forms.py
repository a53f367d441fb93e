"""Forms by which organizers create a campaign, and its links and consent texts."""

from flask_wtf.file import FileRequired, MultipleFileField
from wtforms import RadioField
from wtforms.validators import DataRequired

from server.annotation.campaigns.rules import MAX_LINKS
from server.core.i18n import N_
from server.core.zips import MEGABYTE
from server.tasks.forms import TASK_SLUG
from server.web.fields import SiteForm, line_field, lines_field, markdown_field, number_field
from server.web.validators import TITLE, RangeValidator, long_text

UPLOAD_LIMIT = 16 * MEGABYTE
"""The maximum size of a campaign's files in the form; the command adds larger ones."""
FORM_OVERHEAD = MEGABYTE
"""The maximum size of a form's other fields and part headers."""
TEXT_LIMIT = MEGABYTE
"""The maximum size of a form with the names of people, or with consent texts."""
SHOW, EMAIL = "show", "email"
PEOPLE = long_text(200_000)
CONSENT_TEXT = long_text(50_000, empty=N_("Enter the consent text."))


class CampaignNameForm(SiteForm):
    """What a campaign is called."""

    title = line_field(TITLE, N_("Title"), N_("Annotators see it."))
    slug = line_field(
        TASK_SLUG,
        N_("Short name"),
        N_("Used in URLs and in names of files: lowercase letters, digits and hyphens."),
        maxlength=64,
    )


class CampaignForm(SiteForm):
    """The files of a campaign."""

    file = MultipleFileField(
        N_("Files"),
        description=N_(
            "A table of pairs, or a list with a text on each line (.tsv, .csv or .txt). Or annotation.toml "
            "and the files that it names, all at once or in one zip file."
        ),
        validators=[FileRequired(N_("Choose the files first."))],
    )


class LinksForm(SiteForm):
    """The people who get a link, or the number of links."""

    people = lines_field(
        PEOPLE,
        N_("People"),
        N_(
            "One person on each line: a name, an email address, or Name <address>. Each person gets a "
            "pseudonym."
        ),
        rows=6,
    )
    count = number_field(
        RangeValidator(1, MAX_LINKS),
        N_("Or a number of links without names"),
        N_("Used only if you enter no people."),
    )
    delivery = RadioField(
        N_("How annotators get their links"),
        choices={
            SHOW: N_("Show me the links once, so that I can print them or pass them on"),
            EMAIL: N_("Email each person their link"),
        },
        default=SHOW,
        validators=[DataRequired(N_("Choose one."))],
    )


class ConsentForm(SiteForm):
    """The consent text in one language; a campaign has one such form for each of its languages."""

    text = markdown_field(CONSENT_TEXT, N_("Consent text"), rows=16)
