"""Forms for bundles: a task as a zip, in and out."""

from flask_wtf import FlaskForm
from flask_wtf.file import FileField, FileRequired
from wtforms import RadioField


class ImportForm(FlaskForm):
    """A task to be hosted."""

    file = FileField(
        "Bundle",
        description="A zip of a folder with a task.toml, such as an export of Assay.",
        validators=[FileRequired("Choose a file first.")],
        render_kw={"accept": ".zip,application/zip"},
    )


class ExportForm(FlaskForm):
    """A task to take along."""

    people = RadioField(
        "People",
        choices={"ids": 'as "person 1", "person 2" and so on', "names": "with their names"},
        default="ids",
    )
