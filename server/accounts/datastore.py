"""Flask-Security's access to accounts."""

from typing import Any

from flask_security import SQLAlchemySessionUserDatastore, UserMixin

from server.accounts.models import User
from server.core import clock


class AccountDatastore(SQLAlchemySessionUserDatastore):
    """Flask-Security's datastore, in which a sign-up replaces an earlier one that was not confirmed."""

    def create_user(self, **values: Any) -> UserMixin:
        """Create an account, or replace the password and name of an unconfirmed one, and void its links."""
        user = self.find_user(email=values["email"])
        if not isinstance(user, User) or user.confirmed_at is not None:
            return super().create_user(**values)
        user.name, user.password, user.created_at = values["name"], values["password"], clock.now()
        self.set_uniquifier(user)
        return user
