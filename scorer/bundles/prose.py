"""Reads texts that a TOML file has itself or takes from a file, and the labels of a rating scale."""

from scorer.bundles.toml_table import Key, TomlTable
from scorer.files.numbers import read_number
from scorer.files.reading import read_bytes
from scorer.files.text import Problems, decode_text


def read_prose(table: TomlTable, name: str, text: str, endings: tuple[str, ...] = (".md", ".txt")) -> str:
    """Return a text, or the content of the file that it names."""
    if "\n" in text or len(text) > 255 or not text.endswith(endings):
        return text
    path = table.value(Key(name, "file"))
    data, problems = b"" if path is None else read_bytes(str(table.folder / path)), Problems(text)
    prose = decode_text(data, problems) if data.strip() else ""
    for problem in problems.kept:
        table.refuse(name, problem.code, str(problem))
    return prose or ""


def read_labels(table: TomlTable) -> tuple[tuple[float, str], ...]:
    """Return the labels of points of a scale, each with its point, in ascending order."""
    labels: dict[float, str] = {}
    for name in table.values:
        point = read_number(name)
        if point is None or point in labels:
            table.refuse(
                name,
                "wrong_type",
                'the key of a label is a point of the scale, such as "0"; use each point once',
            )
        else:
            labels[point] = table.value(Key(name), "")
    return tuple(sorted(labels.items()))
