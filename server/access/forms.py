"""Forms for the roles of a task."""

from typing import Any

from wtforms import HiddenField, RadioField

from server.core.i18n import N_, translate
from server.tasks.rules import ROLE_NAMES, RoleName
from server.web.fields import SiteForm

ROLE_LABELS: dict[RoleName, str] = {
    "organizer": N_("Organizer: runs the task and assigns roles"),
    "co-organizer": N_("Co-organizer: runs the task"),
    "observer": N_("Observer: sees everything, changes nothing"),
}


class RoleForm(SiteForm):
    """A role to give."""

    role = RadioField(N_("Role"), default="observer")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.role.choices = [(name, translate(ROLE_LABELS[name])) for name in reversed(ROLE_NAMES)]


class AcceptTermsForm(SiteForm):
    """Acceptance of the version of the terms that the person has read."""

    version = HiddenField()
