"""The scores of a team over time, as its phase shows them, at their positions in small charts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from server.boards.interval_bars import Axis, round_axis
from server.phases.feedback import ShownScore
from server.submissions.models import Submission

MAX_STEPS = 4
"""How many steps of its round width an axis has at most."""
ShownFile = tuple[Submission, ShownScore, float]
"""A submission with its official score, and the value of that."""


@dataclass(frozen=True, slots=True)
class HistoryPoint:
    """A submission with its official score, and its position in percent of the chart."""

    submission: Submission
    score: ShownScore
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class ScoreHistory:
    """The points of a level in the order of submission, and the ends of the axis."""

    points: Sequence[HistoryPoint]
    axis: Axis


def draw_histories(
    submissions: Sequence[Submission], scores: Mapping[int, ShownScore]
) -> dict[int, list[ScoreHistory]]:
    """Draw a chart for each phase and level in which at least two scores are shown, by the phase's id."""
    shown: dict[tuple[int, int], list[ShownFile]] = {}
    for submission in submissions:
        score = scores.get(submission.id)
        if score is not None and score.value is not None:
            place = submission.run.phase_id, submission.level.position
            shown.setdefault(place, []).append((submission, score, score.value))
    histories: dict[int, list[ScoreHistory]] = {}
    for (phase_id, _position), files in sorted(shown.items(), key=lambda one: one[0]):
        if len(files) > 1:
            histories.setdefault(phase_id, []).append(_draw_history(files))
    return histories


def _draw_history(files: Sequence[ShownFile]) -> ScoreHistory:
    """Place the submissions at equal distances: a team sends several in an hour, and none in a week."""
    low, high = round_axis([value for _file, _score, value in files], MAX_STEPS)
    right, down = 100 / (len(files) - 1), 100 / (high - low)
    points = [
        HistoryPoint(file, score, round(number * right, 1), round((high - value) * down, 1))
        for number, (file, score, value) in enumerate(files)
    ]
    return ScoreHistory(points, (low, high))
