"""Forms for releases."""

from flask_wtf import FlaskForm

from server.forms.fields import reason_field


class WithdrawReleaseForm(FlaskForm):
    """Taking a release back."""

    reason = reason_field("Reason", "The public reads it in place of the board.")
