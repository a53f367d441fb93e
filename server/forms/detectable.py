"""The form that asks which difference a phase's items can show; it changes nothing, so it has no token."""

from flask_wtf import FlaskForm
from wtforms import FloatField, IntegerField
from wtforms.validators import InputRequired, NumberRange

MOST_PAIRS = 1_000_000
_CORRELATION = NumberRange(0.01, 0.99, "Write a correlation from .01 to .99.")


class DetectableForm(FlaskForm):
    """What is supposed of two systems, and how many pairs are tested together."""

    class Meta:
        """It is sent with an address."""

        csrf = False

    r = FloatField(
        "Correlation with the gold", validators=[InputRequired("Write a number."), _CORRELATION], default=0.8
    )
    between = FloatField(
        "Correlation with each other",
        validators=[InputRequired("Write a number."), _CORRELATION],
        default=0.9,
    )
    pairs = IntegerField(
        "Pairs",
        description="38 systems make 703.",
        validators=[
            InputRequired("Write a number."),
            NumberRange(1, MOST_PAIRS, f"Write a number from 1 to {MOST_PAIRS}."),
        ],
        default=703,
    )
