"""Flask-Security's forms, each with what it lacks: patience that ends, one answer to every wrong guess."""

from collections.abc import Callable
from typing import Any

from flask import current_app, g, request, session
from flask_security import (
    ChangePasswordForm,
    ForgotPasswordForm,
    MfRecoveryCodesForm,
    RegisterFormV2,
    ResetPasswordForm,
    UserMixin,
    current_user,
    hash_password,
)
from flask_security.forms import (
    LoginForm,
    TwoFactorRescueForm,
    TwoFactorSetupForm,
    TwoFactorVerifyCodeForm,
    VerifyForm,
)
from flask_security.recovery_codes import MfRecoveryForm
from sqlalchemy.orm import Session
from wtforms import BooleanField, StringField

from server.accounts import attempts, tokens
from server.accounts.attempts import LimitKey
from server.accounts.models import User
from server.accounts.rate_limits import CODE_LIMIT, SIGN_IN_FROM_ANYWHERE, SIGN_IN_FROM_ONE_IP
from server.accounts.security_messages import CONFIRM_FIRST, WRONG_CODE
from server.core import clock, db
from server.core.actors import Actor
from server.core.dates import format_utc
from server.core.i18n import N_, _
from server.web.fields import TranslatedForm, line_field
from server.web.validators import TextValidator, find_invisible, one_line


class SignUpForm(TranslatedForm, RegisterFormV2):
    """With the name that team and organizers read."""

    name = line_field(
        TextValidator(find_invisible, most=80, empty=N_("Enter a name."), clean=one_line),
        N_("Name"),
        N_("Visible to your team and the organizers only."),
        autocomplete="name",
    )


class KeepTokensMixin:
    """For a form that changes how a person signs in: it revokes their tokens, unless they keep them."""

    keep_tokens = BooleanField(N_("Keep my API tokens"))

    def count_tokens(self) -> int:
        """How many tokens the person has that could be kept."""
        person = getattr(self, "user", None) or current_user
        return len(tokens.list_tokens(_session(), Actor(user_id=person.id), clock.now()))


def keeps_tokens() -> bool:
    """Whether the person chose, in the form that is being answered, to keep their tokens."""
    return request.form.get("keep_tokens") == "y"


def check_guess(form: Any, keyed: list[LimitKey], check: Callable[[], bool]) -> bool:
    """Whether a guess is right; after too many wrong ones none is looked at for a while."""
    current, now = _session(), clock.now()
    until = attempts.find_lock(current, keyed, now)
    if until is not None:
        form.form_errors = [
            *form.form_errors,
            _("Too many failed attempts. Try again at %(at)s.", at=format_utc(until)),
        ]
        return False
    if check():
        return True
    if db.is_writing(current):  # committed at the end of the request
        attempts.note_attempt(current, keyed, now)
    else:
        with db.writing(current):
            attempts.note_attempt(current, keyed, now)
    return False


STAY_SIGNED_IN_KEY = "stays_signed_in"
"""Whether the person wants to stay signed in: in the cookie, until the second factor is given as well."""


class SignInForm(TranslatedForm, LoginForm):
    """The same answer, and the same patience, whether the account exists or not."""

    remember = None  # type: ignore[assignment]  # it would have Flask-Login set a cookie of its own
    stay = BooleanField(N_("Stay signed in on this computer"), name="remember")

    def validate(self, **kwargs: Any) -> bool:
        """Check address and password."""
        address = (self.email.data or "").strip().lower()
        if not (address and self.password.data):
            return bool(super().validate(**kwargs))
        if check_guess(self, self._keyed(address), lambda: self._check(**kwargs)):
            session[STAY_SIGNED_IN_KEY] = bool(self.stay.data)
            return not self.requires_confirmation
        return False

    def _check(self, **kwargs: Any) -> bool:
        """Whether the password is right; then an account that waits to be confirmed is told so."""
        right = bool(super().validate(**kwargs))
        if not right and self.user_authenticated and self.requires_confirmation:
            self.email.errors = []
            self.form_errors.append(_(CONFIRM_FIRST))
            return True
        return right

    @staticmethod
    def _keyed(address: str) -> list[LimitKey]:
        return [(SIGN_IN_FROM_ONE_IP, f"{address} {request.remote_addr}"), (SIGN_IN_FROM_ANYWHERE, address)]

    @classmethod
    def forget_failures(cls, current: Session, user: User) -> None:
        """The right password was given: count anew."""
        attempts.forget_attempts(current, cls._keyed(user.email))


