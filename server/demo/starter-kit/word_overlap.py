"""A baseline: 4 times the share of the words of the shorter text that are in the longer one.

Usage: python word_overlap.py paragraph2sentence.test.items.tsv > paragraph2sentence.tsv
"""

import re
import sys
from pathlib import Path


def overlap(left: str, right: str) -> float:
    """Compare two texts by their words, from 0 to 4."""
    words = [set(re.findall(r"\w+", text.lower())) for text in (left, right)]
    return 4 * len(words[0] & words[1]) / max(1, min(map(len, words)))


if __name__ == "__main__":
    with Path(sys.argv[1]).open(encoding="utf-8") as items:
        for line in items:
            first, second, *_others = line.split("\t")
            sys.stdout.write(f"{overlap(first, second):.3f}\n")
