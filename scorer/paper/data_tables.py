"""The tables of a task's data: sizes and lengths, genres, words that WordNet lacks, lexical diversity."""

from collections import Counter

from scorer.baselines.wordnet import find_wordnet
from scorer.items.report import ItemsLevel, items_report
from scorer.items.word_counts import ALL, WordRules
from scorer.items.words import WordNetVocabulary
from scorer.paper.sources import BoardSource
from scorer.reports.paper_elements import PaperTable
from scorer.reports.scores import DASH
from scorer.reports.table_report import ReportTable, TableCell
from scorer.values import Undefined

_SHORT = 3
"""The mean length of texts, in tokens, below which MTLD means nothing."""
_HEADINGS = {"level": "Level", "genre": "Genre", "split": "Split", "n": "Pairs"}


class DataTables:
    """The tables of the items of a bundle, which is read once.

    Parameters
    ----------
    source : BoardSource
        The bundle; of evidence, what it has.
    wordnet : str, optional
        The folder of WordNet 3.0; by default it is searched in the usual places.
    """

    def __init__(self, source: BoardSource, wordnet: str | None) -> None:
        self.source, self.wordnet = source, wordnet or find_wordnet()
        bundle = source.bundle
        self.parts = [
            (level, split, bundle.items(level, split)) for level in bundle.levels for split in level.splits
        ]
        levels = [ItemsLevel(f"{level.slug} {split}", items) for level, split, items in self.parts]
        vocabulary = WordNetVocabulary(self.wordnet) if self.wordnet else Undefined("no_wordnet", "")
        self.report = items_report(levels, WordRules(vocabulary=vocabulary))

    def _named(self, name: str) -> list[tuple[str, str, dict[str, TableCell]]]:
        """Return the rows of a table of `scorer items` with the title of their level and their split."""
        titles = {f"{level.slug} {split}": (level.title, split) for level, split, _ in self.parts}
        return [(*titles[str(row["items"])], row) for row in self.report.records(name)]

    def sizes(self) -> list[PaperTable]:
        """Make CLSS's table 1: pairs of each split, content words of each side, and their ratio."""
        rows = [
            [title, split, row["n"], row["left"], row["right"], row["ratio"]]
            for title, split, row in self._named("lengths")
            if row["genre"] == ALL
        ]
        head = ("level", "split", "n", "left", "right", "ratio")
        headings = _HEADINGS | {"left": "Left", "right": "Right", "ratio": "Ratio"}
        caption = (
            "Pairs by level and split, the mean number of content words of the left and of the right "
            "text, and the ratio of these means."
        )
        decimals = dict.fromkeys(("left", "right", "ratio"), 2)
        table = ReportTable("sizes", caption, head, rows, ("level", "split"), decimals, headings)
        return [PaperTable(table, "")]

    def genres(self) -> list[PaperTable] | Undefined:
        """Make the table of the number of pairs by genre, level and split."""
        splits = list(dict.fromkeys(split for _, split, _ in self.parts))
        held_out = {
            genre
            for level in self.source.bundle.levels
            for split in level.splits.values()
            for genre in split.held_out_genres
        }
        counted = dict[tuple[str, str], Counter[str]]()
        for level, split, items in self.parts:
            for genre in items.genres:
                counted.setdefault((level.title, genre), Counter())[split] += 1
        if len({genre for _, genre in counted if genre}) < 2:
            return Undefined("no_genres", "the items have fewer than two genres")
        rows: list[list[TableCell]] = [
            [title, f"{genre}*" if genre in held_out else genre, *(counts[split] or None for split in splits)]
            for (title, genre), counts in counted.items()
        ]
        caption = "Pairs by level and genre." + (
            " Systems could not train on the genres with an asterisk." if held_out else ""
        )
        head, words = ("level", "genre", *splits), ("level", "genre")
        headings = _HEADINGS | {split: split.capitalize() for split in splits}
        return [PaperTable(ReportTable("genres", caption, head, rows, words, {}, headings), "")]

    def vocabulary(self) -> list[PaperTable] | Undefined:
        """Make CLSS's table 5: the share of content words that WordNet lacks, by genre, side and split."""
        if self.wordnet is None:
            reason = "WordNet 3.0 was not found; name its folder with --wordnet"
            return Undefined("no_wordnet", reason)
        shares = dict[tuple[str, str], dict[str, TableCell]]()
        columns = dict[str, str]()
        for title, split, row in self._named("missing"):
            if row["side"] in ("left", "right"):
                column = f"{split} {row['side']}"
                columns[column] = f"{split.capitalize()}, {row['side']}"
                shares.setdefault((title, str(row["genre"])), {})[column] = row["share"]
        rows = [
            [title, genre, *(found.get(column) for column in columns)]
            for (title, genre), found in shares.items()
        ]
        caption = (
            "Share of content words that WordNet 3.0 does not have, by level, genre and split, for the "
            "left and the right text."
        )
        table = ReportTable(
            "vocabulary",
            caption,
            ("level", "genre", *columns),
            rows,
            ("level", "genre"),
            dict.fromkeys(columns, 3),
            _HEADINGS | columns,
        )
        return [PaperTable(table, "")]

    def diversity(self) -> list[PaperTable]:
        """Make GiCCS's table of texts, words and lexical diversity of the ranked split, by genre."""
        head = ("level", "genre", "texts", "tokens", "types", "length", "RTTR", "MTLD")
        rows = list[list[TableCell]]()
        for title, split, row in self._named("words"):
            if split == self.source.split and row["side"] == ALL:
                is_long = isinstance(row["length"], float) and row["length"] >= _SHORT
                rows.append([title, *(row[name] for name in head[1:-1]), row["MTLD"] if is_long else DASH])
        headings = _HEADINGS | {name: name.capitalize() for name in ("texts", "tokens", "types", "length")}
        caption = (
            f"All texts of the {self.source.split} data, of both sides together: tokens, types, mean "
            "length in tokens, and lexical diversity (RTTR, and MTLD with the threshold .72, which texts "
            f"of fewer than {_SHORT} tokens on average do not have)."
        )
        decimals = {"length": 2, "RTTR": 2, "MTLD": 1}
        table = ReportTable("diversity", caption, head, rows, ("level", "genre"), decimals, headings)
        return [PaperTable(table, "")]
