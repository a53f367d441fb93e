"""Forms for terms."""

from wtforms import HiddenField

from server.web.fields import SiteForm


class AcceptForm(SiteForm):
    """A person's word for the version of the terms that they read."""

    version = HiddenField()
