"""The levels of a task setup: their names, uploaded files and columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

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
from server.core.errors import Conflict, NameTaken, NotFound
from server.core.i18n import _
from server.core.storage import Storage
from server.core.zips import MEGABYTE
from server.scoring import service as scoring
from server.setups.models import SetupFile, TaskSetup
from server.setups.rules import KINDS, SPLITS, FileKind, file_path
from server.setups.service import change_tables

SIZE_LIMIT = 64 * MEGABYTE
"""The maximum size of all files of a setup together."""
MAX_LEVELS = 200
PREVIEW_ROWS = 5
MAX_COLUMNS = 100
"""How many columns of a file are shown; those after them are not used."""
LAYOUT_KEYS = ("columns", "header", "genre", "delimiter")


@dataclass(frozen=True, slots=True)
class LevelEdit:
    """The names of a level, whether it counts in the total, and its own metrics; none: those of the task."""

    slug: str
    title: str
    sides: tuple[str, str]
    counts: bool = True
    metrics: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """An uploaded file, which is in the store already, and its name there."""

    name: str
    sha256: str
    data: bytes


@dataclass(frozen=True, slots=True)
class SplitFiles:
    """Uploads for a split, who can download its gold, and whether its present files are removed first."""

    uploads: Mapping[FileKind, UploadedFile]
    public_gold: bool = False
    removed: bool = False


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


def list_levels(setup: TaskSetup) -> list[dict[str, Any]]:
    """Return the tables of the levels."""
    return list(setup.tables.get("level", ()))


def get_level(setup: TaskSetup, slug: str) -> dict[str, Any]:
    """Return the table of a level.

    Raises:
        NotFound: there is no such level.
    """
    for level in list_levels(setup):
        if level["slug"] == slug:
            return level
    raise NotFound(_("There is no such page."))


def add_level(setup: TaskSetup, edit: LevelEdit, now: datetime) -> None:
    """Add a level after the others.

    Raises:
        NameTaken: another level has this short name.
        Conflict: there are too many levels.
    """
    levels = list_levels(setup)
    if len(levels) >= MAX_LEVELS:
        raise Conflict(_("A task can have at most %(most)d levels.", most=MAX_LEVELS))
    _require_free_slug(levels, edit.slug)
    change_tables(setup, now, level=[*levels, _level_names(edit)])


def edit_level(setup: TaskSetup, slug: str, edit: LevelEdit, now: datetime) -> None:
    """Change the names of a level; its files are renamed with it.

    Raises:
        NotFound: there is no such level.
        NameTaken: another level has this short name.
    """
    level = get_level(setup, slug)
    _require_free_slug([other for other in list_levels(setup) if other["slug"] != slug], edit.slug)
    changed = {**{key: value for key, value in level.items() if key != "metrics"}, **_level_names(edit)}
    for split in SPLITS:
        for kind in KINDS if split in level else ():
            if (file := find_file(setup, slug, split, kind)) is not None:
                file.path = file_path(kind, split, edit.slug)
                changed[split] = {**changed[split], kind: file.path}
    _replace_level(setup, slug, changed, now)


def remove_level(setup: TaskSetup, slug: str, now: datetime) -> None:
    """Remove a level and its files."""
    get_level(setup, slug)
    for split in SPLITS:
        _remove_files(setup, slug, split)
    change_tables(setup, now, level=[level for level in list_levels(setup) if level["slug"] != slug])


def find_file(setup: TaskSetup, level: str, split: str, kind: FileKind) -> SetupFile | None:
    """Return an uploaded file."""
    path = file_path(kind, split, level)
    return next((file for file in setup.files if file.path == path), None)


def save_files(setup: TaskSetup, level: str, changes: Mapping[str, SplitFiles], now: datetime) -> None:
    """Remove, add or replace files of a level's splits; the columns are guessed from its first items.

    Raises:
        NotFound: there is no such level.
        Conflict: the files of the setup would be too large together.
    """
    table = get_level(setup, level)
    _require_space(setup, level, changes)
    for split in (split for split, change in changes.items() if change.removed):
        _remove_files(setup, level, split)
        table = {key: value for key, value in table.items() if key != split}
    for split, change in changes.items():
        files = table.get(split, {})
        for kind, upload in change.uploads.items():
            path = file_path(kind, split, level)
            _put_file(setup, path, upload)
            files = {**files, kind: path}
        if files:
            table = {**table, split: {**files, "public_gold": change.public_gold}}
    uploaded = [split for split in reversed(SPLITS) if split in changes and "items" in changes[split].uploads]
    others = [name for name in SPLITS if name not in uploaded and find_file(setup, level, name, "items")]
    if uploaded and not (others and "columns" in table):
        table = _with_guess(table, changes[uploaded[0]].uploads["items"].data)
    _replace_level(setup, level, table, now)


def _require_space(setup: TaskSetup, level: str, changes: Mapping[str, SplitFiles]) -> None:
    """Raise if the files of the setup would be too large together."""
    gone = {
        file_path(kind, split, level)
        for split, change in changes.items()
        for kind in KINDS
        if change.removed or kind in change.uploads
    }
    kept = sum(file.size for file in setup.files if file.path not in gone)
    added = sum(len(upload.data) for change in changes.values() for upload in change.uploads.values())
    if kept + added > SIZE_LIMIT:
        words = _(
            "The files of a task can have at most %(most)d MB together. The operator of the site can import "
            "a larger task.",
            most=SIZE_LIMIT // 1_000_000,
        )
        raise Conflict(words)


def read_preview(setup: TaskSetup, storage: Storage, level: str) -> LevelPreview | None:
    """Return the first rows of the items that were uploaded for a level, the test items if possible."""
    table = get_level(setup, level)
    for split in reversed(SPLITS):
        if (file := find_file(setup, level, split, "items")) is not None:
            return _preview(split, read_layout(table), storage.get(file.sha256))
    return None


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


def save_columns(
    setup: TaskSetup,
    storage: Storage,
    level: str,
    roles: Sequence[str],
    delimiter: Delimiter,
    now: datetime,
    *,
    header: bool,
) -> None:
    """Save what the columns of a level's items are; for another delimiter they are guessed again.

    Raises:
        NotFound: there is no such level, or it has no items yet.
    """
    preview = read_preview(setup, storage, level)
    file = None if preview is None else find_file(setup, level, preview.split, "items")
    if preview is None or file is None:
        raise NotFound(_("There is no such page."))
    table, data = get_level(setup, level), storage.get(file.sha256)
    if delimiter != preview.delimiter:
        guess = preview_items(data, delimiter, table["sides"])
        roles, header = guess.roles, guess.header
    names = next(iter(read_first_rows(data, delimiter, 1)), ()) if header else None
    rest = [IGNORED] if preview.is_cut else []
    layout = layout_of_roles([*_trim(roles), *rest], names, delimiter)
    _replace_level(setup, level, {**table, **_layout_table(layout)}, now)


def read_layout(level: Mapping[str, Any]) -> ItemsLayout:
    """Return the layout of a level's items."""
    defaults = scoring.layout_values(ItemsLayout())
    return scoring.layout_of({key: level.get(key, defaults[key]) for key in LAYOUT_KEYS})


