"""Codes of an authenticator app: each can be used once, and a wrong code does not restart the setup."""

from blinker import Signal
from flask import Response, current_app, g, get_flashed_messages, render_template, request
from flask_security import MfRecoveryCodesUtil, Totp as SecurityTotp, UserMixin, current_user
from flask_security.utils import check_and_get_token_status
from passlib.totp import TotpMatch

from server.accounts.models import User

recovery_codes_made = Signal()
"""Sent with the app and `user`, like Flask-Security's signals for other changes of the second factor."""


class RecoveryCodes(MfRecoveryCodesUtil):
    """Flask-Security's recovery codes, with a signal when new ones are made."""

    def create_recovery_codes(self, user: UserMixin) -> list[str]:
        """Create new codes, which invalidate the old ones."""
        codes: list[str] = super().create_recovery_codes(user)
        recovery_codes_made.send(current_app._get_current_object(), user=user)  # type: ignore[attr-defined]
        return codes


class Totp(SecurityTotp):
    """Flask-Security's time-based codes, of which the newest used one is stored."""

    def get_last_counter(self, user: User) -> int | None:  # type: ignore[override]  # ours are Users
        """Return the time step of the newest code that was used."""
        return user.tf_last_counter

    def set_last_counter(self, user: User, tmatch: TotpMatch) -> None:  # type: ignore[override]  # as above
        """Record the code as used; the view commits."""
        user.tf_last_counter = tmatch.counter


def show_code_form_again(response: Response) -> Response:
    """Ask for the code again with the same key, where Flask-Security would create another key."""
    form = g.pop("wrong_code", None)
    if form is None:
        return response
    get_flashed_messages()  # so that no later page shows the form's error
    security = current_app.extensions["security"]
    token, within = (request.view_args or {})["token"], current_app.config["SECURITY_TWO_FACTOR_SETUP_WITHIN"]
    _expired, _invalid, state = check_and_get_token_status(token, "tf_setup", within)
    values = security.totp_factory.fetch_setup_values(state["totp_secret"], current_user)
    page = render_template(
        "security/two_factor_setup.html",
        said_in_form=True,
        chosen_method=state["method"],
        state_token=token,
        two_factor_verify_code_form=form,
        authr_qrcode=values["image"],
        authr_key=values["key"],
    )
    response.set_data(page)
    response.status_code = 200
    del response.headers["Location"]
    return response
