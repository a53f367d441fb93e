"""Files with one bit turned, for what has to notice it."""

import random
from collections.abc import Iterator


def flipped(data: bytes, count: int, seed: int) -> Iterator[tuple[int, bytes]]:
    """`count` copies of a file, each with one bit turned: the bit's place, and the copy."""
    draw = random.Random(seed)  # noqa: S311  (places of bits, not secrets)
    for _ in range(count):
        bit = draw.randrange(8 * len(data))
        turned = bytearray(data)
        turned[bit // 8] ^= 1 << (bit % 8)
        yield bit, bytes(turned)
