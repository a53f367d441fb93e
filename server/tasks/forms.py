"""The fields by which people reach the organizers of a task."""

from server.core.i18n import N_, _
from server.tasks.contacts import is_contact, is_link
from server.web.fields import SiteForm, line_field
from server.web.validators import TextValidator, find_invisible, one_line


def _find_bad_contact(text: str) -> str | None:
    if not text or is_contact(text):
        return None
    return _("Enter an email address, or a link that begins with https://.")


def _find_bad_link(text: str) -> str | None:
    return None if not text or is_link(text) else _("Enter a link that begins with https:// or http://.")


ORGANIZERS = TextValidator(find_invisible, most=500, clean=one_line)
CONTACT = TextValidator(_find_bad_contact, most=255, clean=one_line)
MAILING_LIST = TextValidator(_find_bad_link, most=255, clean=one_line)


class ContactForm(SiteForm):
    """Who organizes a task, and how to reach them."""

    organizers = line_field(
        ORGANIZERS, N_("Organizers"), N_("Their names, as everyone sees them. Needed to publish the task.")
    )
    contact = line_field(
        CONTACT,
        N_("Contact"),
        N_("An email address or a link, which everyone can see. Needed to publish the task."),
    )
    mailing_list = line_field(MAILING_LIST, N_("Mailing list"), N_("A link (optional)."))
