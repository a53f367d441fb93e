"""Codes of an authenticator app: each is good once, and one that is mistyped costs no key."""

from collections.abc import Callable
from typing import Any

from blinker import Signal
from flask import Flask, current_app, g, render_template, session
from flask.typing import ResponseReturnValue
from flask_security import MfRecoveryCodesUtil, UserMixin, current_user
from flask_security import Totp as SecurityTotp
from flask_security.utils import check_and_get_token_status
from passlib.totp import TotpMatch

from server.models import User

recovery_codes_made = Signal()
"""Sent with the app and `user`, as Flask-Security sends what else changes of the second factor."""


class RecoveryCodes(MfRecoveryCodesUtil):
    """Flask-Security's, which says when new ones are made."""

    def create_recovery_codes(self, user: UserMixin) -> list[str]:
        """Make new codes, which end the old."""
        codes: list[str] = super().create_recovery_codes(user)
        recovery_codes_made.send(current_app._get_current_object(), user=user)  # type: ignore[attr-defined]
        return codes


class Totp(SecurityTotp):
    """Flask-Security's, which remembers the newest code that was used."""

    def get_last_counter(self, user: User) -> int | None:  # type: ignore[override]  # ours are Users
        """The newest code that was used."""
        return user.tf_last_counter

    def set_last_counter(self, user: User, tmatch: TotpMatch) -> None:  # type: ignore[override]  # so too
        """Note the code as used; the view commits."""
        user.tf_last_counter = tmatch.counter


def keep_key(app: Flask) -> None:
    """Ask for the code again, for the same key, where Flask-Security would begin anew with another."""
    endpoint = "security.two_factor_setup_validate"
    app.view_functions[endpoint] = _asking_again(app.view_functions[endpoint])


def _asking_again(validate: Callable[..., Any]) -> Callable[..., ResponseReturnValue]:
    def view(token: str) -> ResponseReturnValue:
        answer: ResponseReturnValue = validate(token)
        form = g.pop("wrong_code", None)
        if form is None:
            return answer
        session.pop("_flashes", None)  # the form says it, beside its field
        security = current_app.extensions["security"]
        within = current_app.config["SECURITY_TWO_FACTOR_SETUP_WITHIN"]
        _expired, _invalid, state = check_and_get_token_status(token, "tf_setup", within)
        values = security.totp_factory.fetch_setup_values(state["totp_secret"], current_user)
        return render_template(
            "security/two_factor_setup.html",
            chosen_method=state["method"],
            state_token=token,
            two_factor_verify_code_form=form,
            authr_qrcode=values["image"],
            authr_key=values["key"],
        )

    return view
