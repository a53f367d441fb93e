"""The numbers that the prose of a paper needs, as macros of LaTeX."""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from scorer.annotation.agreement_report import ALL
from scorer.boards.board import Board, ColumnKey, Row, official_columns
from scorer.paper.sources import BoardSource, CampaignSource, Sources
from scorer.reports.latex import latex_text
from scorer.reports.tables import latex_number
from scorer.values import number_or_none

_DIGITS = ("Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")
Macros = dict[str, tuple[str, str]]
"""By the name of a macro: its text, and what it is."""


def macro_name(*words: str) -> str:
    r"""Return the name of a macro, which has letters only.

    >>> macro_name("best", "phrase2word")
    'AssayBestPhraseTwoWord'
    >>> macro_name("Věty", "alpha")
    'AssayVetyAlpha'
    """
    letters = unicodedata.normalize("NFKD", " ".join(words)).encode("ascii", "ignore").decode()
    parts = re.findall(r"[a-z]+|[0-9]", letters.lower())
    return "Assay" + "".join(_DIGITS[int(part)] if part.isdigit() else part.capitalize() for part in parts)


def numbers(sources: Sources) -> Macros:
    """Return the macros of all sources; a name that is taken gets the name of the source, too."""
    macros: Macros = {macro_name("task"): (latex_text(sources.title), "the title")}
    if sources.board is not None:
        macros |= {macro_name(*words): (text, what) for words, text, what in _of_board(sources.board)}
    for source in sources.campaigns:
        own = own_words(sources, source)
        for words, text, what in _of_campaign(source):
            macros.setdefault(macro_name(*own, *words), (text, f"{what}, {source.title}"))
    return macros


def own_words(sources: Sources, source: CampaignSource) -> tuple[str, ...]:
    """Return what the names of a campaign's macros begin with if there are several campaigns."""
    return (source.title,) if len(sources.campaigns) > 1 else ()


_Named = tuple[tuple[str, ...], str, str]


def _of_board(source: BoardSource) -> Iterator[_Named]:
    board = source.board
    teams = {row.team for row in (*board.official, *board.late)}
    yield ("levels",), str(len(board.levels)), "levels"
    if source.work is not None:
        items = sum(len(source.work.items(level)) for level in source.work.levels)
        yield ("items",), f"{items:,}", f"items of the {source.split} split"
        yield ("split",), latex_text(source.split), "the split that was ranked"
    yield ("teams",), str(len(teams)), "teams with a run"
    yield ("systems",), str(len(board.official)), "systems that were on time"
    with_rank = sum(board.rank(row) is not None for row in board.official)
    yield ("ranked", "systems"), str(with_rank), "systems with a rank"
    yield ("late", "systems"), str(len(board.late)), "late systems"
    yield ("baselines",), str(len(board.baselines)), "baselines"
    for key in official_columns(board):
        slug, metric = key
        name = slug or "total"
        higher = board.higher_is_better(key)
        ranked = _values(board, board.official, key)
        if not ranked:
            continue
        value, row = (max if higher else min)(ranked, key=lambda pair: pair[0])
        yield ("best", name), latex_number(f"{value:z.3f}"), f"best value, {name}, {metric}"
        yield ("best", name, "system"), latex_text(f"{row.team} {row.run}"), f"the system that has it, {name}"
        for baseline_value, baseline in _values(board, board.baselines, key):
            better = sum(
                (value > baseline_value) == higher and value != baseline_value for value, _ in ranked
            )
            what = f"systems above {baseline.run}, {name}"
            yield ("above", baseline.run, name), str(better), what
            yield (
                ("baseline", baseline.run, name),
                latex_number(f"{baseline_value:z.3f}"),
                f"{baseline.run}, {name}",
            )


def _values(board: Board, rows: Sequence[Row], key: ColumnKey) -> list[tuple[float, Row]]:
    cells = [(board.cell(row, key), row) for row in rows]
    found = [(number_or_none(cell.value), row) for cell, row in cells if cell is not None]
    return [(value, row) for value, row in found if value is not None]


def _of_campaign(source: CampaignSource) -> Iterator[_Named]:
    people = {name for part in source.inputs.ratings.values() for name in part.annotators}
    people |= {answer.record.annotator for answer in source.inputs.stage}
    count = len(people) or max((part.annotators or 0 for part in source.inputs.answers.values()), default=0)
    if count:
        yield ("annotators",), str(count), "annotators"
    ratings = sum(len(part) for part in source.inputs.ratings.values())
    if ratings:
        yield ("ratings",), f"{ratings:,}", "ratings that count"
    seconds = sum(answer.seconds for answer in source.inputs.stage)
    timed = (part.seconds for part in source.inputs.ratings.values())
    seconds += sum(float(part.sum()) for part in timed if part is not None)
    if seconds:
        yield ("hours",), f"{seconds / 3600:.1f}", "hours of work, from the times of the answers"
    for row in source.report.records("alpha"):
        if row["units of"] == ALL and isinstance(row["alpha"], float):
            slug = str(row.get("pass", ""))
            what = f"Krippendorff's alpha {slug}".rstrip()
            yield ("alpha", slug), latex_number(f"{row['alpha']:z.3f}"), what


def numbers_tex(macros: Macros) -> str:
    """Write macros with a comment on each."""
    lines = [f"\\newcommand{{\\{name}}}{{{text}}} % {what}" for name, (text, what) in macros.items()]
    return "\n".join(lines) + "\n"
