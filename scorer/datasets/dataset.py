"""The data set of rated pairs: training and test pairs, all ratings, figures, and a task to host."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from scorer.annotation.choice_filter import FilterRules, neighbourhood, select_file_rows
from scorer.annotation.choices_reader import EXPECTED_RATINGS, ChoicesLayout, parse_choices
from scorer.annotation.context_effect_report import ContextRules, significant_units
from scorer.annotation.exact_arithmetic import unit_moments
from scorer.annotation.ratings import Ratings
from scorer.annotation.ratings_reader import RatingsLayout, parse_ratings
from scorer.annotation.rounds import align_rounds
from scorer.campaigns.config import Unit
from scorer.campaigns.scales import format_expected_ratings
from scorer.campaigns.units_reader import GENRE
from scorer.datasets.descriptions import HostedLevel, write_data_card, write_readme, write_task_toml
from scorer.datasets.export_reader import CampaignExport, ChosenPair
from scorer.datasets.figure_inputs import read_data_set
from scorer.datasets.figures import figures_report
from scorer.datasets.pairs import RatedPair, name_annotators, name_pairs, rated_pairs, training_pairs
from scorer.datasets.passages import CLOSE, OPEN, limit_context
from scorer.datasets.tables import (
    DECISION,
    PASSES,
    SINGLE,
    TEST_RATINGS,
    TRAIN,
    count_rows,
    format_number,
    name_test_file,
    write_table,
)
from scorer.reports.table_report import render_table_report


@dataclass(frozen=True, slots=True)
class DatasetRules:
    """The options of `scorer dataset`.

    Parameters
    ----------
    seed : int, at least 0
        The seed of the order and of the names of pairs and annotators.
    context_sentences : int, at least 0
        The maximum number of sentences on each side of the marked one.
    at_least : int, at least 1
        The minimum number of ratings that a test pair has in each pass.
    expected : mapping of str to float
        The expected rating of each choice, for the neighbourhoods of the training pairs.
    """

    seed: int = 0
    context_sentences: int = 2
    at_least: int = 1
    expected: dict[str, float] = field(default_factory=lambda: dict(EXPECTED_RATINGS))


def make_dataset(export: CampaignExport, rules: DatasetRules) -> dict[str, bytes]:
    """Write the files of a data set.

    Parameters
    ----------
    export : CampaignExport
        The exported campaign.
    rules : DatasetRules
        The options.

    Returns
    -------
    dict of str to bytes
        The content of each file by its path. The same export and rules give the same bytes.

    Raises
    ------
    RequestError
        If no unit has enough ratings in each pass.

    Notes
    -----
    The order and the names of pairs and annotators are drawn from the published texts and ratings and the
    seed, so nothing says which pairs have the same source, except that their left texts are equal. Training
    pairs are the pairs of the first round that were no units of the exported round.

    References
    ----------
    Sido et al. (2024), Czech news dataset for semantic textual similarity, Language Resources and Evaluation,
    doi:10.1007/s10579-024-09795-z: the files of the data set.
    """
    pairs = rated_pairs(export, rules.seed, rules.at_least)
    names = PASSES if len(export.passes) == len(PASSES) else (SINGLE,)
    genre = [GENRE] if any(pair.unit.genre for pair in pairs) else []
    files = {TEST_RATINGS: _write_ratings(pairs, names, genre, rules.seed)}
    layouts = [RatingsLayout(unit=("id",), annotator="annotator", rating=name) for name in names]
    passes = [parse_ratings(files[TEST_RATINGS], TEST_RATINGS, layout) for layout in layouts]
    training = training_pairs(export, rules.seed)
    has_genres = not training and all(pair.unit.genre for pair in pairs)
    items = ("id", *_SIDES, *(genre if has_genres else []))  # all items of a level have the same columns
    decided = (DECISION, "gold") if _count_decided(pairs) else ()
    columns = ("id", *_SIDES, *genre, "mean", "n", "ratings", *decided, "choice", "first")
    tables = [
        [tuple(row[column] for column in columns) for row in _test_rows(pairs, place, ratings, rules)]
        for place, ratings in enumerate(passes)
    ]
    for name, rows in zip(names, tables, strict=True):
        files[f"items/{name_test_file(name)}"] = write_table(items, (row[: len(items)] for row in rows))
        files[name_test_file(name)] = write_table(columns, rows)
    significant: set[str] | None = None
    if len(passes) == len(PASSES):
        free, dependent = align_rounds(passes)
        significant = {*significant_units((free, dependent), ContextRules())}
        for name, rows in zip(names, tables, strict=True):
            chosen = [row for row in rows if row[0] in significant]
            files[f"test-sig-{name}.tsv"] = write_table(columns, chosen)
    if training:
        files[TRAIN] = _write_training(training)
        choices = parse_choices(files[TRAIN], TRAIN, ChoicesLayout(expected=rules.expected))
        for width in FilterRules().neighbourhoods:
            kept = neighbourhood(choices, width)
            files[f"train-N{width:g}.tsv"] = select_file_rows(files[TRAIN], choices, kept)
        labels = zip(_names_of_training(training), training, strict=True)
        files["gold/train.tsv"] = write_table(
            ("id", _gold_column(columns)), ((name, format_number(pair.rating)) for name, pair in labels)
        )
    return files | _descriptions(export, rules, pairs, files, items, columns)


_SIDES = ("left", "right")


_ABOUT = {
    TRAIN: "pairs that were rated before the campaign and are no test pairs, with their choice and rating",
    "train-N1.tsv": "the training pairs whose rating is at most 1 from the rating expected for their choice",
    "train-N2.tsv": "the training pairs whose rating is at most 2 from the expected one",
    "test.tsv": "the pairs that were rated in the campaign; in `task.toml`, they are the test pairs",
    "test-free.tsv": "the pairs that were rated in the campaign, without context; in `task.toml`, they are "
    "the test pairs",
    "test-dep.tsv": "the same pairs, rated with context",
    "test-sig-free.tsv": "the test pairs whose ratings changed significantly with context (independent "
    "t-test, p <= 0.05); here with their ratings without context",
    "test-sig-dep.tsv": "the same pairs with context",
    TEST_RATINGS: "the ratings of the test pairs, a row for each pair and annotator",
    "items/test.tsv": "the test pairs alone, for participants",
    "items/test-free.tsv": "the test pairs alone, for participants",
    "items/test-dep.tsv": "the test pairs with context alone, for participants",
    "gold/train.tsv": "the ratings of the training pairs, as a site reads them",
}
_NO_SOURCES = (
    "The files do not say which pairs belong together, for example because they come from the same report."
)
_LEVELS = {
    SINGLE: ("similarity", "Similarity"),
    "free": ("free", "Without context"),
    "dep": ("dep", "With context"),
}
"""The short name and the title of the level of each pass."""


_SORTED = (
    "- `choice`, `first`: how the pair was sorted before the campaign, such as A (most similar), and its",
    "  rating at that time. Both are empty if the pair was not sorted.",
)
_DECIDED = (
    "- `decision`: what the organizers decided; empty if they did not. `gold`: the decision, else the mean.",
)
_NOT_SORTED = ("- `choice`, `first`: empty, because no pair was sorted before the campaign.",)


def _describe_columns(
    rules: DatasetRules, files: dict[str, bytes], columns: Sequence[str], *, has_choices: bool
) -> str:
    """Say what the columns mean, without those that no file has."""
    has_context = name_test_file(PASSES[1]) in files
    lines = [
        "- `id`: the name of the pair, the same in all files of test pairs. Names and order are random.",
        "- `left`, `right`: the two texts." + (" `genre`: their genre." if GENRE in columns else ""),
        "- `mean`, `n`, `ratings`: the mean of the ratings, their number, and the ratings themselves, in no",
        "  fixed order of annotators. `test-ratings.tsv` says which annotator gave which rating.",
        *(_DECIDED if DECISION in columns else ()),
        *(_SORTED if has_choices else _NOT_SORTED),
        "- `annotator`: a pseudonym that was drawn at random for this data set.",
    ]
    if has_context:
        n_sentences = rules.context_sentences
        lines[1] += " In files with context, the rated sentence is between `<sent>` and `</sent>`,"
        lines.insert(2, f"  with at most {n_sentences} sentences of context on each side.")
        lines.append("- `free`, `dep`: the ratings without and with context.")
    else:
        lines.append("- `rating`: the rating of a pair by an annotator.")
    if TRAIN in files and has_context:
        lines.append("- `rating`: the rating of a training pair.")
    return "\n".join(lines) + f"\n\n{_NO_SOURCES}\n"


def _descriptions(
    export: CampaignExport,
    rules: DatasetRules,
    pairs: Sequence[RatedPair],
    files: dict[str, bytes],
    items: Sequence[str],
    columns: Sequence[str],
) -> dict[str, bytes]:
    rows = count_rows(files.items())
    expected = rules.expected
    option = "" if expected == EXPECTED_RATINGS else f" --expected {format_expected_ratings(expected)}"
    about = _describe_columns(rules, files, columns, has_choices=export.choices is not None)
    levels = [
        HostedLevel(slug, title, items, name_test_file(name), name != PASSES[1] and TRAIN in files)
        for name, (slug, title) in _LEVELS.items()
        if name_test_file(name) in files
    ]
    texts = {
        "README.md": write_readme(export.facts, rows, _ABOUT, about, option),
        "data-card.md": write_data_card(export.facts, list(_card_paragraphs(export, rules, pairs, rows))),
        "figures.json": render_table_report(figures_report(read_data_set(files, expected)), "json"),
        "task.toml": write_task_toml(
            export.facts, ("pearson", "spearman", "mse"), _gold_column(columns), levels
        ),
    }
    return {name: text.encode() for name, text in texts.items()}


def _card_paragraphs(
    export: CampaignExport, rules: DatasetRules, pairs: Sequence[RatedPair], rows: dict[str, int]
) -> Iterator[str]:
    annotators = len({annotator for pair in pairs for ratings in pair.ratings for annotator in ratings})
    counts = [len(ratings) for pair in pairs for ratings in pair.ratings]
    of_pair = f"{min(counts)} to {max(counts)}" if min(counts) < max(counts) else str(max(counts))
    passes = " in each pass, first without and then with context" if len(export.passes) > 1 else ""
    how = (
        f"**How it was rated.** {annotators} annotators gave {sum(counts)} ratings to {len(pairs)} pairs, "
        f"{of_pair} to each pair{passes}."
    )
    left_out = len(export.units) - len(pairs)
    few = "no rating" if rules.at_least == 1 else f"fewer than {rules.at_least} ratings"
    each_pass = " in a pass" if len(export.passes) > 1 else ""
    omitted = f"\nPairs that are left out because they have {few}{each_pass}: {left_out}." if left_out else ""
    decided = _count_decided(pairs)
    instead = f", or the decision of the organizers ({decided})" if decided else ""
    yield f"{how}\nThe gold standard is the mean of the ratings of a pair{instead}.{omitted}"
    if TRAIN in rows:
        yield f"**Training pairs.** {rows[TRAIN]} pairs, each rated once before the campaign."
    size = f"Contexts have at most {rules.context_sentences} sentences on each side. "
    yield f"**Sources.** {size if len(export.passes) > 1 else ''}{_NO_SOURCES}"


def _write_ratings(
    pairs: Sequence[RatedPair], names: Sequence[str], genre: Sequence[str], seed: int
) -> bytes:
    """Write a row for each pair and annotator, with a column for each pass, and perhaps one for the genre."""
    pseudonyms = name_annotators(pairs, seed)
    rows = []
    for pair in pairs:
        annotators = {annotator for ratings in pair.ratings for annotator in ratings}
        for annotator in sorted(annotators, key=pseudonyms.__getitem__):
            values = (format_number(ratings.get(annotator)) for ratings in pair.ratings)
            rows.append((pair.id, pseudonyms[annotator], *values, *(pair.unit.genre or "" for _ in genre)))
    return write_table(("id", "annotator", *names, *genre), rows)


def _test_rows(
    pairs: Sequence[RatedPair], place: int, ratings: Ratings, rules: DatasetRules
) -> Iterator[dict[str, str]]:
    """Yield the cells of the test pairs in one pass by column; ratings are in the order of the export."""
    means = dict(zip(ratings.units, unit_moments(ratings).mean.tolist(), strict=True))
    for pair in pairs:
        mean, decision = means.get(pair.id), pair.decisions[place]
        yield {
            "id": pair.id,
            **{side: _text(pair.unit, side, rules, in_context=place > 0) for side in _SIDES},
            GENRE: pair.unit.genre or "",
            "mean": format_number(mean),
            "n": str(len(pair.ratings[place])),
            "ratings": " ".join(map(format_number, pair.ratings[place].values())),
            DECISION: format_number(decision),
            "gold": format_number(mean if decision is None else decision),
            "choice": "" if pair.first is None else pair.first.choice,
            "first": format_number(None if pair.first is None else pair.first.rating),
        }


def _gold_column(columns: Sequence[str]) -> str:
    return "gold" if DECISION in columns else "mean"


def _count_decided(pairs: Sequence[RatedPair]) -> int:
    return sum(value is not None for pair in pairs for value in pair.decisions)


def _text(unit: Unit, side: str, rules: DatasetRules, *, in_context: bool) -> str:
    text, context = unit.texts[side].strip(), unit.texts.get(f"{side}_context")
    if not in_context or context is None:
        return text
    return limit_context(context, rules.context_sentences) if context.strip() else f"{OPEN}{text}{CLOSE}"


def _write_training(pairs: Sequence[ChosenPair]) -> bytes:
    rows = (
        (name, pair.left.strip(), pair.right.strip(), pair.choice, format_number(pair.rating))
        for name, pair in zip(_names_of_training(pairs), pairs, strict=True)
    )
    return write_table(("id", *_SIDES, "choice", "rating"), rows)


def _names_of_training(pairs: Sequence[ChosenPair]) -> list[str]:
    return name_pairs("train", len(pairs))
