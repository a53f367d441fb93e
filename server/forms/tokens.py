"""The form for a personal token."""

from wtforms import IntegerField, SelectMultipleField
from wtforms.validators import DataRequired, Optional
from wtforms.widgets import CheckboxInput

from server.core.i18n import N_
from server.domain.scopes import LONGEST, WORDS
from server.web.fields import Between, SiteForm, name_field


class TokenForm(SiteForm):
    """What a script is called, what it may do, and for how long."""

    after = IntegerField(validators=[Optional()])
    name = name_field(N_("What it is for"), N_("For you alone, so that you know it in the list."))
    scopes = SelectMultipleField(
        N_("It may"),
        choices={str(scope): words for scope, words in WORDS.items()},
        default=["read", "submit"],
        validators=[DataRequired(N_("Choose at least one thing that it may do."))],
        option_widget=CheckboxInput(),
    )
    days = IntegerField(
        N_("Days until it ends"),
        default=90,
        validators=[Between(1, LONGEST)],
        render_kw={"inputmode": "numeric", "maxlength": 3},
    )
