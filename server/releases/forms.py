"""Forms for releases."""

from wtforms import BooleanField, RadioField, SelectField
from wtforms.validators import ValidationError

from server.core.i18n import N_, _
from server.phases.forms import UtcField
from server.releases.rules import NOTE_MAX_LENGTH
from server.web.fields import SiteForm, markdown_field, reason_field
from server.web.validators import TextValidator, find_invisible_in_lines, trim

NOTE = TextValidator(find_invisible_in_lines, most=NOTE_MAX_LENGTH, clean=trim)


class ReleaseForm(SiteForm):
    """When and how a leaderboard is released."""

    at = UtcField(
        N_("At"), description=N_("In UTC, such as 2026-03-20 09:00, or add AoE for anywhere on earth.")
    )
    when = RadioField(N_("When"), choices={"now": N_("Now"), "at": N_("At a set time")}, default="now")
    names = RadioField(
        N_("Names"),
        choices={
            "named": N_("With team names"),
            "anonymous": N_("Anonymous (you can reveal the names later)"),
        },
        default="named",
    )
    opens_gold = BooleanField(N_("Make the gold standard of these items public"))
    note = markdown_field(NOTE, N_("Note to readers"), N_("Optional."), rows=3, maxlength=NOTE.max)

    sure = BooleanField()

    def validate_at(self, field: UtcField) -> None:
        """Require a time for a scheduled release."""
        if self.when.data == "at" and field.data is None and not field.errors:
            raise ValidationError(_("Enter a time, or release now."))


class WithdrawReleaseForm(SiteForm):
    """Withdraws a release: the newest unless another is chosen."""

    number = SelectField(N_("Release"), coerce=int, choices=[], validate_choice=False)
    reason = reason_field(N_("Reason"), N_("Readers see it in place of the leaderboard."))
