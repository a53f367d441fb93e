"""Codes of an authenticator app: each is good once."""

from flask_security import Totp as SecurityTotp
from passlib.totp import TotpMatch

from server.models import User


class Totp(SecurityTotp):
    """Flask-Security's, which remembers the newest code that was used."""

    def get_last_counter(self, user: User) -> int | None:  # type: ignore[override]
        """The newest code that was used."""
        return user.tf_last_counter

    def set_last_counter(self, user: User, tmatch: TotpMatch) -> None:  # type: ignore[override]
        """Note the code as used; the view commits."""
        user.tf_last_counter = tmatch.counter
