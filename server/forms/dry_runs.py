"""Forms for dry runs."""

from flask_wtf import FlaskForm
from flask_wtf.file import FileField, FileRequired
from wtforms import SelectField


class DryRunForm(FlaskForm):
    """A run file, and the gold that it is held against."""

    target = SelectField("Level and split")
    file = FileField("Run file", validators=[FileRequired("Choose a file first.")])
