"""What Flask-Security says, in this site's words and language."""

from flask_security.babel import FsDomain

from server.core.i18n import N_, translate


class TranslationDomain(FsDomain):
    """In place of Flask-Security's own, which knows no catalog but Flask-Babel's."""

    def __init__(self) -> None:
        pass

    def gettext(self, string: str, **variables: object) -> str:
        """A message with its values, if it has any."""
        return translate(string) % variables if variables else translate(string)


CONFIRM_FIRST = N_(
    "Confirm your address first: open the link in the mail that we sent, or ask for another mail."
)
WRONG_CODE = N_("This code is not valid now. Wait for the next one and try again.")
_NO_MATCH = (N_("Address and password belong to no account."), "error")
_NO_LINK = (N_("This link is no longer valid. Ask for another one here."), "error")

SECURITY_MESSAGES: dict[str, object] = {
    "MSG_UNAUTHENTICATED": (N_("Sign in to see this page."), "info"),
    "MSG_REAUTHENTICATION_REQUIRED": (N_("Give your password again for this page."), "info"),
    "MSG_REAUTHENTICATION_SUCCESSFUL": (N_("Thank you; go on."), "success"),
    "MSG_EMAIL_NOT_PROVIDED": (N_("Give your e-mail address."), "error"),
    "MSG_INVALID_EMAIL_ADDRESS": (N_("This is no e-mail address."), "error"),
    "MSG_PASSWORD_NOT_PROVIDED": (N_("Give your password."), "error"),
    "MSG_PASSWORD_INVALID_LENGTH": (N_("Use %(length)s characters at least."), "error"),
    "MSG_RETYPE_PASSWORD_MISMATCH": (N_("The two are not the same."), "error"),
    "MSG_PASSWORD_IS_THE_SAME": (N_("This is your old password; choose another."), "error"),
    "MSG_USER_DOES_NOT_EXIST": _NO_MATCH,
    "MSG_INVALID_PASSWORD": (N_("This is not your password."), "error"),
    "MSG_GENERIC_AUTHN_FAILED": _NO_MATCH,
    "MSG_CONFIRM_REGISTRATION": (
        N_("A mail is on its way to %(email)s. Open its link to confirm the address, then sign in."),
        "success",
    ),
    "MSG_CONFIRMATION_REQUEST": (
        N_(
            "If an account with the address %(email)s waits for its confirmation, a mail is on its way to it."
        ),
        "success",
    ),
    "MSG_EMAIL_CONFIRMED": (N_("Your address is confirmed. Sign in to go on."), "success"),
    "MSG_ALREADY_CONFIRMED": (N_("Your address is confirmed already. Sign in to go on."), "info"),
    "MSG_INVALID_CONFIRMATION_TOKEN": _NO_LINK,
    "MSG_CONFIRMATION_EXPIRED": _NO_LINK,
    "MSG_PASSWORD_RESET_REQUEST": (
        N_("If there is an account with the address %(email)s, a mail is on its way to it."),
        "success",
    ),
    "MSG_PASSWORD_RESET_EXPIRED": _NO_LINK,
    "MSG_INVALID_RESET_PASSWORD_TOKEN": _NO_LINK,
    "MSG_PASSWORD_RESET_NO_LOGIN": (N_("Your new password is set. Sign in with it."), "success"),
    "MSG_PASSWORD_CHANGE": (N_("Your new password is set; every other browser was signed out."), "success"),
    "MSG_DISABLED_ACCOUNT": _NO_MATCH,
    "MSG_CHANGE_EMAIL_SENT": (
        N_("A mail is on its way to %(email)s. The address changes when you open its link."),
        "success",
    ),
    "MSG_CHANGE_EMAIL_CONFIRMED": (N_("Your new address is in use from now on."), "success"),
    "MSG_CHANGE_EMAIL_EXPIRED": _NO_LINK,
    "MSG_API_ERROR": _NO_LINK,
    "MSG_TWO_FACTOR_INVALID_TOKEN": (WRONG_CODE, "error"),
    "MSG_TWO_FACTOR_METHOD_NOT_AVAILABLE": (N_("Press one of the buttons."), "error"),
    "MSG_TWO_FACTOR_LOGIN_SUCCESSFUL": (N_("You are signed in."), "success"),
    "MSG_TWO_FACTOR_CHANGE_METHOD_SUCCESSFUL": (
        N_(
            "The second factor is on. Make recovery codes now, in case you lose the device. "
            "Every other browser was signed out."
        ),
        "success",
    ),
    "MSG_TWO_FACTOR_DISABLED": (
        N_("The second factor is off. Every other browser was signed out."),
        "success",
    ),
    "MSG_TWO_FACTOR_SETUP_EXPIRED": (N_("That took too long; begin again."), "error"),
    "MSG_TWO_FACTOR_PERMISSION_DENIED": (N_("Sign in with address and password first."), "error"),
    "MSG_INVALID_RECOVERY_CODE": (N_("This is none of your recovery codes, or it was used."), "error"),
    "MSG_NO_RECOVERY_CODES_SETUP": (N_("There are no recovery codes yet."), "info"),
    "EMAIL_SUBJECT_REGISTER": N_("Your account on Assay"),
    "EMAIL_SUBJECT_CONFIRM": N_("Confirm your address for Assay"),
    "EMAIL_SUBJECT_PASSWORD_RESET": N_("A new password for Assay"),
    "EMAIL_SUBJECT_PASSWORD_NOTICE": N_("Your password on Assay was set anew"),
    "EMAIL_SUBJECT_PASSWORD_CHANGE_NOTICE": N_("Your password on Assay was changed"),
    "CHANGE_EMAIL_SUBJECT": N_("Confirm your new address for Assay"),
}
