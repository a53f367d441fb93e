"""Forms for a person's own account, and for confirming another person's."""

from wtforms import BooleanField, EmailField, Field, IntegerField, SelectMultipleField, StringField
from wtforms.validators import DataRequired, Length, Optional, Regexp, ValidationError
from wtforms.widgets import CheckboxInput

from server.accounts.scopes import MAX_DAYS, SCOPE_DESCRIPTIONS
from server.core.dates import list_time_zones
from server.core.i18n import N_
from server.web.fields import SiteForm, ValidatedBy, line_field
from server.web.validators import NAME, RangeValidator


class NameForm(SiteForm):
    """The name of the person."""

    name = line_field(NAME, N_("Name"), N_("Visible to your team and the organizers only."))


def _require_zone(_form: object, field: Field) -> None:
    """Reject a name that is not a time zone of the IANA database."""
    if field.data and field.data not in list_time_zones():
        raise ValidationError(N_("Unknown time zone. Choose one from the list, such as Europe/Madrid."))


class ZoneForm(SiteForm):
    """The time zone in which a person reads times, beside UTC."""

    time_zone = StringField(
        N_("Time zone"),
        description=N_(
            "Times are shown in this zone in addition to UTC and AoE. Leave empty to use the time zone of "
            "your browser."
        ),
        filters=[lambda text: (text or "").strip() or None],
        validators=[_require_zone],
        render_kw={"list": "zones", "maxlength": 64, "autocomplete": "off", "placeholder": "Europe/Madrid"},
    )


class MailsForm(SiteForm):
    """The kinds of emails that a person wants."""

    confirmation = BooleanField(N_("Confirmations of my submissions"))
    announcement = BooleanField(N_("Announcements by organizers"))
    reminder = BooleanField(
        N_("Reminders while my team has missing submissions or a system without a description")
    )
    date = BooleanField(N_("Changed dates and extensions"))
    release = BooleanField(N_("Released and corrected results, and revealed names of anonymous teams"))
    question = BooleanField(N_("Questions that teams ask me as an organizer, and answers to my own team"))
    membership = BooleanField(
        N_("Teams that wait for my approval, decisions about my team, and removals of its members")
    )


class ConfirmAccountForm(SiteForm):
    """The address of an account to confirm, whose confirmation email never arrived."""

    email = EmailField(
        N_("Email address"),
        description=N_("The address that the person signed up with."),
        validators=[
            DataRequired(N_("Enter an email address.")),
            Length(max=255, message=N_("Use at most 255 characters.")),
            Regexp(r"\s*[^@\s]+@[^@\s]+\s*\Z", message=N_("This is not a valid email address.")),
        ],
        render_kw={"maxlength": 255, "autocomplete": "off"},
    )


class TokenForm(SiteForm):
    """The name, scopes and lifetime of an API token."""

    after = IntegerField(validators=[Optional()])
    name = line_field(NAME, N_("Name"), N_("What the token is for, so that you recognize it in the list."))
    scopes = SelectMultipleField(
        N_("Scopes"),
        choices={str(scope): words for scope, words in SCOPE_DESCRIPTIONS.items()},
        default=["read", "submit"],
        validators=[DataRequired(N_("Choose at least one scope."))],
        option_widget=CheckboxInput(),
    )
    days = IntegerField(
        N_("Valid for (days)"),
        default=90,
        validators=[ValidatedBy(RangeValidator(1, MAX_DAYS))],
        render_kw={"inputmode": "numeric", "maxlength": 3},
    )
