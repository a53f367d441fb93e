"""The data set of a round of best-worst scaling: items with their scores, all answers, and a task to host."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scorer.bws.answers import AnswersLayout, parse_answers
from scorer.bws.scores import ItemScore, bws_scores
from scorer.campaigns.config import Unit
from scorer.campaigns.units_reader import GENRE, TEXTS, TURN
from scorer.datasets.campaign_facts import CampaignFacts
from scorer.datasets.descriptions import HostedLevel, write_data_card, write_readme, write_task_toml
from scorer.datasets.figure_inputs import read_data_set
from scorer.datasets.figures import figures_report
from scorer.datasets.pairs import draw_key, draw_names, name_pairs
from scorer.datasets.tables import ANSWERS, count_rows, format_number, write_table
from scorer.errors import RatingsError
from scorer.files.reading import read_bytes
from scorer.files.tables import read_annotations
from scorer.files.text import Problems, decode_lines, shorten
from scorer.reports.table_report import render_table_report

ANSWERS_NAME = "bws.csv"
_CHOICES = ("BestItem", "WorstItem")


@dataclass(frozen=True, slots=True)
class BwsAnswer:
    """An answer: the keys of the items that were shown, and the best and the worst of them."""

    tuple_: str
    annotator: str
    shown: tuple[str, ...]
    best: str
    worst: str


@dataclass(frozen=True, slots=True)
class BwsExport:
    """The files of an exported round of best-worst scaling.

    Parameters
    ----------
    facts : CampaignFacts
        The items of the round have the texts left and right, and perhaps the turns of a dialogue.
    answers : tuple of BwsAnswer
        The counted answers, in the order of the export.
    """

    facts: CampaignFacts
    answers: tuple[BwsAnswer, ...]


def read_bws_export(folder: Path, facts: CampaignFacts) -> BwsExport:
    """Read the folder of an exported round of best-worst scaling.

    Parameters
    ----------
    folder : Path
        It has bws.csv.
    facts : CampaignFacts
        The campaign, and its exported round.

    Returns
    -------
    BwsExport

    Raises
    ------
    DataError
        If a file is missing, or has problems. All problems of a file are listed with their lines.
    """
    data = read_bytes(str(folder / ANSWERS_NAME))
    parse_answers(data, ANSWERS_NAME, AnswersLayout(annotator="annotator", tuple_="tuple"))
    keys = {item.key for item in facts.round.items}
    return BwsExport(facts, _read_answers(data, keys, facts.round.units_file))


def _read_answers(data: bytes, items: set[str], items_file: str) -> tuple[BwsAnswer, ...]:
    """Read the rows of a file that `parse_answers` has accepted."""
    problems = Problems(ANSWERS_NAME)
    (_, head), *body = read_annotations(decode_lines(data, problems), problems, "")
    shown = [place for place, name in enumerate(head) if name.startswith("Item")]
    tuple_, annotator, best, worst = (head.index(name) for name in ("tuple", "annotator", *_CHOICES))
    answers = []
    for line, fields in body:
        keys = tuple(fields[place] for place in shown)
        for key in (*keys, fields[best], fields[worst]):
            if key not in items:
                message = f"the item {shorten(key)} is not a key of {items_file}"
                problems.add_line(line, "unknown_id", message)
        answers.append(BwsAnswer(fields[tuple_], fields[annotator], keys, fields[best], fields[worst]))
    problems.raise_as(RatingsError)
    return tuple(answers)


def make_bws_dataset(export: BwsExport, seed: int) -> dict[str, bytes]:
    """Write the files of a data set of best-worst scores.

    Parameters
    ----------
    export : BwsExport
        The exported round.
    seed : int, at least 0
        The seed of the order and the names of items, groups, tuples and annotators.

    Returns
    -------
    dict of str to bytes
        The content of each file by its path. The same export and seed give the same bytes.

    Notes
    -----
    Items that no answer shows are left out. The gold label is the score scaled to [0, 1]; see `bws_scores`.

    References
    ----------
    Asaadi, Kolagar, Liebel & Zarcone (2022): GiCCS, dialogues with five candidates for the last turn.
    """
    used = {key for answer in export.answers for key in answer.shown}
    items = [item for item in export.facts.round.items if item.key in used]
    groups = _name_groups(items, seed)
    items.sort(key=lambda item: (groups.get(item.group or "", ""), draw_key(seed, _texts(item))))
    names = dict(zip((item.key for item in items), name_pairs("item", len(items)), strict=True))
    genres = {item.key: item.genre or "" for item in items}
    files = {ANSWERS: _write_answers(export.answers, names, genres, seed)}
    scores = {score.item: score for score in bws_scores(read_data_set(files).answers[""])}
    optional = (("group", groups), (GENRE, all(genres.values())), ("context", any(map(_turns, items))))
    head = ("id", *(name for name, is_there in optional if is_there), *TEXTS)
    rows = [_item_row(item, names[item.key], head, groups) for item in items]
    files["items/test.tsv"] = write_table(head, rows)
    files["test.tsv"] = write_table(
        (*head, "scaled", "score", "shown", "best", "worst"),
        ((*row, *_score_cells(scores[row[0]])) for row in rows),
    )
    return files | _descriptions(export, head, files)


def _name_groups(items: Sequence[Unit], seed: int) -> dict[str, str]:
    """Draw a name for each group, from the texts of its items. Empty unless each item has a group."""
    texts: dict[str, list[list[str]]] = {}
    for item in items:
        texts.setdefault(item.group or "", []).append(_texts(item))
    if "" in texts:
        return {}
    return draw_names("group", {group: sorted(of_group) for group, of_group in texts.items()}, seed)


def _turns(item: Unit) -> list[str]:
    names = sorted((name for name in item.texts if TURN.fullmatch(name)), key=lambda name: int(name[4:]))
    return [item.texts[name].strip() for name in names if item.texts[name].strip()]


def _texts(item: Unit) -> list[str]:
    """Return what is published of an item: the turns before it, and its two texts."""
    return [" | ".join(_turns(item)), *(item.texts[side].strip() for side in TEXTS)]


def _item_row(item: Unit, name: str, head: Sequence[str], groups: Mapping[str, str]) -> tuple[str, ...]:
    context, left, right = _texts(item)
    cells = {"id": name, "group": groups.get(item.group or "", ""), GENRE: item.genre or ""}
    cells |= {"context": context, "left": left, "right": right}
    return tuple(cells[column] for column in head)


def _score_cells(score: ItemScore) -> tuple[str, ...]:
    return (
        format_number(score.scaled),
        format_number(score.score),
        *map(str, (score.shown, score.best, score.worst)),
    )


def _write_answers(
    answers: Sequence[BwsAnswer], names: Mapping[str, str], genres: Mapping[str, str], seed: int
) -> bytes:
    """Write all answers with drawn names, sorted by tuple, then by annotator; genres are those of items."""
    rows = [
        (answer, (*(names[key] for key in answer.shown), names[answer.best], names[answer.worst]))
        for answer in answers
    ]
    # The columns keep the order of the first answer's row: agreement is about positions in it.
    tuples = {answer.tuple_: cells[:-2] for answer, cells in reversed(rows)}
    given: dict[str, list[tuple[str, ...]]] = {}
    for answer, cells in rows:
        given.setdefault(answer.annotator, []).append(cells)
    tuple_names = draw_names("tuple", tuples, seed)
    annotator_names = draw_names("R", {name: sorted(cells) for name, cells in given.items()}, seed)
    size = len(answers[0].shown)
    genre = [GENRE] if any(genres.values()) else []
    head = ("tuple", "annotator", *genre, *(f"Item{number}" for number in range(1, size + 1)), *_CHOICES)
    return write_table(
        head,
        sorted(
            (
                tuple_names[answer.tuple_],
                annotator_names[answer.annotator],
                *(genres[answer.shown[0]] for _ in genre),
                *cells,
            )
            for answer, cells in rows
        ),
    )


_ABOUT = {
    "test.tsv": "the items with their best-worst scores",
    ANSWERS: "the answers, a row for each tuple and annotator",
    "items/test.tsv": "the items alone, for participants",
}
_COLUMNS = """\
- `id`: the name of the item, the same in all files. Names and order are random.
- `group`: the group of the item, such as a dialogue. Annotators compared items of one group.
- `genre`: the genre of the item, or of the first item of a tuple.
- `context`: the turns before the two texts, separated by `|`.
- `left`, `right`: the two texts.
- `shown`, `best`, `worst`: how often annotators saw the item, chose it as best, and chose it as worst.
- `score`: (best - worst) / shown. The gold label is `scaled`, which is (score + 1) / 2.
- `tuple`, `annotator`: random names. `Item1` to `WorstItem`: the `id` of an item.
"""


def _descriptions(export: BwsExport, head: Sequence[str], files: Mapping[str, bytes]) -> dict[str, bytes]:
    rows = count_rows(files.items())
    metrics = ("pearson", "spearman", *(["choice_accuracy"] if "group" in head else []))
    annotators = len({answer.annotator for answer in export.answers})
    how = (
        f"**How it was rated.** {annotators} annotators gave {len(export.answers)} answers to tuples of\n"
        f"{len(export.answers[0].shown)} items: which item is the best, and which is the worst. The gold\n"
        f"standard is the best-worst score of each of the {rows['test.tsv']} items."
    )
    texts = {
        "README.md": write_readme(export.facts, rows, _ABOUT, _COLUMNS),
        "data-card.md": write_data_card(export.facts, [how]),
        "figures.json": render_table_report(figures_report(read_data_set(files)), "json"),
        "task.toml": write_task_toml(
            export.facts, metrics, "scaled", [HostedLevel("similarity", "Similarity", head, "test.tsv")]
        ),
    }
    return {name: text.encode() for name, text in texts.items()}
