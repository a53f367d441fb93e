"""The same malformed bytes as a run, gold, items and senses: one sentence for each, alike in all."""

import gzip
from collections.abc import Callable

import pytest

from scorer.baselines.senses import parse_senses
from scorer.errors import DataError
from scorer.files.reading import parse_gold, parse_items, parse_run

GOOD = {
    "run": b"1.5\n2.5\n3.5\n",
    "gold": b"1.5\n2.5\n3.5\n",
    "items": b"a boat\tthe boat\tx-1\na lamp\tlamps\tx-2\nbread\tale\tx-3\n",
    "senses": b"boat#n#1\ta vessel\nboat#n#2\ta dish\nlamp#n#1\ta light\n",
}
READERS: dict[str, Callable[[bytes], object]] = {
    "run": lambda data: parse_run(data, "file", n=3),
    "gold": lambda data: parse_gold(data, "file", n=3),
    "items": lambda data: parse_items(data, "file"),
    "senses": lambda data: parse_senses(data, "file"),
}
BROKEN: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "gzip": (gzip.compress, "file: this is a gzip archive; unpack it first"),
    "zip": (lambda data: b"PK\x03\x04" + data, "file: this is a zip archive; unpack it first"),
    "xlsx": (
        lambda data: b"PK\x03\x04" + data + b"xl/workbook.xml",
        "file: this is an Excel workbook; save it as tab-separated text in UTF-8",
    ),
    "pdf": (lambda data: b"%PDF-1.7\n" + data, "file: this is a PDF document; export it as plain text"),
    "rtf": (lambda data: b"{\\rtf1 " + data, "file: this is a rich text document; save it as plain text"),
    "html": (
        lambda data: b"<!doctype html>\n" + data,
        "file: this is a web page; download the file itself, not the page that shows it",
    ),
    "UTF-16": (lambda data: data.decode().encode("utf-16"), "file: this is UTF-16; save it as UTF-8"),
    "UTF-16 LE": (lambda data: data.decode().encode("utf-16-le"), "file: this is UTF-16; save it as UTF-8"),
    "UTF-16 BE": (lambda data: data.decode().encode("utf-16-be"), "file: this is UTF-16; save it as UTF-8"),
    "UTF-32": (lambda data: data.decode().encode("utf-32"), "file: this is UTF-32; save it as UTF-8"),
    "binary": (
        lambda data: b"\x00\x00\x01" * 200 + data,
        "file: this is not text; export it as plain text in",
    ),
    "nothing": (lambda _: b"", "file: the file is empty; is it the right one?"),
    "blank lines": (lambda _: b"\n \r\n", "file: the file has nothing but blank lines"),
    "Latin-1": (
        lambda data: data.replace(b"\n", b"\xe9\n", 1),
        "byte 0xE9 at column",
    ),
    "NUL": (
        lambda data: data.replace(b"\n", b"\0\n", 1),
        "file:1: the line has a NUL byte; write plain text",
    ),
    "blank end": (lambda data: data + b"\n", "file:4: blank line at the end; remove it"),
    "sep": (
        lambda data: b"sep=;\r\n" + data,
        "file:1: this line is one that Excel adds for itself; remove it",
    ),
}


@pytest.mark.parametrize(
    ("form", "kind"),
    [(form, kind) for form in BROKEN for kind in GOOD if (form, kind) != ("blank end", "run")],
)
def test_each_malformed_format_has_the_same_message_in_every_kind_of_file(kind: str, form: str) -> None:
    damage, sentence = BROKEN[form]
    READERS[kind](GOOD[kind])
    with pytest.raises(DataError) as caught:
        READERS[kind](damage(GOOD[kind]))
    assert sentence in str(caught.value)
    assert caught.value.count == 1


@pytest.mark.parametrize("kind", GOOD)
def test_any_line_ends_and_a_byte_order_mark_are_accepted(kind: str) -> None:
    read, data = READERS[kind], GOOD[kind]
    others = [data.replace(b"\n", b"\r"), data.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + data, data.rstrip()]
    if kind != "senses":
        assert [read(other) for other in others] == [read(data)] * len(others)
    else:
        assert {read(other).glosses("boat", "n") for other in others} == {("a vessel", "a dish")}
