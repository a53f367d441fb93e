"""The form for the tables and figures of a task."""

from wtforms import RadioField

from server.core.i18n import N_
from server.web.fields import SiteForm


class PaperForm(SiteForm):
    """The style of the LaTeX files."""

    style = RadioField(
        N_("Style"),
        choices={
            "plain": N_("article: one column, without other files"),
            "acl": N_("ACL: two columns; you add acl.sty and acl_natbib.bst"),
            "ceur": N_("CEUR: one column; you add ceurart.cls"),
        },
        default="plain",
    )
