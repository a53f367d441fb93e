"""Flask-Security's messages in this site's words and language."""

from flask_security.babel import FsDomain

from server.core.i18n import N_, translate


class TranslationDomain(FsDomain):
    """Replaces Flask-Security's translations, which only come from Flask-Babel's catalogs."""

    def __init__(self) -> None:
        pass

    def gettext(self, string: str, **variables: object) -> str:
        """Translate a message and put its values in."""
        return translate(string) % variables if variables else translate(string)


CONFIRM_FIRST = N_(
    "Confirm your email address first: open the link in the email that we sent, or request a new one."
)
EMAIL_CONFIRMED = N_("Your email address is confirmed.")
WRONG_CODE = N_("This code is not valid. Wait for the next one and try again.")
_NO_MATCH = (N_("Email address or password is wrong."), "error")
_NO_LINK = (N_("This link is no longer valid. Request a new one here."), "error")

SECURITY_MESSAGES: dict[str, object] = {
    "MSG_UNAUTHENTICATED": (N_("Sign in to see this page."), "info"),
    "MSG_REAUTHENTICATION_REQUIRED": (N_("Confirm your password to continue."), "info"),
    "MSG_REAUTHENTICATION_SUCCESSFUL": (N_("Password confirmed."), "success"),
    "MSG_EMAIL_NOT_PROVIDED": (N_("Enter your email address."), "error"),
    "MSG_INVALID_EMAIL_ADDRESS": (N_("This is not a valid email address."), "error"),
    "MSG_PASSWORD_NOT_PROVIDED": (N_("Enter your password."), "error"),
    "MSG_PASSWORD_INVALID_LENGTH": (N_("Use at least %(length)s characters."), "error"),
    "MSG_RETYPE_PASSWORD_MISMATCH": (N_("The two passwords do not match."), "error"),
    "MSG_PASSWORD_IS_THE_SAME": (N_("This is your old password. Choose a different one."), "error"),
    "MSG_USER_DOES_NOT_EXIST": _NO_MATCH,
    "MSG_INVALID_PASSWORD": (N_("The password is wrong."), "error"),
    "MSG_GENERIC_AUTHN_FAILED": _NO_MATCH,
    "MSG_CONFIRM_REGISTRATION": (
        N_(
            "We sent an email to %(email)s. Open the link in it to confirm your address. "
            "In this browser, it also signs you in; another one asks for your password."
        ),
        "success",
    ),
    "MSG_CONFIRMATION_REQUEST": (
        N_("If there is an unconfirmed account with the address %(email)s, we sent an email to it."),
        "success",
    ),
    "MSG_EMAIL_CONFIRMED": (EMAIL_CONFIRMED, "success"),
    "MSG_ALREADY_CONFIRMED": (N_("Your email address is already confirmed. You can sign in."), "info"),
    "MSG_INVALID_CONFIRMATION_TOKEN": _NO_LINK,
    "MSG_CONFIRMATION_EXPIRED": _NO_LINK,
    "MSG_PASSWORD_RESET_REQUEST": (
        N_("If there is an account with the address %(email)s, we sent an email to it."),
        "success",
    ),
    "MSG_PASSWORD_RESET_EXPIRED": _NO_LINK,
    "MSG_INVALID_RESET_PASSWORD_TOKEN": _NO_LINK,
    "MSG_PASSWORD_RESET_NO_LOGIN": (N_("Your new password was set. Sign in with it."), "success"),
    "MSG_PASSWORD_CHANGE": (N_("Your new password was set. All other browsers were signed out."), "success"),
    "MSG_DISABLED_ACCOUNT": _NO_MATCH,
    "MSG_CHANGE_EMAIL_SENT": (
        N_("We sent an email to %(email)s. Your address changes when you open the link in it."),
        "success",
    ),
    "MSG_CHANGE_EMAIL_CONFIRMED": (N_("Your email address was changed."), "success"),
    "MSG_CHANGE_EMAIL_EXPIRED": _NO_LINK,
    "MSG_API_ERROR": _NO_LINK,
    "MSG_TWO_FACTOR_INVALID_TOKEN": (WRONG_CODE, "error"),
    "MSG_TWO_FACTOR_METHOD_NOT_AVAILABLE": (N_("Press one of the buttons."), "error"),
    "MSG_TWO_FACTOR_LOGIN_SUCCESSFUL": (N_("You are signed in."), "success"),
    "MSG_TWO_FACTOR_CHANGE_METHOD_SUCCESSFUL": (
        N_(
            "Two-factor authentication is on. Create recovery codes now in case you lose the device. "
            "All other browsers were signed out."
        ),
        "success",
    ),
    "MSG_TWO_FACTOR_DISABLED": (
        N_("Two-factor authentication is off. All other browsers were signed out."),
        "success",
    ),
    "MSG_TWO_FACTOR_SETUP_EXPIRED": (N_("This took too long. Start again."), "error"),
    "MSG_TWO_FACTOR_PERMISSION_DENIED": (N_("Sign in with your email address and password first."), "error"),
    "MSG_INVALID_RECOVERY_CODE": (
        N_("This is not one of your recovery codes, or it has already been used."),
        "error",
    ),
    "MSG_NO_RECOVERY_CODES_SETUP": (N_("There are no recovery codes yet."), "info"),
    "EMAIL_SUBJECT_REGISTER": N_("Your Assay account"),
    "EMAIL_SUBJECT_CONFIRM": N_("Confirm your email address for Assay"),
    "EMAIL_SUBJECT_PASSWORD_RESET": N_("Reset your Assay password"),
    "EMAIL_SUBJECT_PASSWORD_NOTICE": N_("Your Assay password was reset"),
    "EMAIL_SUBJECT_PASSWORD_CHANGE_NOTICE": N_("Your Assay password was changed"),
    "CHANGE_EMAIL_SUBJECT": N_("Confirm your new email address for Assay"),
}
