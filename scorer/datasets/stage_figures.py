"""Tables about answers that make the pairs of a later round: chosen sentences and written texts."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, median, quantiles, stdev

from scorer.annotation.agreement_report import ALL
from scorer.campaigns.answers_reader import ExportedAnswer
from scorer.campaigns.config import Unit
from scorer.campaigns.units_reader import WANTED
from scorer.reports.table_report import TableCell
from scorer.values import Undefined

Rows = list[list[TableCell]]
SECONDS_COLUMNS = "answers of, n, min, 25%, median, 75%, 95%, max"
WORK_COLUMNS = "annotator, n, median"
WRITING_COLUMNS = "annotator, n, median, blank, pasted"
WRITTEN_COLUMNS = "texts of, wanted, n, blank, pasted, words"
WANTED_COLUMNS = "wanted, n, mean, sd, min, 25%, median, 75%, max"
_POSITIONS = 10
"""The number of positions in the work for which the time for an answer is described together."""
_ONE_PAIR = Undefined("too_few_units", "the row has one pair")


def measure_seconds(answers: Sequence[ExportedAnswer]) -> Rows:
    """Describe the seconds for an answer: of all answers, and by position in the assignment.

    Parameters
    ----------
    answers : sequence of ExportedAnswer
        At least one.

    Returns
    -------
    list of list
        Rows of `SECONDS_COLUMNS`.
    """
    parts: dict[str, list[float]] = {ALL: []}
    for answer in sorted(answers, key=lambda answer: answer.turn):
        start = (answer.turn - 1) // _POSITIONS * _POSITIONS
        parts[ALL].append(answer.seconds)
        parts.setdefault(f"{start + 1}-{start + _POSITIONS}", []).append(answer.seconds)
    return [[name, len(part), *_quantiles(part, (0, 25, 50, 75, 95, 100))] for name, part in parts.items()]


def _quantiles(values: Sequence[float], percents: Iterable[int]) -> list[TableCell]:
    """Return quantiles with linear interpolation; a single value is all of them."""
    if len(values) == 1:
        return [values[0] for _ in percents]
    cuts = [min(values), *quantiles(values, n=100, method="inclusive"), max(values)]
    return [cuts[percent] for percent in percents]


def count_work(answers: Sequence[ExportedAnswer], *, writes: bool) -> Rows:
    """Count the answers of each annotator that count; `writes`: also their blanks and pasted texts.

    Returns
    -------
    list of list
        Rows of `WORK_COLUMNS` or `WRITING_COLUMNS`, by name.
    """
    by_annotator: dict[str, list[ExportedAnswer]] = {}
    for answer in answers:
        by_annotator.setdefault(answer.record.annotator, []).append(answer)
    rows = Rows()
    for name, own in sorted(by_annotator.items()):
        counted = [answer for answer in own if answer.outcome == "counted"]
        seconds = median(answer.seconds for answer in counted) if counted else None
        more = [len(own) - len(counted), _count_pasted(counted)] if writes else []
        rows.append([name, len(counted), seconds, *more])
    return rows


def _count_pasted(answers: Iterable[ExportedAnswer]) -> int:
    return sum(answer.input == "paste" for answer in answers)


def count_written(answers: Sequence[ExportedAnswer], units: Sequence[Unit]) -> Rows:
    """Count what was written and left blank, by genre and wanted rating.

    Parameters
    ----------
    answers : sequence of ExportedAnswer
        Those that count, and blanks.
    units : sequence of Unit
        The units of the round.

    Returns
    -------
    list of list
        Rows of `WRITTEN_COLUMNS`, with the mean number of words of a text. Chosen senses have no words.
    """
    by_key = {unit.key: unit for unit in units}
    genres = dict.fromkeys(f"genre {unit.genre}" for unit in units if unit.genre)
    wanted = sorted({_read_wanted(unit) for unit in units}, key=float)
    parts: dict[tuple[str, str], list[ExportedAnswer]] = {
        (subset, rating): [] for subset in (ALL, *genres) for rating in (ALL, *wanted)
    }
    for answer in answers:
        unit = by_key[answer.record.unit]
        for subset in (ALL, f"genre {unit.genre}") if unit.genre else (ALL,):
            for rating in (ALL, _read_wanted(unit)):
                parts[subset, rating].append(answer)
    return [[*names, *_describe_texts(part)] for names, part in parts.items()]


def _read_wanted(unit: Unit) -> str:
    return f"{float(unit.texts[WANTED]):g}"


def _describe_texts(answers: Sequence[ExportedAnswer]) -> list[TableCell]:
    counted = [answer for answer in answers if answer.outcome == "counted"]
    words = [len(answer.record.written.split()) for answer in counted if answer.record.written is not None]
    mean = fmean(words) if words else None
    return [len(counted), len(answers) - len(counted), _count_pasted(counted), mean]


def describe_wanted(means: Mapping[str, float], wanted: Mapping[str, str]) -> Rows:
    """Describe the mean ratings of the pairs by the rating for which their texts were written.

    Parameters
    ----------
    means, wanted : mapping of str to float, of str to str
        By unit.

    Returns
    -------
    list of list
        Rows of `WANTED_COLUMNS`.
    """
    rows = Rows()
    for rating in sorted({wanted[unit] for unit in means}, key=float):
        values = [mean for unit, mean in means.items() if wanted[unit] == rating]
        spread = stdev(values) if len(values) > 1 else _ONE_PAIR
        rows.append([rating, len(values), fmean(values), spread, *_quantiles(values, (0, 25, 50, 75, 100))])
    return rows
