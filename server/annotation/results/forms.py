"""Forms about the results of a campaign."""

from server.core.i18n import N_
from server.web.fields import SiteForm, reason_field


class ExclusionForm(SiteForm):
    """Why an annotator's answers do not count, or count again."""

    reason = reason_field(N_("Reason"), N_("In the activity log and in the export's manifest."))
