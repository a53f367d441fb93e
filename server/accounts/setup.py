"""Sets Flask-Security up for the app: which of its pages exist, at which addresses, with which texts."""

import base64
import hashlib
import hmac
from datetime import timedelta

from flask import Flask, Response, abort, current_app, redirect, request, url_for
from flask.typing import ResponseReturnValue
from flask_security import Security, check_and_update_authn_fresh, current_user

from server.accounts import security_forms
from server.accounts.audit_signals import connect_audit_log
from server.accounts.confirmation import connect_confirmation, requested_path
from server.accounts.datastore import AccountDatastore
from server.accounts.models import Role, User
from server.accounts.outbox import Outbox, OutboxMailUtil
from server.accounts.passwords import CommonPasswordUtil
from server.accounts.second_factor import RecoveryCodes, Totp, show_code_form_again
from server.accounts.security_messages import SECURITY_MESSAGES, TranslationDomain
from server.accounts.sign_in_cookie import SignInCookie
from server.core import clock, db
from server.core.site_resources import Site

WRITE_REQUESTS = {
    ("GET", "security.confirm_email"),
    ("GET", "security.change_email_confirm"),
    ("POST", "security.confirm_email"),
    ("POST", "security.register"),
    ("POST", "security.reset_password"),
    ("POST", "security.change_password"),
    ("POST", "security.verify"),
    ("POST", "security.two_factor_setup"),
    ("POST", "security.two_factor_setup_validate"),
    ("POST", "security.two_factor_token_validation"),
    ("POST", "security.mf_recovery"),
    ("POST", "security.mf_recovery_codes"),
}
"""Endpoints whose views write and commit themselves: their transaction begins as a writing one."""
UNUSED_ENDPOINTS = ("security.two_factor_rescue", "security.tf_select")
"""Pages of Flask-Security that are not used: there is one kind of second factor, without rescue by email."""


