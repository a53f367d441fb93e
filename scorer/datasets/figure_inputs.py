"""Reads what figures are computed from: the folder of an exported round, or the files of a data set."""

from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from scorer.annotation.choices_reader import EXPECTED_RATINGS, Choices, ChoicesLayout, parse_choices
from scorer.annotation.context_effect_report import ContextRules
from scorer.annotation.ratings import Ratings, ratings_of
from scorer.annotation.ratings_reader import RatingsLayout, parse_ratings
from scorer.bws.answers import Answers, AnswersLayout, parse_answers
from scorer.bws.expert import parse_judgments
from scorer.campaigns.answers_reader import ExportedAnswer, parse_answers as parse_exported
from scorer.campaigns.config import KNOWN_GOLD_NAME, RoundConfig, Unit, name_table, scale_points
from scorer.campaigns.drafts.written_pairs import WRITTEN_FILE
from scorer.campaigns.exported_round import find_exported_round, get_exported, read_export_table
from scorer.campaigns.reader import CONFIG_NAME
from scorer.campaigns.scales import expect_ratings
from scorer.campaigns.units_reader import GENRE, TEXTS, WANTED
from scorer.datasets.campaign_facts import BWS
from scorer.datasets.export_reader import CHOICES_NAME, UNITS_NAME, read_chosen_pairs, read_export_units
from scorer.datasets.pairs import find_first_pairs
from scorer.datasets.tables import ANSWERS, DECISION, PASSES, SINGLE, TEST_RATINGS, TRAIN, name_test_file
from scorer.errors import DataError, RatingsError
from scorer.files.numbers import read_number
from scorer.files.reading import KeyedFormat, parse_gold, read_bytes
from scorer.files.text import Problems, shorten

