"""Forms for one's own account, and for confirming somebody else's."""

from flask_wtf import FlaskForm
from wtforms import BooleanField, EmailField, Field, StringField
from wtforms.validators import DataRequired, Length, Regexp, ValidationError

from server.domain.zones import time_zones
from server.forms.fields import name_field


class NameForm(FlaskForm):
    """One's own name."""

    name = name_field("Name", "Shown to your team and to the organizers, nobody else.")


def _require_zone(_form: object, field: Field) -> None:
    """Refuse what is no name of the IANA database."""
    if field.data and field.data not in time_zones():
        raise ValidationError("There is no such zone; choose one of the list, such as Europe/Madrid.")


class ZoneForm(FlaskForm):
    """The zone in which a person reads times, beside UTC."""

    time_zone = StringField(
        "Time zone",
        description="Times are then shown in it as well, beside UTC and AoE; empty: not.",
        filters=[lambda text: (text or "").strip() or None],
        validators=[_require_zone],
        render_kw={"list": "zones", "maxlength": 64, "autocomplete": "off", "placeholder": "Europe/Madrid"},
    )


class MailsForm(FlaskForm):
    """Which mails a person wants, by their kinds."""

    confirmation = BooleanField("A confirmation of each file that I upload")
    announcement = BooleanField("Announcements of the organizers")
    reminder = BooleanField("Reminders before a deadline, while a run of my team lacks a file")


class ConfirmMemberForm(FlaskForm):
    """An account whose mail never came."""

    email = EmailField(
        "E-mail address",
        description="The address that the person signed up with.",
        validators=[
            DataRequired("Give an address."),
            Length(max=255, message="Use 255 characters at most."),
            Regexp(r"\s*[^@\s]+@[^@\s]+\s*\Z", message="This is no e-mail address."),
        ],
        render_kw={"maxlength": 255, "autocomplete": "off"},
    )
