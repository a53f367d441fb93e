"""The form that asks which difference a phase's items can show; it changes nothing, so it has no token."""

from wtforms import FloatField, IntegerField
from wtforms.validators import InputRequired

from server.core.i18n import N_
from server.web.fields import Between, SiteForm

MOST_PAIRS = 1_000_000
_CORRELATION = Between(0.01, 0.99, N_("Write a correlation from 0.01 to 0.99."))


class DetectableForm(SiteForm):
    """What is supposed of two systems, and how many pairs are tested together."""

    class Meta:
        """It is sent with an address."""

        csrf = False

    r = FloatField(
        N_("Correlation with the gold"),
        validators=[InputRequired(N_("Give a number.")), _CORRELATION],
        default=0.8,
    )
    between = FloatField(
        N_("Correlation with each other"),
        validators=[InputRequired(N_("Give a number.")), _CORRELATION],
        default=0.9,
    )
    pairs = IntegerField(
        N_("Pairs"),
        description=N_("38 systems make 703."),
        validators=[InputRequired(N_("Give a number.")), Between(1, MOST_PAIRS)],
        default=703,
    )
