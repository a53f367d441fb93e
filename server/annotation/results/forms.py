"""Forms about the results of a campaign."""

from collections.abc import Mapping
from itertools import chain
from typing import Any, Self

from flask_wtf.file import FileField
from werkzeug.datastructures import FileStorage
from wtforms import BooleanField, FloatField, IntegerField, StringField
from wtforms.validators import InputRequired

from scorer.campaigns.config import RoundKind
from scorer.campaigns.drafts.next_stage import CONTEXT, OPTIONS, SEED, ZEROS, NextOptions
from server.annotation.campaigns.forms import CampaignNameForm
from server.core.i18n import N_
from server.core.zips import MEGABYTE
from server.web.fields import (
    SiteForm,
    ValidatedBy,
    line_field,
    lines_field,
    markdown_field,
    number_field,
    reason_field,
)
from server.web.validators import RangeValidator, TextValidator, find_invisible, long_text, one_line

CHOICES_LIMIT = 64 * MEGABYTE
"""The maximum size of the pairs of an earlier round."""
_NUMBER = N_("Enter a number.")
_NOTE = long_text(2000)
_EXPECTED = TextValidator(find_invisible, most=200, clean=one_line)


def _seed_field(description: str, default: int) -> IntegerField:
    return number_field(RangeValidator(0, 2**31 - 1), N_("Seed"), description, empty=_NUMBER, default=default)


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
    seed = _seed_field(
        N_("Decides the new order and the new names. The same seed makes the same files."), default=0
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


class NextCampaignForm(CampaignNameForm):
    """How the campaign that follows a round is made; a kind of round has only its own options."""

    guide = markdown_field(
        long_text(50_000),
        N_("Instructions"),
        N_("What raters should know, for all languages. Those of this campaign explain other work."),
    )
    first = number_field(
        RangeValidator(1, 1000),
        N_("Summary sentences of an assignment (optional)"),
        N_("The first so many that have choices. Leave it empty for all."),
    )
    assignments = number_field(
        RangeValidator(1, 1_000_000),
        N_("Assignments (optional)"),
        N_("The first so many that are complete. Leave it empty for all."),
    )
    context = number_field(
        RangeValidator(0, 20),
        N_("Sentences of context"),
        N_("The maximum number before and after each sentence, in the second pass."),
        empty=_NUMBER,
        default=CONTEXT,
    )
    zeros = FloatField(
        N_("Share of random pairs"),
        description=N_(
            "A text with what another annotator wrote for another text of the same genre. The share is less "
            "than 0.5. Annotators cannot see which pairs are random."
        ),
        validators=[
            InputRequired(_NUMBER),
            ValidatedBy(RangeValidator(0, 0.49, error=N_("Enter a number from 0 to 0.49."))),
        ],
        default=ZEROS,
    )
    seed = _seed_field(
        N_("Decides the random pairs and the order. The same seed makes the same files."), default=SEED
    )

    @classmethod
    def of_kind(cls, kind: RoundKind, values: Mapping[str, Any]) -> Self:
        """Return the form of a kind of round, with values that differ from the usual ones."""
        form = cls(data=values)
        for name in {*chain(*OPTIONS.values())}.difference(OPTIONS[kind]):
            del form[name]
        return form

    def read_options(self) -> NextOptions:
        """Return the options; those of other kinds of rounds are None."""
        options = {name: self[name].data for name in chain(*OPTIONS.values()) if name in self}
        guide = (self.guide.data or "").strip() or None
        return NextOptions(self.slug.data, self.title.data, guide, **options)
