"""Why somebody may not do something: each a message of its own, so that it can be said in any language."""

from typing import Literal

from server.core.i18n import N_

Missing = Literal["run", "team", "submission", "upload"]
MISSING: dict[Missing, str] = {
    "run": N_("There is no such run."),
    "team": N_("There is no such team."),
    "submission": N_("There is no such submission."),
    "upload": N_("There is no such upload."),
}

Lasting = Literal["name", "leave", "remove"]
"""What of a team stays once it has had a file scored."""
FIXED: dict[Lasting, str] = {
    "name": N_(
        "%(team)s has had a file scored, and from then on its name stays. If something is wrong with the "
        "team, write to the organizers."
    ),
    "leave": N_(
        "%(team)s has had a file scored, and from then on nobody leaves it. If something is wrong with the "
        "team, write to the organizers."
    ),
    "remove": N_(
        "%(team)s has had a file scored, and from then on nobody is taken out of it. If something is wrong "
        "with the team, write to the organizers."
    ),
}
