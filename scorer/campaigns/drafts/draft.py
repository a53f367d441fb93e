"""What `scorer campaign new` and the site propose for a table of pairs or a list of texts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from scorer.bundles.bundle import ScaleSpec
from scorer.bundles.drafts.columns import column, is_header, is_id, is_text, role_of_name
from scorer.bundles.drafts.data_files import find_delimiter
from scorer.bundles.drafts.items_preview import IGNORED, SAMPLE_BYTES, ItemsPreview, preview_items
from scorer.bundles.drafts.path_words import make_slug
from scorer.bundles.placeholders import PLACEHOLDER_WORD
from scorer.campaigns.config import LANGUAGES, RoundKind, scale_points
from scorer.campaigns.keys import MAX_LABEL, MAX_SCALE_POINTS
from scorer.campaigns.round_reader import DEFAULT_QUESTIONS
from scorer.campaigns.scales import find_scale_fault
from scorer.campaigns.size import MAX_UNITS
from scorer.errors import BundleError, Problem
from scorer.files.tables import Delimiter, read_rows
from scorer.files.text import BLANKS, Problems, decode_lines

_USUAL: Mapping[RoundKind, tuple[int, int, str]] = {"rate": (3, 50, "question"), "bws": (5, 20, "best")}
"""Answers: CLSS had three workers for each pair, and GiCCS five annotators for each tuple. The size of an
assignment: the pairs of a block of the Czech News data set, and the tuples of a part of GiCCS. The question
that is the title.
"""
LINE = "every line is one text or pair"
_LIST_ROLES = ("id", "genre", "context")
"""What the columns beside the texts of a list can be."""
ROLES = (IGNORED, "left", "right", "pair", "id", "genre", "group", "context")
"""What a column of a table can be. A table without left texts or pairs is a list of right texts."""
MAX_COLUMNS = 100
SIDES = ("paragraph", "sentence", "phrase", "word")
"""What a header may call both texts, the larger first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignDraft(ItemsPreview):
    """A campaign of one round as its table suggests it. `replace` puts a person's answers into it.

    Parameters
    ----------
    table : str
        The name of the file of pairs or texts.
    delimiter, header, roles, rows
        As in `ItemsPreview`. Pairs are rated, and the texts of a list are compared.
    slug, title, contact : str
    languages : tuple of str
        Of the annotators' pages; the first one is the default.
    text_language : str
    low, high, step : float
        The scale of ratings.
    labels : mapping of float to str
        The meaning of points of the scale; empty: the usual labels.
    compared : str
        The text with which the texts of a list are compared.
    answers, assignment : int
        Of how many annotators each pair or tuple gets an answer, and how many an annotator gets at most.
    guide : str
        The instructions; empty: none.
    level, split : str or None
        Where the gold standard goes; both or neither.
    """

    table: str
    slug: str
    title: str = ""
    contact: str = f"{PLACEHOLDER_WORD}@example.org"
    languages: tuple[str, ...] = ("en",)
    text_language: str = "en"
    low: float = 0.0
    high: float = 4.0
    step: float = 1.0
    labels: Mapping[float, str] = field(default_factory=dict)
    compared: str = f"{PLACEHOLDER_WORD}: the text with which all texts are compared"
    answers: int = 0
    assignment: int = 0
    guide: str = ""
    level: str | None = None
    split: str | None = None

    @property
    def kind(self) -> RoundKind:
        """What annotators do: rate pairs, or choose the best and the worst text of tuples."""
        return "rate" if _has_pairs(self.roles) else "bws"

    @property
    def scale(self) -> ScaleSpec:
        """The scale of ratings; by default that of CLSS, in whole points."""
        return ScaleSpec(self.low, self.high, self.step)


def draft_campaign(data: bytes, table: str, delimiter: Delimiter | None = None) -> CampaignDraft:
    """Propose a campaign for a table of pairs or a list of texts.

    Parameters
    ----------
    data : bytes
        The file, in UTF-8.
    table : str
        The name of the file.
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
    >>> draft.kind, draft.roles, draft.answers
    ('rate', ('id', 'left', 'right'), 3)
    >>> draft_campaign(b"The quay\\nThe reef\\nThe isle\\n", "texts.txt").kind
    'bws'
    """
    layout = _guess_layout(data, table, delimiter)
    slug = make_slug(table.rpartition(".")[0] or table, "campaign")
    draft = CampaignDraft(**asdict(layout), table=table, slug=slug)
    return replace(draft, **suggest_round(draft))


