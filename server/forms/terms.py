"""Forms for terms."""

from flask_wtf import FlaskForm
from wtforms import HiddenField


class AcceptForm(FlaskForm):
    """A person's word for the version of the terms that they read."""

    version = HiddenField()
