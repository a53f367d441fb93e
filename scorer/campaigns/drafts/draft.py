"""What `scorer campaign new` proposes for a table of pairs or a list of texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from scorer.bundles.bundle import ScaleSpec
from scorer.bundles.drafts.columns import column, is_header, is_id, is_text, role_of_name
from scorer.bundles.drafts.data_files import find_delimiter
from scorer.bundles.drafts.items_preview import IGNORED, ItemsPreview, preview_items
from scorer.bundles.drafts.path_words import make_slug
from scorer.bundles.placeholders import PLACEHOLDER_WORD
from scorer.campaigns.config import RoundKind
from scorer.campaigns.round_reader import DEFAULT_QUESTIONS
from scorer.errors import BundleError, Problem
from scorer.files.tables import Delimiter, read_rows
from scorer.files.text import BLANKS, Problems, decode_lines

_ANSWERS: Mapping[RoundKind, int] = {"rate": 3, "bws": 5}
"""CLSS had three workers for each pair, and GiCCS five annotators for each tuple."""
_ASSIGNMENT: Mapping[RoundKind, int] = {"rate": 50, "bws": 20}
"""The pairs of a block of the Czech News data set, and the tuples of a part of GiCCS."""
_SCALE = ScaleSpec(0.0, 4.0, 1.0)
"""That of CLSS, in whole points."""
LINE = "every line is one text or pair"
_LIST_ROLES = ("id", "genre", "context", "group")
"""What the columns beside the texts of a list can be."""

SIDES = ("paragraph", "sentence", "phrase", "word")
"""What a header may call both texts, the larger first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignDraft:
    """A campaign of one round as its table suggests it. `replace` puts a person's corrections into it.

    Parameters
    ----------
    table : str
        The name of the file of pairs or texts.
    layout : ItemsPreview
        Its columns and first rows. The texts of a list are in the column "right".
    kind : "rate" or "bws"
    slug, title, contact : str
    languages : tuple of str
        Of the annotators' pages; the first one is the default.
    text_language : str
    scale : ScaleSpec
        With a step, for ratings.
    labels : mapping of str to mapping of float to str
        The meaning of points of the scale by language; empty: labels of the ends, or all those of CLSS.
    compared : str
        The text with which the texts of a list are compared.
    answers, assignment : int
        Of how many annotators each unit gets an answer, and how many units an annotator gets at most.
    guide : mapping of str to str
        The instructions by language; empty: none.
    level, split : str or None
        Where the gold standard goes; both or neither.
    """

    table: str
    layout: ItemsPreview
    kind: RoundKind
    slug: str
    title: str
    contact: str = f"{PLACEHOLDER_WORD}@example.org"
    languages: tuple[str, ...] = ("en",)
    text_language: str = "en"
    scale: ScaleSpec = _SCALE
    labels: Mapping[str, Mapping[float, str]] = field(default_factory=dict)
    compared: str = f"{PLACEHOLDER_WORD}: the text with which all texts are compared"
    answers: int
    assignment: int
    guide: Mapping[str, str] = field(default_factory=dict)
    level: str | None = None
    split: str | None = None

    @property
    def is_list(self) -> bool:
        """Whether the table has one text on each line, and no pairs."""
        return not _has_pairs(self.layout)


def draft_campaign(
    data: bytes, table: str, kind: RoundKind | None = None, delimiter: Delimiter | None = None
) -> CampaignDraft:
    """Propose a campaign for a table of pairs or a list of texts.

    Parameters
    ----------
    data : bytes
        The file, in UTF-8.
    table : str
        The name of the file.
    kind : "rate" or "bws", optional
        By default, pairs are rated, and the texts of a list are compared (best-worst scaling).
    delimiter : "tab" or "comma", optional
        By default, it is guessed.

    Returns
    -------
    CampaignDraft
        What is not known has a default, or is a placeholder that begins with TODO.

    Raises
    ------
    BundleError
        If the file is empty, is not text in UTF-8, has blank lines or broken quotes, or has no texts.

    Examples
    --------
    >>> draft = draft_campaign(b"id\\tsentence1\\tsentence2\\n1\\tA dog runs\\tIt runs\\n", "pairs.tsv")
    >>> draft.kind, draft.layout.roles, draft.answers
    ('rate', ('id', 'left', 'right'), 3)
    >>> draft_campaign(b"The quay\\nThe reef\\nThe isle\\n", "texts.txt").kind
    'bws'
    """
    problems = Problems(table)
    lines = decode_lines(data, problems)
    problems.raise_as(BundleError)
    layout = _guess_layout(data, table, lines, problems, delimiter)
    kind = kind or ("rate" if _has_pairs(layout) else "bws")
    n_shown = len(layout.rows) - layout.header
    return CampaignDraft(
        table=table,
        layout=layout,
        kind=kind,
        slug=make_slug(table.rpartition(".")[0] or table, "campaign"),
        title=DEFAULT_QUESTIONS["question" if kind == "rate" else "best"]["en"],
        answers=_ANSWERS[kind],
        assignment=min(n_shown, _ASSIGNMENT[kind]) if kind == "rate" else _ASSIGNMENT[kind],
    )


def _guess_layout(
    data: bytes,
    table: str,
    lines: Sequence[str | None],
    problems: Problems,
    chosen: Delimiter | None,
) -> ItemsPreview:
    """Guess the columns of pairs or of a list; only files whose name says so have commas without a header."""
    is_csv = table.lower().endswith(".csv")
    delimiter = chosen or find_delimiter(table, lines)
    if delimiter is None and is_csv:
        problems.add(None, "semicolons", "has columns with semicolons between them; write tabs or commas")
    if is_csv and chosen is None and not any("\t" in (line or "") for line in lines):
        delimiter = "comma"
    layout = preview_items(data, delimiter or "tab", SIDES)
    if layout.delimiter == "comma" and chosen is None and not is_csv and not layout.header:
        layout = preview_items(data, "tab", SIDES)
    list(read_rows(lines, layout.delimiter, problems, LINE, quotes=False))
    problems.raise_as(BundleError)
    rows = layout.rows[layout.header :]
    texts = [values for place in range(len(layout.roles)) if is_text(values := column(rows, place))]
    if not texts:
        message = "has no column of texts; give a table of pairs of texts, or a list with a text on each line"
        raise BundleError([Problem(table, None, "no_texts", message)])
    is_id_with_text = not layout.header and len(texts) == 2 and any(map(is_id, texts))
    return layout if _has_pairs(layout) and not is_id_with_text else _as_list(layout)


def _has_pairs(layout: ItemsPreview) -> bool:
    return not {"left", "pair"}.isdisjoint(layout.roles)


def _as_list(layout: ItemsPreview) -> ItemsPreview:
    """Return the layout of a list: its longest column of texts is "right", and another may have ids."""
    first, *rows = layout.rows
    names = [name.strip(BLANKS) for name in first]
    roles = [role_of_name(name) or IGNORED for name in names]
    header = roles == ["pair"] or is_header(names, rows)
    rows, width = rows if header else [first, *rows], len(layout.roles)
    roles = [
        role if header and role in _LIST_ROLES else IGNORED for role in [*roles, *[IGNORED] * width][:width]
    ]
    others = [place for place, role in enumerate(roles) if role == IGNORED]
    text = max(others, key=lambda place: sum(map(len, column(rows, place))), default=0)
    ids = [place for place in others if place != text and is_id(column(rows, place))]
    if ids and "id" not in roles:
        roles[ids[0]] = "id"
    roles[text] = "right"
    return replace(layout, header=header, roles=tuple(roles))