class PasswordAgainForm(TranslatedForm, VerifyForm):
    """The password again, and a code where signing in takes one, before what matters."""

    code = StringField(
        N_("Code"),
        description=N_("A code from your authenticator app, or a recovery code."),
        render_kw={"autocomplete": "one-time-code", "maxlength": 20},
    )

    def __init__(self, *args: Any, user: UserMixin, **kwargs: Any) -> None:
        super().__init__(*args, user=user, **kwargs)
        if not user.tf_primary_method:
            del self.code

    def validate(self, **kwargs: Any) -> bool:
        """Check the password, and then the code: a wrong one of either counts as a guess."""
        check = super().validate
        keyed: list[LimitKey] = [(CODE_LIMIT, f"user:{self.user.id}")]
        return check_guess(self, keyed, lambda: bool(check(**kwargs)) and self._has_code())

    def _has_code(self) -> bool:
        if self.code is None or is_second_factor(self.user, self.code.data or ""):
            return True
        self.code.errors = [_(WRONG_CODE)]
        return False


def is_second_factor(user: UserMixin, text: str) -> bool:
    """Whether a text is a code of the person's app or a recovery code. Either is used up by that."""
    security, code = current_app.extensions["security"], "".join(text.split()).lower()
    window = current_app.config["SECURITY_TWO_FACTOR_AUTHENTICATOR_VALIDITY"]
    if security.totp_factory.verify_totp(code, user.tf_totp_secret, user, window):
        return True
    recovery = security.mf_recovery_codes_util
    return bool(recovery.check_recovery_code(user, code) and recovery.delete_recovery_code(user, code))


class ResetRequestForm(TranslatedForm, ForgotPasswordForm):
    """Asking for a new password takes as long for an address that has an account."""

    def validate(self, **kwargs: Any) -> bool:
        """Check the address; where there is none, the view hashes a password."""
        is_valid = bool(super().validate(**kwargs))
        if is_valid:
            hash_password("as long as for nobody")
        return is_valid


class ResetForm(KeepTokensMixin, TranslatedForm, ResetPasswordForm):
    """A new password, by a link that was mailed."""


class NewPasswordForm(KeepTokensMixin, TranslatedForm, ChangePasswordForm):
    """The old password and a new one."""

    def validate(self, **kwargs: Any) -> bool:
        """Check both; only a wrong old one counts as a guess."""
        check, keyed = super().validate, [(CODE_LIMIT, f"user:{current_user.id}")]
        good = False

        def right() -> bool:
            nonlocal good
            good = bool(check(**kwargs))
            return good or not self.password.errors or not self.password.data

        return check_guess(self, keyed, right) and good


class SecondFactorForm(KeepTokensMixin, TranslatedForm, TwoFactorSetupForm):
    """Which second factor; the page has a button for each answer, and needs no list of them."""

    setup = StringField()  # type: ignore[assignment]  # in place of a list of choices


class HiddenChoiceField(StringField):
    """A field that no page shows; Flask-Security adds ways out to its choices."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.choices: list[tuple[str, str]] = []


class NoRescueForm(TranslatedForm, TwoFactorRescueForm):
    """Flask-Security makes one with every page that asks for a code; ours shows none."""

    help_setup = HiddenChoiceField()  # type: ignore[assignment]  # the same


class CodeForm(KeepTokensMixin, TranslatedForm, TwoFactorVerifyCodeForm):
    """A code of the authenticator app."""

    def validate(self, **kwargs: Any) -> bool:
        """Check the code."""
        check, user = super().validate, self.user
        assert user is not None  # noqa: S101  (the view sets it)
        self.code.data = "".join((self.code.data or "").split())
        right = check_guess(self, [(CODE_LIMIT, f"user:{user.id}")], lambda: bool(check(**kwargs)))
        if not right and self.is_setup:
            g.wrong_code = self
        return right


class RecoveryCodeForm(TranslatedForm, MfRecoveryForm):
    """One of the recovery codes."""

    def validate(self, **kwargs: Any) -> bool:
        """Check the code."""
        check, user = super().validate, self.user
        assert user is not None  # noqa: S101  (the view sets it)
        self.code.data = (self.code.data or "").strip().lower()
        return check_guess(self, [(CODE_LIMIT, f"user:{user.id}")], lambda: bool(check(**kwargs)))


class RecoveryCodesForm(KeepTokensMixin, TranslatedForm, MfRecoveryCodesForm):
    """A button that makes new recovery codes."""


def _session() -> Session:
    current: Session = current_app.extensions["assay"].session()
    return current
