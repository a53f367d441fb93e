"""Files that were a `task.toml` before something happened to them: the same ones for the same seed."""

import random
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

Mutation = Callable[[random.Random, bytearray, Sequence[bytes]], None]


def _flip(draw: random.Random, data: bytearray, _others: Sequence[bytes]) -> None:
    for _ in range(draw.randint(1, 8)):
        bit = draw.randrange(8 * len(data))
        data[bit // 8] ^= 1 << (bit % 8)


def _splice(draw: random.Random, data: bytearray, others: Sequence[bytes]) -> None:
    other = draw.choice(others)
    start = draw.randrange(len(other))
    data[_at(draw, data) : _at(draw, data)] = other[start : start + draw.randrange(2000)]


def _repeat(draw: random.Random, data: bytearray, _others: Sequence[bytes]) -> None:
    start = _at(draw, data)
    part = data[start : start + draw.randint(1, 200)]
    data[start:start] = part * draw.randint(1, 100_000 // len(part))


def _nest(draw: random.Random, data: bytearray, _others: Sequence[bytes]) -> None:
    _insert(draw, data, draw.choice((b"[", b"{a=", b"[[", b'["",', b"[{a=")) * _count(draw))


def _key(draw: random.Random, data: bytearray, _others: Sequence[bytes]) -> None:
    part = draw.choice((b"a.", b'"b".', b"'c' . ", b"d-1\t."))
    key = part * _count(draw) + b"e"
    line_start = data.rfind(b"\n", 0, _at(draw, data)) + 1
    data[line_start:line_start] = (
        draw.choice((b"%b = 1\n", b"[%b]\n", b"[[%b]]\n", b"x = { %b = 1 }\n")) % key
    )


def _number(draw: random.Random, data: bytearray, _others: Sequence[bytes]) -> None:
    digits = draw.choice((b"9", b"1_", b"0")) * _count(draw)
    _insert(draw, data, draw.choice((b"%b1", b"-%b1", b"0x%b1", b"1.%b1", b"1e%b1", b"%b1-01-01")) % digits)


def _entries(draw: random.Random, data: bytearray, _others: Sequence[bytes]) -> None:
    data += draw.choice(
        (b"\n[[run]]", b"\n[[level]]\nslug='x'", b"\n[[phase]]", b"\n[task.q%d]", b"\nq%d.a.b=1")
    ).replace(b"%d", b"%d" % draw.randrange(10)) * _count(draw)


def _quote(draw: random.Random, data: bytearray, _others: Sequence[bytes]) -> None:
    for _ in range(draw.randint(1, 3)):
        at = _at(draw, data)
        data[at:at] = draw.choice((b'"', b"'", b'"""', b"'''", b"\\", b'\\"', b"#", b"\r", b'""""'))


def write_named_files(folder: Path, files: Sequence[bytes]) -> None:
    """Empty files of all names that valid descriptions may name, so that they can be read."""
    for data in files:
        for name in _strings(tomllib.loads(data.decode())):
            path = folder / name
            if "." in name and len(name) < 200 and "\n" not in name and not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch()


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _strings(inner)


MUTATIONS: tuple[Mutation, ...] = (_flip, _splice, _repeat, _nest, _key, _number, _entries, _quote)


def mutated(files: Sequence[bytes], count: int, seed: int) -> Iterator[bytes]:
    """`count` files, each with one to three mutations of one of `files`."""
    draw = random.Random(seed)  # noqa: S311  (mutations, not secrets)
    for _ in range(count):
        data = bytearray(draw.choice(files))
        for mutation in draw.choices(MUTATIONS, k=draw.choice((1, 1, 2, 3))):
            mutation(draw, data, files)
        yield bytes(data)


def _at(draw: random.Random, data: bytearray) -> int:
    return draw.randrange(len(data))


def _count(draw: random.Random) -> int:
    """From one to 30,000, small ones as often as large ones."""
    return round(30_000 ** draw.random())


def _insert(draw: random.Random, data: bytearray, value: bytes) -> None:
    """Put a value where one stands."""
    places = [at for at in range(len(data)) if data.startswith(b"= ", at)] or [0]
    at = draw.choice(places) + 2
    data[at:at] = value
