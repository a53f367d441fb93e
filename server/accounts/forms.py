"""Forms for one's own account, and for confirming somebody else's."""

from wtforms import BooleanField, EmailField, Field, IntegerField, SelectMultipleField, StringField
from wtforms.validators import DataRequired, Length, Optional, Regexp, ValidationError
from wtforms.widgets import CheckboxInput

from server.accounts.scopes import MAX_DAYS, SCOPE_DESCRIPTIONS
from server.core.dates import list_time_zones
from server.core.i18n import N_
from server.web.fields import Holds, SiteForm, line_field
from server.web.validators import NAME, RangeValidator


class NameForm(SiteForm):
    """One's own name."""

    name = line_field(NAME, N_("Name"), N_("Shown to your team and to the organizers, nobody else."))


def _require_zone(_form: object, field: Field) -> None:
    """Refuse what is no name of the IANA database."""
    if field.data and field.data not in list_time_zones():
        raise ValidationError(N_("There is no such zone; choose one of the list, such as Europe/Madrid."))


class ZoneForm(SiteForm):
    """The zone in which a person reads times, beside UTC."""

    time_zone = StringField(
        N_("Time zone"),
        description=N_("Times are then shown in it as well, beside UTC and AoE; empty: not."),
        filters=[lambda text: (text or "").strip() or None],
        validators=[_require_zone],
        render_kw={"list": "zones", "maxlength": 64, "autocomplete": "off", "placeholder": "Europe/Madrid"},
    )


class MailsForm(SiteForm):
    """Which mails a person wants, by their kinds."""

    confirmation = BooleanField(N_("A confirmation of each file that I upload"))
    announcement = BooleanField(N_("Announcements of the organizers"))
    reminder = BooleanField(N_("Reminders before a deadline, while a run of my team lacks a file"))


class ConfirmMemberForm(SiteForm):
    """An account whose mail never came."""

    email = EmailField(
        N_("E-mail address"),
        description=N_("The address that the person signed up with."),
        validators=[
            DataRequired(N_("Give an address.")),
            Length(max=255, message=N_("Use 255 characters at most.")),
            Regexp(r"\s*[^@\s]+@[^@\s]+\s*\Z", message=N_("This is no e-mail address.")),
        ],
        render_kw={"maxlength": 255, "autocomplete": "off"},
    )


class TokenForm(SiteForm):
    """What a script is called, what it may do, and for how long."""

    after = IntegerField(validators=[Optional()])
    name = line_field(NAME, N_("What it is for"), N_("For you alone, so that you know it in the list."))
    scopes = SelectMultipleField(
        N_("It may"),
        choices={str(scope): words for scope, words in SCOPE_DESCRIPTIONS.items()},
        default=["read", "submit"],
        validators=[DataRequired(N_("Choose at least one thing that it may do."))],
        option_widget=CheckboxInput(),
    )
    days = IntegerField(
        N_("Days until it ends"),
        default=90,
        validators=[Holds(RangeValidator(1, MAX_DAYS))],
        render_kw={"inputmode": "numeric", "maxlength": 3},
    )
