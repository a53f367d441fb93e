"""The form of a task's scale, metrics and total."""

from wtforms import RadioField, SelectField
from wtforms.validators import Optional

from scorer.boards.board import BoardRules
from scorer.bundles.overview import divides_scale
from scorer.bundles.task_keys import find_limits
from scorer.metrics import METRICS
from server.core.i18n import N_, _
from server.levels.forms import METRIC_TITLES
from server.tasks.forms import ScaleForm, read_labels
from server.web.fields import (
    CheckboxesField,
    EditForm,
    ShortFloatField,
    ValidatedBy,
    line_field,
    number_field,
)
from server.web.validators import RangeValidator, TextValidator, find_invisible, one_line

COLUMN_NAME = TextValidator(find_invisible, most=100, clean=one_line)
CONFIDENCE = RangeValidator(1e-9, 1e9, error=N_("Enter a number above 0."))
LEVELS_TO_ENTER = RangeValidator(*find_limits("board", "enter_at_least"))


class ScoringForm(ScaleForm, EditForm):
    """The rating scale, the metrics, the format of runs, and the total."""

    official = SelectField(
        N_("Official metric"),
        description=N_("It decides the ranking."),
        choices=METRIC_TITLES,
    )
    others = CheckboxesField(N_("Other metrics, shown beside the official one"), choices=METRIC_TITLES)
    run_format = RadioField(
        N_("Run files"),
        choices={
            "aligned": N_("One score per line, in the order of the items"),
            "keyed": N_("A table with a header, with the id of the item in each row"),
        },
        default="aligned",
    )
    keyed_id = line_field(COLUMN_NAME, N_("Column of ids"), N_("Such as pair_ID."))
    keyed_score = line_field(COLUMN_NAME, N_("Column of scores"), N_("Such as relatedness_score."))
    keyed_gold = line_field(
        COLUMN_NAME,
        N_("Column of gold values"),
        N_("In gold files, if it differs from the column of scores."),
    )
    keyed_confidence = line_field(
        COLUMN_NAME, N_("Column of confidences"), N_("Leave it empty if runs have none.")
    )
    confidence = ShortFloatField(
        N_("Highest confidence"),
        description=N_("Runs can have a confidence beside each score, from 0 to this number."),
        default=1.0,
        validators=[Optional(), ValidatedBy(CONFIDENCE)],
    )
    total = RadioField(
        N_("Total over the levels"),
        choices={
            "sum": N_("Sum"),
            "mean": N_("Mean"),
            "weighted": N_("Mean, weighted by the number of items"),
            "none": N_("None"),
        },
        default="sum",
    )
    total_needs = RadioField(
        N_("Systems that did not enter all levels"),
        choices={
            "entered": N_("The total is over the levels that they entered"),
            "all": N_("They have no total"),
        },
        default="entered",
    )
    enter_at_least = number_field(
        LEVELS_TO_ENTER,
        N_("Minimum number of levels"),
        N_("A system with fewer levels is not in the overall ranking."),
        empty=N_("Enter a number."),
        default=1,
    )

    def find_contradictions(self) -> list[tuple[str, str]]:
        """Return what is wrong with the scale, its labels and the columns of runs."""
        low, high, step = self.low.data, self.high.data, self.step.data
        found = []
        if low is not None and high is not None and high <= low:
            found.append(("high", _("The highest value must be above the lowest.")))
        elif low is not None and high is not None and step is not None and not 0 < step <= high - low:
            words = _("Enter a number above 0 that is not larger than the scale, or leave the field empty.")
            found.append(("step", words))
        elif low is not None and high is not None and step is not None and not divides_scale(step, low, high):
            words = _(
                "Steps of %(step)s from %(low)s do not reach %(high)s. Enter a step that divides the scale, "
                "or leave the field empty.",
                step=f"{step:g}", low=f"{low:g}", high=f"{high:g}",
            )  # fmt: skip
            found.append(("step", words))
        if low is not None and high is not None:
            labels = read_labels(self.labels.data or "")
            points = [f"{point:g}" for point, _label in labels if not low <= point <= high]
            words = _("Outside the scale: %(points)s.", points=", ".join(points))
            found += [("labels", words)] if points else []
        rules = BoardRules(self.total.data, self.total_needs.data)
        if self.official.data in METRICS and rules.rewards_gaps(self.official.data):
            words = _(
                "This total rewards systems that leave out hard levels. Choose “They have no total” here, or "
                "another total: “None”, or “Sum” if higher values of the official metric are better."
            )
            found.append(("total_needs", words))
        if self.run_format.data == "keyed":
            empty = [name for name in ("keyed_id", "keyed_score") if not self[name].data]
            found += [(name, _("Enter the name of the column.")) for name in empty]
        return found