def init_accounts(app: Flask, site: Site) -> None:
    """Install Flask-Security on the app."""
    config = site.config
    app.config.update(
        SECURITY_PASSWORD_SALT=_derive(config.secret_key, "password salt"),
        SECURITY_REGISTERABLE=True,
        SECURITY_CONFIRMABLE=True,
        SECURITY_RECOVERABLE=True,
        SECURITY_CHANGEABLE=True,
        SECURITY_CHANGE_EMAIL=True,
        SECURITY_RETURN_GENERIC_RESPONSES=True,
        SECURITY_USE_REGISTER_V2=True,
        SECURITY_JOIN_USER_ROLES=False,
        SECURITY_PASSWORD_CONFIRM_REQUIRED=False,
        SECURITY_TWO_FACTOR=True,
        SECURITY_TWO_FACTOR_ENABLED_METHODS=["authenticator"],
        SECURITY_TWO_FACTOR_RESCUE_EMAIL=False,
        SECURITY_TWO_FACTOR_POST_SETUP_VIEW="/account/",
        SECURITY_TOTP_SECRETS={"1": _derive(config.secret_key, "totp")},
        SECURITY_TOTP_ISSUER="Assay",
        SECURITY_MULTI_FACTOR_RECOVERY_CODES=True,
        SECURITY_MULTI_FACTOR_RECOVERY_CODES_N=8,
        SECURITY_MULTI_FACTOR_RECOVERY_CODES_KEYS=[_fernet_key(config.secret_key)],
        SECURITY_HASHING_SCHEMES=["hex_sha256"],  # for tokens in links, which are signed as well
        SECURITY_DEPRECATED_HASHING_SCHEMES=[],
        SECURITY_LOGIN_URL="/sign-in",
        SECURITY_LOGOUT_URL="/sign-out",
        SECURITY_REGISTER_URL="/sign-up",
        SECURITY_CONFIRM_URL="/confirm",
        SECURITY_RESET_URL="/reset-password",
        SECURITY_VERIFY_URL="/verify",
        SECURITY_CHANGE_URL="/account/password",
        SECURITY_CHANGE_EMAIL_URL="/account/email",
        SECURITY_TWO_FACTOR_SETUP_URL="/account/second-factor",
        SECURITY_MULTI_FACTOR_RECOVERY_CODES_URL="/account/recovery-codes",
        SECURITY_TWO_FACTOR_TOKEN_VALIDATION_URL="/sign-in/code",  # noqa: S106  (an address)
        SECURITY_MULTI_FACTOR_RECOVERY_URL="/sign-in/recovery-code",
        SECURITY_POST_CHANGE_VIEW="/account/",
        SECURITY_POST_CHANGE_EMAIL_VIEW="/account/",
        SECURITY_POST_CONFIRM_VIEW="/sign-in",
        SECURITY_API_ENABLED_METHODS=["session"],
        SECURITY_STATIC_FOLDER=None,
        SECURITY_EMAIL_HTML=False,
        SECURITY_EMAIL_VALIDATOR_ARGS={"check_deliverability": False, "test_environment": True},
        SECURITY_DATETIME_FACTORY=lambda: clock.now(),  # noqa: PLW0108  (looked up when called, so that tests can set it)
        SECURITY_FRESHNESS=timedelta(minutes=10),
        SECURITY_FRESHNESS_GRACE_PERIOD=timedelta(0),
        **{f"SECURITY_{name}": words for name, words in SECURITY_MESSAGES.items()},
    )
    if config.testing:
        app.config["SECURITY_PASSWORD_HASH_PASSLIB_OPTIONS"] = {
            "argon2__time_cost": 1,
            "argon2__memory_cost": 8,
            "argon2__parallelism": 1,
        }
    security = Security(
        app,
        AccountDatastore(site.session, User, Role),
        register_form=security_forms.SignUpForm,
        login_form=security_forms.SignInForm,
        verify_form=security_forms.PasswordAgainForm,
        send_confirmation_form=security_forms.ConfirmationRequestForm,
        forgot_password_form=security_forms.ResetRequestForm,
        reset_password_form=security_forms.ResetForm,
        change_password_form=security_forms.NewPasswordForm,
        change_email_form=security_forms.NewAddressForm,
        two_factor_setup_form=security_forms.SecondFactorForm,
        two_factor_rescue_form=security_forms.NoRescueForm,
        two_factor_verify_code_form=security_forms.CodeForm,
        mf_recovery_form=security_forms.RecoveryCodeForm,
        mf_recovery_codes_form=security_forms.RecoveryCodesForm,
        mail_util_cls=OutboxMailUtil,
        password_util_cls=CommonPasswordUtil,
        totp_cls=Totp,
        mf_recovery_codes_util_cls=RecoveryCodes,
    )
    security.principal.identity_loaders.clear()  # permissions of Flask-Principal are not used
    security.mail_context_processor(
        lambda: {"keeps_tokens": security_forms.keeps_tokens(), "requested_path": requested_path()}
    )
    security.want_json(lambda _request: False)  # a JSON answer could contain Flask-Security's own token
    security.login_manager.request_loader(lambda _request: None)  # and that token must not sign anyone in
    security.i18n_domain = TranslationDomain()
    app.after_request(show_code_form_again)
    app.before_request(_refuse_unused)
    app.before_request(lambda: _begin(site))
    outbox = Outbox(site)
    app.after_request(outbox.queue)
    app.after_request(lambda response: _commit(site, response))
    SignInCookie(site).connect(app)
    connect_audit_log(app, site)
    connect_confirmation(app)


def _refuse_unused() -> ResponseReturnValue | None:
    if request.method == "OPTIONS":
        return None
    if request.endpoint in UNUSED_ENDPOINTS:
        abort(404)
    if request.endpoint == "security.two_factor_token_validation" and current_user.is_authenticated:
        return redirect("/")  # Flask-Security would sign out anyone who follows a link to it
    if request.endpoint == "security.two_factor_setup_validate" and not _gave_password():
        return redirect(url_for("security.two_factor_setup"))  # which asks for it
    return None


def _gave_password() -> bool:
    """Whether the password was entered again recently, or nobody is signed in.

    Flask-Security asks for it before it shows a new key, but takes a key that it showed to another account.
    """
    within, grace = (current_app.config[f"SECURITY_FRESHNESS{end}"] for end in ("", "_GRACE_PERIOD"))
    return not current_user.is_authenticated or check_and_update_authn_fresh(within, grace, "session")


def _begin(site: Site) -> None:
    """Begin a writing transaction for views of Flask-Security that commit by themselves."""
    if _writes():
        db.begin_writing(site.session())


def _writes() -> bool:
    """Whether the request's view writes; link scanners of mail servers send HEAD, which counts as GET."""
    method = "GET" if request.method == "HEAD" else request.method
    return (method, request.endpoint) in WRITE_REQUESTS


def _commit(site: Site, response: Response) -> Response:
    """Commit what was counted before an error, such as wrong codes."""
    if _writes() and response.status_code < 500:
        site.session().commit()
    return response


def _derive(secret: str, purpose: str) -> str:
    return hmac.new(secret.encode(), purpose.encode(), hashlib.sha256).hexdigest()


def _fernet_key(secret: str) -> bytes:
    digest = hmac.new(secret.encode(), b"recovery codes", hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest)
