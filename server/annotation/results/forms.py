"""Forms about the results of a campaign."""

from collections.abc import Mapping
from typing import Self

from flask_wtf.file import FileField
from werkzeug.datastructures import FileStorage
from wtforms import BooleanField, StringField

from server.core.i18n import N_
from server.core.zips import MEGABYTE
from server.web.fields import SiteForm, line_field, lines_field, number_field, reason_field
from server.web.validators import RangeValidator, TextValidator, find_invisible, long_text, one_line

CHOICES_LIMIT = 64 * MEGABYTE
"""The maximum size of the pairs of an earlier round."""
_NUMBER = N_("Enter a number.")
_NOTE = long_text(2000)
_EXPECTED = TextValidator(find_invisible, most=200, clean=one_line)


class ExclusionForm(SiteForm):
    """Why an annotator's answers do not count, or count again."""

    reason = reason_field(N_("Reason"), N_("Shown on this page, and in manifest.json of the download."))


class DecisionForm(SiteForm):
    """What an organizer decides on a pair, and why the ratings differ."""

    value = StringField()
    cause = StringField()
    note = lines_field(_NOTE, N_("Note (optional)"), "", rows=2)
    take_back = BooleanField()


class DataSetForm(SiteForm):
    """The options of a data set; a round of best-worst scaling has only the seed."""

    at_least = number_field(
        RangeValidator(1, 1000),
        N_("Minimum number of ratings"),
        N_("Pairs with fewer ratings in a pass are left out."),
        empty=_NUMBER,
        default=1,
    )
    context_sentences = number_field(
        RangeValidator(0, 1000),
        N_("Sentences of context"),
        N_("The maximum number before and after the rated sentence."),
        empty=_NUMBER,
        default=2,
    )
    seed = number_field(
        RangeValidator(0, 2**31 - 1),
        N_("Seed"),
        N_("Decides the new order and the new names. The same seed makes the same files."),
        empty=_NUMBER,
        default=0,
    )
    choices = FileField(
        N_("Pairs that were sorted before the campaign"),
        description=N_(
            "Optional: a table choices.tsv with the columns left, right, choice, rating, and perhaps id. "
            "Pairs in it that are not in this round become training pairs."
        ),
        render_kw={"accept": ".tsv"},
    )
    expected = line_field(
        _EXPECTED,
        N_("Expected ratings"),
        N_(
            "The rating that you expect for each choice in choices.tsv: A for the most similar of several "
            "pairs, C for the least similar, B in between. The data set then has two training files: all "
            "training pairs, and those whose rating is close to the expected one."
        ),
    )

    @classmethod
    def of_kind(cls, kind: str, n_passes: int, defaults: Mapping[str, int | str]) -> Self:
        """Return the form of a kind of round, with values that differ from the usual ones."""
        form = cls(**defaults)
        if kind == "bws":
            del form.at_least, form.choices, form.expected
        if n_passes == 1:
            del form.context_sentences
        return form

    def read_options(self) -> dict[str, int | str]:
        """Return the options by their names."""
        options = {
            name: self[name].data for name in ("at_least", "context_sentences", "seed") if name in self
        }
        if "choices" in self and self.choices.data and self.expected.data:
            options["expected"] = self.expected.data
        return options

    def read_choices(self) -> bytes | None:
        """Return the file of pairs; None: there is none."""
        upload: FileStorage | None = self.choices.data if "choices" in self else None
        return upload.stream.read() if upload else None
