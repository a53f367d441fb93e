"""The first rows of a level's items, and what their columns are."""

from collections.abc import Sequence
from dataclasses import dataclass

from scorer.bundles.drafts.items_preview import (
    IGNORED,
    SAMPLE_ROWS,
    ItemsPreview,
    layout_of_roles,
    preview_items,
    read_first_rows,
    roles_of_layout,
)
from scorer.files.numbers import read_number
from scorer.files.reading import ItemsLayout
from scorer.files.tables import Delimiter
from server.core.storage import Storage
from server.levels.contents import LevelFiles, SplitState
from server.scoring import service as scoring
from server.tasks.split_names import SPLITS

PREVIEW_ROWS = 5
DEFAULT_COLUMNS = ("left", "right", "id")
MAX_COLUMNS = 100
"""How many columns of a file are shown; those after them are not used."""
EXAMPLES = {
    "left": "A boat leaves the harbour.",
    "right": "A ship sails.",
    "pair": "A boat leaves the harbour.\nA ship sails.",
    "id": "id-17",
    "sense_key": "ship%1:06:00::",
    "genre": "News",
}
"""Invented values of columns."""


@dataclass(frozen=True, slots=True)
class LevelPreview:
    """The first rows of the items of a level, the names of its columns, and what the columns are."""

    split: str
    delimiter: Delimiter
    header: tuple[str, ...] | None
    roles: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: tuple[int, ...]
    """The columns, from 1, that have only numbers which may be gold labels."""
    is_cut: bool
    """Whether the rows have more columns than these."""


def read_preview(state: LevelFiles, storage: Storage) -> LevelPreview | None:
    """Return the first rows of the items of a level, of the test items if possible."""
    for split in reversed(SPLITS):
        file = state.splits.get(split, SplitState()).items
        if file is not None:
            return _preview(split, layout_of(state), storage.get(file.sha256))
    return None


def layout_of(state: LevelFiles) -> ItemsLayout:
    """Return the layout of a level's items."""
    defaults = scoring.layout_values(ItemsLayout())
    return scoring.layout_of({key: state.level.get(key, value) for key, value in defaults.items()})


def example_lines(state: LevelFiles) -> list[tuple[str, ...]]:
    """Return what lines of items look like, now or by default: a header if they have one, and an item."""
    layout = layout_of(state) if state.in_use else ItemsLayout()
    columns = [(name, name) if isinstance(name, str) else name for name in layout.columns or DEFAULT_COLUMNS]
    item = tuple(EXAMPLES.get(role, "\N{HORIZONTAL ELLIPSIS}") for role, _name in columns)
    return [tuple(name for _role, name in columns), item] if layout.has_header else [item]


def _preview(split: str, layout: ItemsLayout, data: bytes) -> LevelPreview:
    sample = read_first_rows(data, layout.delimiter, SAMPLE_ROWS)
    rows = tuple(row[:MAX_COLUMNS] for row in sample)
    header = rows[0] if rows and layout.has_header else None
    body = rows if header is None else rows[1:]
    roles = roles_of_layout(layout, header or max(rows, key=len, default=()))
    numbers = tuple(
        place
        for place, role in enumerate(roles, start=1)
        if _may_be_gold(role, [row[place - 1] for row in body if len(row) >= place])
    )
    is_cut = any(len(row) > MAX_COLUMNS for row in sample)
    return LevelPreview(split, layout.delimiter, header, roles, body[:PREVIEW_ROWS], numbers, is_cut)


def _may_be_gold(role: str, values: Sequence[str]) -> bool:
    """Whether a column that is not used, or is said to have ids, has only numbers; ids are whole numbers."""
    numbers = [read_number(value.strip()) for value in values]
    if not numbers or None in numbers or role not in (IGNORED, "id"):
        return False
    return role == IGNORED or any(number is not None and not number.is_integer() for number in numbers)


def choose_columns(
    state: LevelFiles, storage: Storage, roles: Sequence[str], delimiter: Delimiter, *, header: bool
) -> ItemsLayout | None:
    """Return the layout in which the columns of the items are these; None: the level has no items.

    For another delimiter, the columns are guessed again.
    """
    preview = read_preview(state, storage)
    file = None if preview is None else state.splits[preview.split].items
    if preview is None or file is None:
        return None
    data = storage.get(file.sha256)
    if delimiter != preview.delimiter:
        guess = preview_items(data, delimiter, state.level["sides"])
        roles, header = guess.roles, guess.header
    names = next(iter(read_first_rows(data, delimiter, 1)), ()) if header else None
    rest = [IGNORED] if preview.is_cut else []
    return layout_of_roles([*roles, *rest], names, delimiter)


def guess_layout(state: LevelFiles, data: bytes, *, may_stay: bool) -> ItemsLayout:
    """Guess the layout of new items; the level's own stays if it fits the file, and so may be meant."""
    guess = preview_items(data, sides=state.level["sides"])
    layout = layout_of(state)
    if may_stay and layout.columns is not None and _fits(layout, guess):
        return layout
    header = guess.rows[0] if guess.header else None
    return layout_of_roles(guess.roles, header, guess.delimiter)


def _fits(layout: ItemsLayout, guess: ItemsPreview) -> bool:
    """Whether a layout has the delimiter, the header and the columns of a file."""
    names = {name.strip() for name in guess.rows[0]} if guess.rows else set()
    columns = layout.columns or ()
    same_names = all(isinstance(column, str) or column[1] in names for column in columns)
    width = len(guess.roles)
    same_width = all(not isinstance(column, str) for column in columns) or len(columns) == width
    return layout.delimiter == guess.delimiter and same_names and same_width
