"""Signing up, in and out by Flask-Security: its forms, datastore and commits, the listed exception."""

import hashlib
import hmac
import uuid

from flask import Flask
from flask_security import (
    RegisterFormV2,
    Security,
    SQLAlchemySessionUserDatastore,
    hash_password,
)
from sqlalchemy import select
from sqlalchemy.orm import Session, scoped_session
from wtforms import StringField
from wtforms.validators import DataRequired, Length

from server import clock
from server.config import Config
from server.errors import NameTaken
from server.models import Role, User

_NO_MATCH = ("Address and password belong to no account.", "error")
MESSAGES = {
    "SECURITY_MSG_EMAIL_NOT_PROVIDED": ("Give your e-mail address.", "error"),
    "SECURITY_MSG_INVALID_EMAIL_ADDRESS": ("This is no e-mail address.", "error"),
    "SECURITY_MSG_PASSWORD_NOT_PROVIDED": ("Give your password.", "error"),
    "SECURITY_MSG_PASSWORD_INVALID_LENGTH": ("Use %(length)s characters at least.", "error"),
    "SECURITY_MSG_EMAIL_ALREADY_ASSOCIATED": ("%(email)s has an account already; sign in instead.", "error"),
    "SECURITY_MSG_USER_DOES_NOT_EXIST": _NO_MATCH,
    "SECURITY_MSG_INVALID_PASSWORD": _NO_MATCH,
}


class SignUpForm(RegisterFormV2):
    """Flask-Security's form, and the name that team and organizers read."""

    name = StringField(
        "Name",
        description="Shown to your team and to the organizers, nobody else.",
        validators=[DataRequired("Give a name."), Length(max=80, message="Use 80 characters at most.")],
        filters=[lambda text: " ".join(text.split()) if text else text],
        render_kw={"autocomplete": "name", "maxlength": 80},
    )


def init_accounts(app: Flask, config: Config, session: scoped_session[Session]) -> None:
    """Put Flask-Security on the app."""
    app.config.update(
        SECURITY_PASSWORD_SALT=_derive(config.secret_key, "password salt"),
        SECURITY_REGISTERABLE=True,
        SECURITY_SEND_REGISTER_EMAIL=False,
        SECURITY_USE_REGISTER_V2=True,
        SECURITY_PASSWORD_CONFIRM_REQUIRED=False,
        SECURITY_LOGIN_URL="/sign-in",
        SECURITY_LOGOUT_URL="/sign-out",
        SECURITY_REGISTER_URL="/sign-up",
        SECURITY_STATIC_FOLDER=None,
        SECURITY_EMAIL_VALIDATOR_ARGS={"check_deliverability": False, "test_environment": True},
        SECURITY_MSG_UNAUTHENTICATED=("Sign in to see this page.", "info"),
        **MESSAGES,
        REMEMBER_COOKIE_SECURE=config.secure_cookies,
        REMEMBER_COOKIE_HTTPONLY=True,
        REMEMBER_COOKIE_SAMESITE="Lax",
    )
    if config.testing:
        app.config["SECURITY_PASSWORD_HASH_PASSLIB_OPTIONS"] = {
            "argon2__time_cost": 1,
            "argon2__memory_cost": 8,
            "argon2__parallelism": 1,
        }
    datastore = SQLAlchemySessionUserDatastore(session, User, Role)
    Security(app, datastore, register_form=SignUpForm)


def create_account(session: Session, email: str, name: str, password: str) -> User:
    """An account without the form; needs the app's context for the password hash.

    Raises:
        NameTaken: there is an account with this address.
    """
    email = email.strip().lower()
    if find_account(session, email) is not None:
        raise NameTaken(f"There is an account with the address {email} already.")
    user = User(
        email=email,
        name=" ".join(name.split()),
        password=hash_password(password),
        active=True,
        fs_uniquifier=uuid.uuid4().hex,
        created_at=clock.now(),
    )
    session.add(user)
    session.flush()
    return user


def set_password(user: User, password: str) -> None:
    """A new password, which ends every session of the account."""
    user.password = hash_password(password)
    user.fs_uniquifier = uuid.uuid4().hex


def find_account(session: Session, email: str) -> User | None:
    """The account with this address."""
    return session.scalar(select(User).where(User.email == email.strip().lower()))


def _derive(secret: str, purpose: str) -> str:
    return hmac.new(secret.encode(), purpose.encode(), hashlib.sha256).hexdigest()
