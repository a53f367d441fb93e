"""The question of a round of ratings, as a page asks it in one language."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scorer.bundles.bundle import ScaleSpec
from scorer.campaigns.config import scale_points
from server.annotation.models import AnnotationRound, Campaign, Unit
from server.core.i18n import _

CANNOT_JUDGE = "cannot"
"""What a form sends as the value if the annotator cannot judge the unit."""
MOST_BUTTONS = 9
"""A scale with more points is shown as a row of radio buttons with a slider."""


@dataclass(frozen=True, slots=True)
class ScalePoint:
    """One point of the scale: what the form sends, what it means, and the key that chooses it."""

    value: str
    label: str
    key: str | None


@dataclass(frozen=True, slots=True)
class RateQuestion:
    """What is asked about each unit of a round."""

    text: str
    points: tuple[ScalePoint, ...]
    comment: bool
    cannot_judge: bool

    @property
    def one_press(self) -> bool:
        """Whether each point is a button that answers and goes on: nothing else can be filled in."""
        return not self.is_long and not self.comment and not self.cannot_judge

    @property
    def is_long(self) -> bool:
        """Whether the scale has too many points for a list."""
        return len(self.points) > MOST_BUTTONS


def build_question(round_: AnnotationRound, language: str) -> RateQuestion:
    """Build the question of a round in a language of its campaign."""
    rules, campaign = round_.rules, round_.campaign
    low, high, step = rules["scale"]
    values = [format_value(value) for value in scale_points(ScaleSpec(low, high, step))]
    labels = {
        format_value(point): label for point, label in in_language(campaign, campaign.labels, language) or []
    }
    keys = choose_keys(values)
    return RateQuestion(
        in_language(campaign, rules["question"], language),
        tuple(ScalePoint(value, labels.get(value, ""), keys.get(value)) for value in values),
        rules["comment"],
        rules["cannot_judge"],
    )


def in_language(campaign: Campaign, texts: Mapping[str, Any], language: str) -> Any:
    """Return what was written in a language, or else in the first one of the campaign that has it."""
    return next((texts[name] for name in (language, *campaign.languages) if name in texts), None)


def choose_keys(values: Sequence[str]) -> dict[str, str]:
    """Choose the key of each point: its own digit; or its number in the list if no point has one."""
    digits = {value: value for value in values if len(value) == 1}
    if digits or len(values) > MOST_BUTTONS:
        return digits
    return {value: str(number) for number, value in enumerate(values, 1)}


def format_value(value: float) -> str:
    """Write a point of a scale without needless digits."""
    return f"{value:.12g}"


def say_value(value: float | None) -> str:
    """Say the value of an answer."""
    return _("I cannot judge this") if value is None else format_value(value)


def list_texts(round_: AnnotationRound, unit: Unit) -> list[str]:
    """List the texts of a unit that the round shows, and no other column."""
    return [unit.texts[column] for column in round_.rules["show"]]