def _level_names(edit: LevelEdit) -> dict[str, Any]:
    names = {"slug": edit.slug, "title": edit.title, "sides": list(edit.sides), "counts": edit.counts}
    return {**names, "metrics": list(edit.metrics)} if edit.metrics else names


def _require_free_slug(others: Sequence[Mapping[str, Any]], slug: str) -> None:
    """Raise if a level has this short name, in upper or lower case: files are named for it."""
    if slug.casefold() in {level["slug"].casefold() for level in others}:
        raise NameTaken(_('The task already has a level "%(slug)s". Choose another short name.', slug=slug))


def _replace_level(setup: TaskSetup, slug: str, changed: dict[str, Any], now: datetime) -> None:
    levels = [changed if level["slug"] == slug else level for level in list_levels(setup)]
    change_tables(setup, now, level=levels)


def _put_file(setup: TaskSetup, path: str, upload: UploadedFile) -> None:
    file = next((file for file in setup.files if file.path == path), None)
    if file is None:
        file = SetupFile(path=path)
        setup.files.append(file)
    file.sha256, file.name, file.size = upload.sha256, upload.name, len(upload.data)


def _remove_files(setup: TaskSetup, level: str, split: str) -> None:
    paths = {file_path(kind, split, level) for kind in KINDS}
    setup.files = [file for file in setup.files if file.path not in paths]


def _with_guess(level: Mapping[str, Any], data: bytes) -> dict[str, Any]:
    """Return the level with the guessed columns of its items; columns that still fit the file stay."""
    guess = preview_items(data, sides=level["sides"])
    if "columns" in level and _fits(read_layout(level), guess):
        return {**level}
    layout = layout_of_roles(_trim(guess.roles), guess.rows[0] if guess.header else None, guess.delimiter)
    return {**level, **_layout_table(layout)}


def _fits(layout: ItemsLayout, guess: ItemsPreview) -> bool:
    """Whether a layout has the delimiter, the header and the columns of a file."""
    names = {name.strip() for name in guess.rows[0]} if guess.rows else set()
    columns = layout.columns or ()
    same_names = all(isinstance(column, str) or column[1] in names for column in columns)
    width = len(guess.roles)
    same_width = all(not isinstance(column, str) for column in columns) or len(columns) == width
    return layout.delimiter == guess.delimiter and same_names and same_width


def _trim(roles: Sequence[str]) -> list[str]:
    return [role or IGNORED for role in roles]


def _layout_table(layout: ItemsLayout) -> dict[str, Any]:
    """Return the keys of a level for a layout."""
    values = scoring.layout_values(layout)
    return {key: list(values[key]) if isinstance(values[key], tuple) else values[key] for key in LAYOUT_KEYS}
