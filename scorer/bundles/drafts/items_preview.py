"""Reads the first rows of an items file, and guesses its delimiter, its header and its columns."""

from collections.abc import Sequence
from dataclasses import dataclass

from scorer.bundles.drafts.columns import FileColumns, describe_columns
from scorer.bundles.drafts.data_files import find_delimiter
from scorer.files.items import REST_COLUMNS
from scorer.files.reading import ItemsLayout
from scorer.files.tables import Delimiter, read_rows
from scorer.files.text import BLANKS, UTF8_BOM, Problems

IGNORED = "ignored"
"""The role of a column that is not read."""
ROLES = ("left", "right", "pair", "id", "sense_key", "genre", "context", "group")
"""What a column of an items file can be."""
SAMPLE_BYTES, SAMPLE_ROWS = 1 << 17, 200


@dataclass(frozen=True, slots=True)
class ItemsPreview:
    """The first rows of an items file, and what its columns seem to be.

    Parameters
    ----------
    delimiter : "tab" or "comma"
    header : bool
        Whether the first of the rows names the columns.
    roles : tuple of str
        One of `ROLES` for each column, or "ignored".
    rows : tuple of tuples of str
        The fields of the first rows, the header among them.
    """

    delimiter: Delimiter
    header: bool
    roles: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def preview_items(data: bytes, delimiter: Delimiter | None = None, sides: Sequence[str] = ()) -> ItemsPreview:
    """Guess the layout of an items file from its beginning.

    Parameters
    ----------
    data : bytes
        The file; what is not text is replaced, and only the first 200 rows are read.
    delimiter : "tab" or "comma", optional
        By default a tab if most lines have one, else a comma if it cuts most lines alike.
    sides : sequence of str, optional
        The level's words for both texts, which a header may have.

    Returns
    -------
    ItemsPreview
        The guess, which a person should confirm. If nothing was found, all columns are ignored.

    Examples
    --------
    >>> preview = preview_items(b"pair_ID\\tsentence_A\\tsentence_B\\n1\\tA dog runs\\tA dog is running\\n")
    >>> preview.header, preview.roles
    (True, ('id', 'left', 'right'))
    >>> preview_items(b"A dog runs\\tit runs\\tNews-1\\nA cat sits\\tit sits\\tNews-2\\n").roles
    ('left', 'right', 'id')
    """
    lines = _first_lines(data)
    chosen = delimiter or (find_delimiter("", lines) if any(lines) else None) or "tab"
    rows = read_first_rows(data, chosen, SAMPLE_ROWS)
    width = max(map(len, rows), default=0)
    columns = describe_columns(rows, sides) if width > 1 else None
    if columns is None:
        return ItemsPreview(chosen, False, (IGNORED,) * width, rows)
    return ItemsPreview(chosen, columns.has_header, _list_roles(columns, width), rows)


def read_first_rows(data: bytes, delimiter: Delimiter, n: int) -> tuple[tuple[str, ...], ...]:
    """Return the fields of the first n rows of a file, as far as they can be read."""
    rows = read_rows(_first_lines(data), delimiter, Problems(""), "", quotes=False)
    return tuple(tuple(fields) for _, (_number, fields) in zip(range(n), rows, strict=False))


def layout_of_roles(
    roles: Sequence[str], header: Sequence[str] | None, delimiter: Delimiter = "tab"
) -> ItemsLayout:
    """Return the layout of a file with these columns; `header` has their names in the file, if it has any.

    Examples
    --------
    >>> layout_of_roles(["id", "left", "right"], ["n", "a", "b"]).columns
    (('id', 'n'), ('left', 'a'), ('right', 'b'))
    >>> layout_of_roles(["ignored", "left", "right", "ignored"], None).columns
    ('ignored', 'left', 'right', '...')
    """
    genre = "genre" if "genre" in roles else "id-prefix"
    names = [] if header is None else [name.strip(BLANKS) for name in header]
    if names and all(names) and len(set(names)) == len(names):
        pairs = tuple((role, name) for role, name in zip(roles, names, strict=False) if role != IGNORED)
        return ItemsLayout(pairs, False, genre, delimiter)
    end = max((place for place, role in enumerate(roles, start=1) if role != IGNORED), default=0)
    columns = (*roles[:end], *([REST_COLUMNS] if end < len(roles) else []))
    return ItemsLayout(columns, header is not None, genre, delimiter)


def roles_of_layout(layout: ItemsLayout, first_row: Sequence[str]) -> tuple[str, ...]:
    """Return the role of each column of a file by its layout; `first_row` has the names of its columns.

    Examples
    --------
    >>> roles_of_layout(ItemsLayout((("left", "a"), ("right", "b"))), ["n", "a", "b"])
    ('ignored', 'left', 'right')
    """
    columns = layout.columns or ()
    of_name = {column[1]: column[0] for column in columns if not isinstance(column, str)}
    if of_name:
        return tuple(of_name.get(name.strip(BLANKS), IGNORED) for name in first_row)
    roles = [column if column in ROLES else IGNORED for column in columns if isinstance(column, str)]
    return tuple([*roles, *[IGNORED] * len(first_row)][: len(first_row)])


def _list_roles(columns: FileColumns, width: int) -> tuple[str, ...]:
    """Return the role of each column by its place."""
    if columns.has_header:
        roles = [
            next((role for role, theirs in columns.roles.items() if theirs == name), IGNORED)
            for name in columns.names
        ]
    else:
        roles = [name if name in ROLES else IGNORED for name in columns.names]
    return tuple([*roles, *[IGNORED] * width][: len(columns.names) if columns.has_header else width])


def _first_lines(data: bytes) -> list[str | None]:
    """Return the lines at the beginning of a file, without one that the sample cuts."""
    sample = data[: SAMPLE_BYTES + len(UTF8_BOM)].removeprefix(UTF8_BOM)
    lines = sample.splitlines()
    if len(data) > SAMPLE_BYTES and len(lines) > 1:
        lines.pop()
    return [line.decode("utf-8", "replace").replace("\0", "\N{REPLACEMENT CHARACTER}") for line in lines]
