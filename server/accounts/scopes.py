"""What a personal token may do: nothing that its person may not do, and no more than its scopes say."""

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
"""Days after which every token ends."""
