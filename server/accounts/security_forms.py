"""Flask-Security's forms, with rate limits, and the same answer whether an account exists or not."""

from collections.abc import Callable
from typing import Any

from flask import current_app, g, request, session
from flask_security import (
    ChangeEmailForm,
    ChangePasswordForm,
    ForgotPasswordForm,
    MfRecoveryCodesForm,
    RegisterFormV2,
    ResetPasswordForm,
    SendConfirmationForm,
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

from server.accounts import rate_limits, tokens
from server.accounts.confirmation import confirm_by_password
from server.accounts.models import User
from server.accounts.outbox import normal_address
from server.accounts.rate_limits import (
    ANY_SIGN_IN_FROM_ONE_IP,
    ANY_SIGN_IN_FROM_ONE_NETWORK,
    CODE_LIMIT,
    REQUESTS_FROM_ONE_IP,
    REQUESTS_FROM_ONE_NETWORK,
    SIGN_IN_FROM_ANYWHERE,
    SIGN_IN_FROM_ONE_IP,
    LimitKey,
)
from server.accounts.security_messages import CONFIRM_FIRST, WRONG_CODE
from server.core import clock, db
from server.core.actors import Actor
from server.core.dates import format_utc
from server.core.i18n import N_, _
from server.web.fields import TranslatedForm, line_field
from server.web.validators import TextValidator, find_invisible, one_line


class KeepTokensMixin:
    """Part of forms that change how a person signs in: it revokes their tokens, unless they keep them."""

    keep_tokens = BooleanField(N_("Keep my API tokens"))

    def count_tokens(self) -> int:
        """Count the tokens of the person that can be kept."""
        person = getattr(self, "user", None) or current_user
        return len(tokens.list_tokens(_session(), Actor(user_id=person.id), clock.now()))


def keeps_tokens() -> bool:
    """Whether the person chose to keep their tokens in the submitted form."""
    return request.form.get("keep_tokens") == "y"


def check_guess(form: Any, keyed: list[LimitKey], check: Callable[[], bool]) -> bool:
    """Whether a guess is right; after too many wrong ones, guesses are rejected unchecked for a while."""
    if _is_locked(form, keyed, N_("Too many failed attempts. Try again at %(at)s.")):
        return False
    if check():
        return True
    _note_attempt(keyed)
    return False


def _is_locked(form: Any, keyed: list[LimitKey], message: str) -> bool:
    """Whether a limit has been reached; then the form says when it resets."""
    until = rate_limits.find_lock(_session(), keyed, clock.now())
    if until is None:
        return False
    form.form_errors = [*form.form_errors, _(message, at=format_utc(until, seconds=True))]
    return True


def _note_attempt(keyed: list[LimitKey]) -> None:
    current = _session()
    if db.is_writing(current):  # committed at the end of the request
        rate_limits.note_attempt(current, keyed, clock.now())
    else:
        with db.writing(current):
            rate_limits.note_attempt(current, keyed, clock.now())


class MailRequestMixin:
    """Part of forms by which anyone can have an email sent to any address; a network has a limit."""

    def validate(self, **kwargs: Any) -> bool:
        """Count the request, and check the form unless there were too many."""
        limits = (REQUESTS_FROM_ONE_IP, REQUESTS_FROM_ONE_NETWORK)
        keyed = list(zip(limits, rate_limits.find_networks(request.remote_addr), strict=True))
        if _is_locked(self, keyed, N_("Too many requests from your network. Try again at %(at)s.")):
            return False
        _note_attempt(keyed)
        return bool(super().validate(**kwargs))  # type: ignore[misc]  # that of the form


class SignUpForm(MailRequestMixin, TranslatedForm, RegisterFormV2):
    """The sign-up form, with the name that team members and organizers see."""

    name = line_field(
        TextValidator(find_invisible, most=80, empty=N_("Enter a name."), clean=one_line),
        N_("Name"),
        N_("Visible to your team and the organizers only."),
        autocomplete="name",
    )

    def validate(self, **kwargs: Any) -> bool:
        """Check the form; the account of an address that was never confirmed is replaced."""
        is_valid = super().validate(**kwargs)
        if self.existing_email_user is None or self.existing_email_user.confirmed_at is not None:
            return is_valid
        self.existing_email_user, self.email.errors = None, []
        return not self.errors


class ConfirmationRequestForm(MailRequestMixin, TranslatedForm, SendConfirmationForm):
    """Requests the link that confirms an address again."""


class NewAddressForm(MailRequestMixin, TranslatedForm, ChangeEmailForm):
    """The new address of an account."""


STAY_SIGNED_IN_KEY = "stays_signed_in"
"""In the cookie until the second factor is given: whether the person wants to stay signed in."""


class SignInForm(TranslatedForm, LoginForm):
    """The sign-in form, with the same answer and rate limit whether the account exists or not."""

    remember = None  # type: ignore[assignment]  # it would have Flask-Login set a cookie of its own
    stay = BooleanField(N_("Stay signed in on this computer"), name="remember")

    def validate(self, **kwargs: Any) -> bool:
        """Check the address and the password."""
        address = normal_address(self.email.data or "")
        if not (address and self.password.data):
            return bool(super().validate(**kwargs))
        if check_guess(self, self._keyed(address), lambda: self._check(**kwargs)):
            session[STAY_SIGNED_IN_KEY] = bool(self.stay.data)
            return not self.requires_confirmation
        return False

    def _check(self, **kwargs: Any) -> bool:
        """Check the password; if it is right, confirm the account or say that it is not confirmed."""
        right = bool(super().validate(**kwargs))
        if not right and self.user_authenticated and self.requires_confirmation:
            self.email.errors = []
            self.requires_confirmation = not confirm_by_password(_session(), self.user)
            if self.requires_confirmation:
                self.form_errors.append(_(CONFIRM_FIRST))
            return True
        return right

    @staticmethod
    def _keyed(address: str) -> list[LimitKey]:
        ip, network = rate_limits.find_networks(request.remote_addr)
        return [
            (SIGN_IN_FROM_ONE_IP, f"{address} {ip}"),
            (SIGN_IN_FROM_ANYWHERE, address),
            (ANY_SIGN_IN_FROM_ONE_IP, ip),
            (ANY_SIGN_IN_FROM_ONE_NETWORK, network),
        ]

    @classmethod
    def forget_failures(cls, current: Session, user: User) -> None:
        """Reset the counters of the address, but not of the network, after the right password was given."""
        rate_limits.forget_attempts(current, cls._keyed(user.email)[:2])


class PasswordAgainForm(TranslatedForm, VerifyForm):
    """Asks for the password again, and for a code if signing in needs one, before sensitive actions."""

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
    """Whether a text is a code of the person's app or a recovery code; either is used up by this."""
    security, code = current_app.extensions["security"], "".join(text.split()).lower()
    window = current_app.config["SECURITY_TWO_FACTOR_AUTHENTICATOR_VALIDITY"]
    if security.totp_factory.verify_totp(code, user.tf_totp_secret, user, window):
        return True
    recovery = security.mf_recovery_codes_util
    return bool(recovery.check_recovery_code(user, code) and recovery.delete_recovery_code(user, code))


class ResetRequestForm(MailRequestMixin, TranslatedForm, ForgotPasswordForm):
    """Requests a new password; it takes as long for an address without an account as for one with it."""

    def validate(self, **kwargs: Any) -> bool:
        """Check the address; where there is none, the view hashes a password."""
        is_valid = bool(super().validate(**kwargs))
        if is_valid:
            hash_password("as long as for nobody")
        return is_valid


class ResetForm(KeepTokensMixin, TranslatedForm, ResetPasswordForm):
    """A new password, by a link in an email."""


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
    """Chooses the second factor; the page has a button for each choice, so no list of them is needed."""

    setup = StringField()  # type: ignore[assignment]  # in place of a list of choices


class HiddenChoiceField(StringField):
    """A field that no page shows; Flask-Security adds other options to its choices."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.choices: list[tuple[str, str]] = []


class NoRescueForm(TranslatedForm, TwoFactorRescueForm):
    """Flask-Security creates this form with every page that asks for a code; our pages do not show it."""

    help_setup = HiddenChoiceField()  # type: ignore[assignment]  # as above


class CodeForm(KeepTokensMixin, TranslatedForm, TwoFactorVerifyCodeForm):
    """Asks for a code of the authenticator app."""

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
    """Asks for one of the recovery codes."""

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
