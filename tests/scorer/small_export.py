"""The folder of an exported campaign with two passes, invented, for the tests of data sets."""

from pathlib import Path

ANNOTATION = """\
[campaign]
slug = "harbour-news"
title = "Sentences from the harbour"
contact = "organizers@example.org"
languages = ["en"]
text_language = "en"
consent = { en = "You can stop at any time." }
scale = { min = 0, max = 6, step = 1 }
labels.en = { "0" = "completely different", "6" = "identical" }

[entry.students]
kind = "personal"

[[round]]
slug = "rate"
kind = "rate"
units = "pairs.tsv"
answers = 4
assignment = 3
passes = [
  { slug = "free", show = ["left", "right"] },
  { slug = "dependent", show = ["left_context", "right_context"], after_hours = 72 },
]
"""
WORDS = [
    *("anchor", "buoy", "crane", "dock", "eddy", "ferry", "gull", "harbour"),
    *("inlet", "jetty", "keel", "lantern", "mast", "net", "oar", "pier"),
]
ANNOTATORS = 4


def _sentence(number: int, place: int) -> str:
    return f"The {WORDS[number % len(WORDS)]} of day {number} is near quay {place}."


def units(groups: int = 8) -> list[dict[str, str]]:
    """Three pairs in each group: their left text is the same, and their right texts are of one report."""
    rows = []
    for group in range(groups):
        report = [_sentence(group * 7 + place, place) for place in range(6)]
        for place, right in enumerate(report[1:6:2]):
            left = _sentence(group, 100 + group)
            rows.append(
                {
                    "key": f"g{group}-{place}",
                    "group": f"g{group}",
                    "genre": "news",
                    "left": left,
                    "left_context": f"Fog. Rain fell. It was cold. <sent>{left}</sent> It left.",
                    "right": right,
                    "right_context": " ".join(
                        f"<sent>{sentence}</sent>" if sentence == right else sentence for sentence in report
                    ),
                }
            )
    return rows


def write_table(rows: list[dict[str, str]], sign: str = "\t") -> str:
    """Write rows with the same keys as a table with a header."""
    return "\n".join(sign.join(row) for row in [list(rows[0]), *(list(row.values()) for row in rows)]) + "\n"


def ratings(rows: list[dict[str, str]], shift: int) -> str:
    """Write the ratings of a pass."""
    lines = ["unit,annotator,rating,at,seconds,clock,genre,turn,block,since,elapsed,visible"]
    for number, row in enumerate(rows):
        for slot in range(ANNOTATORS):
            value = (number + slot * (number % 3) // 2 + shift * (number % 4)) % 7
            annotator = f"A{(number % 3) * ANNOTATORS + slot + 1:03}"
            at = f"2026-03-0{1 + shift * 3}T10:{number:02}:{slot:02}.000Z"
            lines.append(f"{row['key']},{annotator},{value},{at},4.5,visible,news,{number + 1},main,9,5,4.5")
    return "\n".join(lines) + "\n"


def choices(rows: list[dict[str, str]], more: int = 12) -> str:
    """Write the first round: the pairs of the export, and as many others."""
    pairs = [(row["left"], row["right"]) for row in rows]
    pairs += [(_sentence(900 + place // 3, 1), _sentence(700 + place, 2)) for place in range(more)]
    table = [
        {"left": left, "right": right, "choice": "ABC"[place % 3], "rating": str((6 - place) % 7)}
        for place, (left, right) in enumerate(pairs)
    ]
    return write_table(table)


def write_export(folder: Path, groups: int = 8) -> Path:
    """Write the folder of the export and return it."""
    rows = units(groups)
    (folder / "campaign").mkdir(parents=True)
    for name, text in (
        ("campaign/annotation.toml", ANNOTATION),
        ("campaign/pairs.tsv", write_table(rows)),
        ("units.tsv", write_table(rows)),
        ("ratings-free.csv", ratings(rows, 0)),
        ("ratings-dependent.csv", ratings(rows, 1)),
        ("choices.tsv", choices(rows)),
    ):
        (folder / name).write_text(text, encoding="utf-8")
    return folder
