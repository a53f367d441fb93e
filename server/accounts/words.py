"""What Flask-Security says, in this site's words."""

CONFIRM_FIRST = "Confirm your address first: open the link in the mail that we sent, or ask for another mail."
_NO_MATCH = ("Address and password belong to no account.", "error")
_NO_LINK = ("This link is no longer valid. Ask for another one here.", "error")

WORDS: dict[str, object] = {
    "MSG_UNAUTHENTICATED": ("Sign in to see this page.", "info"),
    "MSG_REAUTHENTICATION_REQUIRED": ("Give your password again for this page.", "info"),
    "MSG_REAUTHENTICATION_SUCCESSFUL": ("Thank you; go on.", "success"),
    "MSG_EMAIL_NOT_PROVIDED": ("Give your e-mail address.", "error"),
    "MSG_INVALID_EMAIL_ADDRESS": ("This is no e-mail address.", "error"),
    "MSG_PASSWORD_NOT_PROVIDED": ("Give your password.", "error"),
    "MSG_PASSWORD_INVALID_LENGTH": ("Use %(length)s characters at least.", "error"),
    "MSG_RETYPE_PASSWORD_MISMATCH": ("The two are not the same.", "error"),
    "MSG_PASSWORD_IS_THE_SAME": ("This is your old password; choose another.", "error"),
    "MSG_USER_DOES_NOT_EXIST": _NO_MATCH,
    "MSG_INVALID_PASSWORD": ("This is not your password.", "error"),
    "MSG_GENERIC_AUTHN_FAILED": _NO_MATCH,
    "MSG_CONFIRM_REGISTRATION": (
        "A mail is on its way to %(email)s. Open its link to confirm the address, then sign in.",
        "success",
    ),
    "MSG_CONFIRMATION_REQUEST": (
        "If an account with the address %(email)s waits for its confirmation, a mail is on its way to it.",
        "success",
    ),
    "MSG_EMAIL_CONFIRMED": ("Your address is confirmed. Sign in to go on.", "success"),
    "MSG_ALREADY_CONFIRMED": ("Your address is confirmed already. Sign in to go on.", "info"),
    "MSG_INVALID_CONFIRMATION_TOKEN": _NO_LINK,
    "MSG_CONFIRMATION_EXPIRED": _NO_LINK,
    "MSG_PASSWORD_RESET_REQUEST": (
        "If there is an account with the address %(email)s, a mail is on its way to it.",
        "success",
    ),
    "MSG_PASSWORD_RESET_EXPIRED": _NO_LINK,
    "MSG_INVALID_RESET_PASSWORD_TOKEN": _NO_LINK,
    "MSG_PASSWORD_RESET_NO_LOGIN": ("Your new password is set. Sign in with it.", "success"),
    "MSG_PASSWORD_CHANGE": ("Your new password is set; every other browser was signed out.", "success"),
    "MSG_DISABLED_ACCOUNT": _NO_MATCH,
    "MSG_CHANGE_EMAIL_SENT": (
        "A mail is on its way to %(email)s. The address changes when you open its link.",
        "success",
    ),
    "MSG_CHANGE_EMAIL_CONFIRMED": ("Your new address is in use from now on.", "success"),
    "MSG_CHANGE_EMAIL_EXPIRED": _NO_LINK,
    "MSG_API_ERROR": _NO_LINK,
    "MSG_TWO_FACTOR_INVALID_TOKEN": (
        "This code is not valid now. Wait for the next one and try again.",
        "error",
    ),
    "MSG_TWO_FACTOR_METHOD_NOT_AVAILABLE": ("Press one of the buttons.", "error"),
    "MSG_TWO_FACTOR_LOGIN_SUCCESSFUL": ("You are signed in.", "success"),
    "MSG_TWO_FACTOR_CHANGE_METHOD_SUCCESSFUL": (
        "The second factor is on. Make recovery codes now, in case you lose the device.",
        "success",
    ),
    "MSG_TWO_FACTOR_DISABLED": ("The second factor is off.", "success"),
    "MSG_TWO_FACTOR_SETUP_EXPIRED": ("That took too long; begin again.", "error"),
    "MSG_TWO_FACTOR_PERMISSION_DENIED": ("Sign in with address and password first.", "error"),
    "MSG_INVALID_RECOVERY_CODE": ("This is none of your recovery codes, or it was used.", "error"),
    "MSG_NO_RECOVERY_CODES_SETUP": ("There are no recovery codes yet.", "info"),
    "EMAIL_SUBJECT_REGISTER": "Your account on Assay",
    "EMAIL_SUBJECT_CONFIRM": "Confirm your address for Assay",
    "EMAIL_SUBJECT_PASSWORD_RESET": "A new password for Assay",
    "EMAIL_SUBJECT_PASSWORD_NOTICE": "Your password on Assay was set anew",
    "EMAIL_SUBJECT_PASSWORD_CHANGE_NOTICE": "Your password on Assay was changed",
    "CHANGE_EMAIL_SUBJECT": "Confirm your new address for Assay",
}
