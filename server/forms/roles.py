"""Forms for the roles of a task."""

from typing import Any

from flask_wtf import FlaskForm
from wtforms import SelectField

from server.domain.roles import ROLE_NAMES, RoleName

WORDS: dict[RoleName, str] = {
    "organizer": "Organizer: runs the task, and says who else does",
    "co-organizer": "Co-organizer: runs the task",
    "observer": "Observer: sees all, changes nothing",
}


class RoleForm(FlaskForm):
    """A role to give."""

    role = SelectField("Role")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.role.choices = [(name, WORDS[name]) for name in reversed(ROLE_NAMES)]