ANSWERS_NAME = "answers.jsonl"
LEVEL = "level"
CLOCKS = ("since", "visible")
"""The thinking times by which the ratings of an export are compared with those before the campaign."""
DATA_SET_FILES = (TEST_RATINGS, TRAIN, ANSWERS, *map(name_test_file, (*PASSES, SINGLE)))
_SHARES = (0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
"""The values of x for which a data set says the share of pairs with p <= x."""
_Key = TypeVar("_Key", bound=Hashable)
_Parsed = TypeVar("_Parsed")


@dataclass(frozen=True, slots=True)
class FigureInputs:
    """What the figures of a round or of a data set are computed from. Tables without a row are left out.

    Parameters
    ----------
    passes : tuple of str
        The slugs of the passes; a single pass may have an empty one.
    ratings, repeats : dict of str to Ratings
        By pass: the ratings that count, and those of the units that annotators rated twice.
    compared : dict of (str, str) to Ratings
        By round and pass: the ratings of another round with which the pass is compared. For best-worst
        scaling, they are the judgments of an expert.
    answers : dict of str to Answers
        By pass: the answers of best-worst scaling.
    first : Ratings, optional
        The ratings of the units from before the campaign.
    timed : dict of (str, str) to Ratings
        By pass and clock: the ratings with the thinking times of that clock.
    choices : dict of str to Choices
        By name of a file: pairs that were sorted and rated before the campaign.
    context : ContextRules
        How two passes are compared.
    empty : tuple of str
        The names of the tables without a row.
    decided : dict of str to Ratings
        By pass: the values that organizers decided.
    points : tuple of float
        The points of the scale, if it is known.
    stage : tuple of ExportedAnswer
        Answers that make pairs to rate, a chosen sentence or a written text: those that count, and blanks.
    units : tuple of Unit
        The units with the ratings for which texts were written.
    wanted : dict of str to str, optional
        By rated unit: the rating for which its text was written.
    known_gold : mapping of str to float, optional
        The gold of units that was known before the campaign.
    known_levels : mapping of str to str
        The levels of these units, if they are known.
    """

    passes: tuple[str, ...]
    ratings: Mapping[str, Ratings] = field(default_factory=dict)
    repeats: Mapping[str, Ratings] = field(default_factory=dict)
    compared: Mapping[tuple[str, str], Ratings] = field(default_factory=dict)
    answers: Mapping[str, Answers] = field(default_factory=dict)
    first: Ratings | None = None
    timed: dict[tuple[str, str], Ratings] = field(default_factory=dict)
    choices: Mapping[str, Choices] = field(default_factory=dict)
    context: ContextRules = field(default_factory=lambda: ContextRules("paired"))
    empty: tuple[str, ...] = ()
    decided: Mapping[str, Ratings] = field(default_factory=dict)
    points: tuple[float, ...] = ()
    stage: tuple[ExportedAnswer, ...] = ()
    units: tuple[Unit, ...] = ()
    wanted: Mapping[str, str] | None = None
    known_gold: Mapping[str, float] | None = None
    known_levels: Mapping[str, str] = field(default_factory=dict)


class _Tables:
    """Parses tables, and collects their problems and the names of those without a row."""

    def __init__(self, load: Callable[[str], bytes]) -> None:
        self.load = load
        self.empty: dict[str, None] = {}
        self.errors: dict[str, DataError] = {}

    def read(self, names: Mapping[_Key, str], parser: Callable[[bytes, str], _Parsed]) -> dict[_Key, _Parsed]:
        """Parse tables, and return those that have rows and no problems."""
        parsed = {}
        for key, name in names.items():
            try:
                data = self.load(name)
                if b"\n" in data.strip():
                    parsed[key] = parser(data, name)
                else:
                    self.empty[name] = None
            except DataError as error:
                self.errors[str(error)] = error
        return parsed

    def finish(self, inputs: FigureInputs) -> FigureInputs:
        """Raise RatingsError with the problems of all tables, or else add the names of the empty ones."""
        if self.errors:
            raise RatingsError.of_all(list(self.errors.values()))
        return replace(inputs, empty=tuple(self.empty))


def read_figure_inputs(folder: Path, expected: Mapping[str, float] | None = None) -> FigureInputs:
    """Read the folder of an exported round or of a data set.

    Parameters
    ----------
    folder : Path
        An export has annotation.toml with the files that it names, or a folder campaign with them.
    expected : mapping of str to float, optional
        The expected rating of each choice in choices.tsv, or in the files of a data set. By default, those on
        the scale of an exported round, and `EXPECTED_RATINGS` in a data set.

    Returns
    -------
    FigureInputs

    Raises
    ------
    DataError
        If files are missing, or have problems. All problems are listed with their files and lines.
    """
    paths = {name: folder / name for name in DATA_SET_FILES if (folder / name).exists()}
    if not paths or any((folder / name).exists() for name in (CONFIG_NAME, "campaign")):
        return _read_export(folder, expected)
    files = {name: read_bytes(str(path)) for name, path in paths.items()}
    return read_data_set(files, expected or EXPECTED_RATINGS)


def _read_export(folder: Path, expected: Mapping[str, float] | None) -> FigureInputs:
    campaign, round_ = find_exported_round(folder)
    expected = expected or expect_ratings(round_.scale.min, round_.scale.max)
    tables, passes = (
        _Tables(lambda name: read_bytes(str(folder / name))),
        [each.slug for each in round_.passes],
    )
    if round_.kind in ("choose", "write"):
        return tables.finish(_read_stage(folder, round_, tables, expected))
    others = {
        (other.slug, slug): f"rounds/{other.slug}/{name_table('ratings', _match_pass(other, slug))}"
        for other in campaign.rounds
        if (folder / "rounds" / other.slug).is_dir()
        for slug in passes
    }
    if round_.kind == BWS:
        answers = tables.read({slug: name_table("bws", slug) for slug in passes}, _parse_answers)
        compared = tables.read(others, parse_judgments)
        return tables.finish(FigureInputs(tuple(passes), answers=answers, compared=compared))
    names = {slug: name_table("ratings", slug) for slug in passes}
    ratings = tables.read(names, _ratings(genre="genre", time="at", seconds="seconds"))
    intra = {slug: name_table("intra", slug) for slug in passes if round_.repeats}
    repeats, compared = tables.read(intra, _ratings()), tables.read(others, _ratings(genre="genre"))
    tables_of_decisions = {slug: name_table("decisions", slug) for slug in passes}
    named = {slug: name for slug, name in tables_of_decisions.items() if (folder / name).exists()}
    decided = tables.read(named, parse_ratings)
    inputs = FigureInputs(
        tuple(passes), ratings, repeats, compared, decided=decided, points=scale_points(round_.scale)
    )
    if (folder / CHOICES_NAME).exists():
        find_first = partial(_find_first, folder=folder, expected=expected)
        inputs = replace(inputs, first=tables.read({"": CHOICES_NAME}, find_first).get(""))
        for clock in CLOCKS:
            timed = tables.read(names, _ratings(time="at", seconds=clock))
            inputs.timed.update(((slug, clock), table) for slug, table in timed.items())
    if (folder / WRITTEN_FILE).exists():
        inputs = replace(inputs, wanted=_find_wanted(folder, round_))
    if (folder / KNOWN_GOLD_NAME).exists():
        known = tables.read({"": KNOWN_GOLD_NAME}, _parse_known_gold).get("")
        inputs = replace(inputs, known_gold=known, known_levels=_read_levels(folder / KNOWN_GOLD_NAME))
    return tables.finish(inputs)


def _read_stage(
    folder: Path, round_: RoundConfig, tables: _Tables, expected: Mapping[str, float]
) -> FigureInputs:
    """Read the answers of a round in which annotators choose sentences or write texts."""
    data = read_bytes(str(folder / ANSWERS_NAME))
    if not data:
        tables.empty[ANSWERS_NAME] = None
    answers = parse_exported(data, ANSWERS_NAME) if data else []
    units = {unit.key: unit for unit in round_.units}
    for answer in answers:
        get_exported(units, answer.record.unit, ANSWERS_NAME)
    stage = tuple(answer for answer in answers if answer.outcome in ("counted", "no value"))
    inputs = FigureInputs(("",), points=scale_points(round_.scale), stage=stage)
    if round_.kind == "write":
        return replace(inputs, units=round_.units)
    parser = partial(parse_choices, layout=ChoicesLayout(expected=expected))
    return replace(inputs, choices=tables.read({CHOICES_NAME: CHOICES_NAME}, parser))


def _find_wanted(folder: Path, round_: RoundConfig) -> dict[str, str]:
    """Return the rating for which the text of each pair was written; for random pairs, the lowest one.

    A pair that was written for several ratings has none.
    """
    problems = Problems(WRITTEN_FILE)
    written: dict[tuple[str, str], set[float]] = {}
    for row in read_export_table(folder / WRITTEN_FILE, (*TEXTS, WANTED)):
        wanted = read_number(row[WANTED])
        if wanted is None:
            message = f"the wanted rating {shorten(row[WANTED])} is not a number; export the round again"
            problems.add(None, "bad_number", message)
        else:
            written.setdefault((row["left"], row["right"]), set()).add(wanted)
    problems.raise_as(RatingsError)
    lefts, rights = {left for left, _ in written}, {right for _, right in written}
    ratings = {}
    for unit in round_.units:
        left, right = (unit.texts[side] for side in TEXTS)
        is_random = (left, right) not in written and left in lefts and right in rights
        found = {round_.scale.min} if is_random else written.get((left, right), set())
        if len(found) == 1:
            ratings[unit.key] = f"{found.pop():g}"
    return ratings


def _parse_known_gold(data: bytes, source: str) -> dict[str, float]:
    gold = parse_gold(data, source, keyed=KeyedFormat("unit", "gold"))
    values = zip(gold.ids or (), gold.values, strict=True)
    return {unit: value for unit, value in values if value is not None}


def _read_levels(path: Path) -> dict[str, str]:
    if not _has_column(read_bytes(str(path)), LEVEL):
        return {}
    return {row["unit"]: row[LEVEL] for row in read_export_table(path, ("unit", LEVEL))}


def _match_pass(other: RoundConfig, slug: str) -> str:
    """Return the slug if the other round has a pass of that name, or else that of its first pass."""
    slugs = [each.slug for each in other.passes]
    return slug if slug in slugs else slugs[0]


def _ratings(**columns: Any) -> Callable[[bytes, str], Ratings]:
    names = {"unit": ("unit",), "annotator": "annotator", "rating": "rating", **columns}
    return partial(parse_ratings, layout=RatingsLayout(**names))


def _parse_answers(data: bytes, source: str) -> Answers:
    """Parse best-worst answers, in groups by genre if each item has one genre."""
    layout = AnswersLayout(annotator="annotator", tuple_="tuple")
    with suppress(RatingsError):  # there are no genres; other problems are raised below
        by_genre = parse_answers(data, source, replace(layout, group=GENRE))
        if len({*by_genre.items}) == len(by_genre.items):
            return by_genre
    return parse_answers(data, source, layout)


def _find_first(data: bytes, source: str, folder: Path, expected: Mapping[str, float]) -> Ratings:
    """Return the ratings that the units of an export have in a table of pairs from before the campaign."""
    units = read_export_units(folder / UNITS_NAME)
    first = find_first_pairs(units, read_chosen_pairs(data, source, expected))
    return ratings_of([[pair.rating] for pair in first.values()], units=list(first), source=source)


def read_data_set(
    files: Mapping[str, bytes], expected: Mapping[str, float] = EXPECTED_RATINGS
) -> FigureInputs:
    """Read the files of a data set by their names; see `read_figure_inputs`."""
    tables = _Tables(files.__getitem__)
    if ANSWERS in files:
        return tables.finish(FigureInputs(("",), answers=tables.read({"": ANSWERS}, _parse_answers)))
    names = [name for name in (*PASSES, SINGLE) if name_test_file(name) in files]
    tests = {name_test_file(name): name_test_file(name) for name in names}
    ratings: dict[str, Ratings] = {}
    decided: dict[str, Ratings] = {}
    genre = GENRE if _has_column(files.get(TEST_RATINGS, b""), GENRE) else None
    for name in names:
        slug, test = name.removesuffix(SINGLE), name_test_file(name)
        ratings |= tables.read({slug: TEST_RATINGS}, _ratings(unit=("id",), rating=name, genre=genre))
        if _has_column(files[test], DECISION):
            decided |= tables.read({slug: test}, _column(DECISION))
    first = next(iter(tables.read(tests, _column("first")).values()), None)
    layout = ChoicesLayout(expected=expected)
    train = {TRAIN: TRAIN} if TRAIN in files else {}
    choices = tables.read(train, partial(parse_choices, layout=layout))
    if first is not None and len(first) == len(first.units):
        layout = ChoicesLayout(rating="first", second="mean", expected=expected)
        choices |= tables.read(tests, partial(parse_choices, layout=layout))
    inputs = FigureInputs(
        tuple(ratings), ratings, choices=choices, context=ContextRules(levels=_SHARES), decided=decided
    )
    return tables.finish(replace(inputs, first=first) if first is not None and len(first) else inputs)


def _has_column(data: bytes, name: str) -> bool:
    return name.encode() in data.partition(b"\n")[0].split(b"\t")


def _column(name: str) -> Callable[[bytes, str], Ratings]:
    return partial(parse_ratings, layout=RatingsLayout(unit=("id",), annotators=(name,)))
