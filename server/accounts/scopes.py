"""Scopes of API tokens. A token may do what its person may do, restricted to its scopes."""

from typing import Literal, get_args

from server.core.i18n import N_

Scope = Literal["read", "submit", "organize"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
SCOPE_DESCRIPTIONS: dict[Scope, str] = {
    "read": N_("Read everything your team can see"),
    "submit": N_("Upload files and manage your team’s runs"),
    "organize": N_("Act as organizer: upload gold files, release results, read the activity log"),
}
MAX_DAYS = 366
"""The maximum number of days that a token is valid."""
