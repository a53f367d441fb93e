"""Forms for the registration of teams."""

from server.core.i18n import N_
from server.web.fields import SiteForm, reason_field


class DeclineForm(SiteForm):
    """Not letting a team compete."""

    reason = reason_field(N_("Reason"), N_("The team reads it on its page."))