def suggest_round(draft: CampaignDraft) -> dict[str, Any]:
    """Return what is usual for pairs or for a list, whichever the columns of a draft say."""
    answers, assignment, question = _USUAL[draft.kind]
    if draft.kind == "rate":
        assignment = min(len(draft.rows) - draft.header, assignment)
    title = DEFAULT_QUESTIONS[question].get(draft.languages[0], "")
    return {"answers": answers, "assignment": assignment, "title": title}


def find_faults(draft: CampaignDraft) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with a person's answers: the name of a field, and how to fix it."""
    roles = {*draft.roles}
    if len(draft.roles) != max(map(len, draft.rows)) or not roles <= {*ROLES}:
        yield "roles", f"Give each of the columns one of {', '.join(ROLES)}."
    for role in ROLES[1:]:
        if draft.roles.count(role) > 1:
            yield "roles", f'Choose "{role}" for one column only.'
    if "pair" in roles and {"left", "right"} & roles:
        yield "roles", 'Choose either "pair", or "left" and "right".'
    elif not {"pair", "right"} & roles:
        yield "roles", 'Choose "right" for the texts of a list, or for the second text of each pair.'
    if not draft.languages or not {*draft.languages} <= {*LANGUAGES}:
        yield "languages", f"Choose one or more of {', '.join(LANGUAGES)}."
    if draft.kind == "rate":
        yield from _find_scale_faults(draft)
    elif not draft.compared:
        yield "compared", "Enter the text with which the texts of the list are compared."


def _find_scale_faults(draft: CampaignDraft) -> Iterator[tuple[str, str]]:
    fault = find_scale_fault(draft.low, draft.high, draft.step)
    if fault is None:
        points = scale_points(draft.scale)
        others = [f"{point:g}" for point in draft.labels if point not in points]
        if others:
            yield "labels", f"Not on the scale: {', '.join(others)}."
        if any(len(label) > MAX_LABEL for label in draft.labels.values()):
            yield "labels", f"Use at most {MAX_LABEL} characters for a label."
    elif fault[0] == "max":
        yield "high", "The highest rating must be above the lowest."
    else:
        yield "step", f"Enter a step that divides the scale, for at most {MAX_SCALE_POINTS} ratings."


def _guess_layout(data: bytes, table: str, chosen: Delimiter | None) -> ItemsPreview:
    """Guess the columns of pairs or of a list; only files whose name says so have commas without a header."""
    problems = Problems(table)
    n_lines = max(data.count(b"\n"), data.count(b"\r"))
    if n_lines > MAX_UNITS:
        problems.add(None, "too_many", f"has {n_lines} lines; the maximum is {MAX_UNITS}")
    problems.raise_as(BundleError)
    head = _cut_head(data)
    lines = decode_lines(head, problems)
    problems.raise_as(BundleError)
    is_csv = table.lower().endswith(".csv")
    delimiter = chosen or find_delimiter(table, lines)
    if delimiter is None and is_csv:
        problems.add(None, "semicolons", "has columns with semicolons between them; write tabs or commas")
    if is_csv and chosen is None and not any("\t" in (line or "") for line in lines):
        delimiter = "comma"
    layout = preview_items(data, delimiter or "tab", SIDES)
    if layout.delimiter == "comma" and chosen is None and not is_csv and not layout.header:
        layout = preview_items(data, "tab", SIDES)
    if len(head) == len(data):  # otherwise a quoted field may go on after the last line
        list(read_rows(lines, layout.delimiter, problems, LINE, quotes=False))
    if len(layout.roles) > MAX_COLUMNS:
        problems.add(None, "too_many", f"has {len(layout.roles)} columns; the maximum is {MAX_COLUMNS}")
    problems.raise_as(BundleError)
    rows = layout.rows[layout.header :]
    texts = [values for place in range(len(layout.roles)) if is_text(values := column(rows, place))]
    if not texts:
        message = "has no column of texts; give a table of pairs of texts, or a list with a text on each line"
        raise BundleError([Problem(table, None, "no_texts", message)])
    is_id_with_text = not layout.header and len(texts) == 2 and any(map(is_id, texts))
    if not _has_pairs(layout.roles) or is_id_with_text:
        layout = _as_list(layout)
    return replace(layout, roles=tuple(role if role in ROLES else IGNORED for role in layout.roles))


def _cut_head(data: bytes) -> bytes:
    """Return the first lines of a file, which are enough for a guess; `read_draft_units` reads all of it."""
    end = 1 + max(data.rfind(sign, 0, SAMPLE_BYTES) for sign in (b"\n", b"\r"))
    return data if len(data) <= SAMPLE_BYTES or not end else data[:end]


def _has_pairs(roles: Sequence[str]) -> bool:
    return not {"left", "pair"}.isdisjoint(roles)


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
