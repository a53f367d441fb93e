"""A campaign of the first stages: sentences to choose from reports, words to write, and senses to choose."""

from pathlib import Path

STAGES = """\
[campaign]
slug = "harbour-stages"
title = "Sentences and words of the harbour"
contact = "organizers@example.org"
text_language = "en"
consent = { en = "You can stop at any time." }
scale = { min = 0, max = 4, step = 1 }
labels.en = { "0" = "unrelated", "3" = "somewhat similar", "4" = "the same" }

[entry.students]
kind = "personal"
assignments_each = 0

[[round]]
slug = "choose"
kind = "choose"
units = "summaries.tsv"
reports = "reports.tsv"
answers = 1
assignment = 2

[[round]]
slug = "write"
kind = "write"
units = "phrases.tsv"
noun.en = "word"
words = [1, 1]
examples.en = { "3" = "for “a hired car”: taxi" }
answers = 1
assignment = 2
order = "given"

[[round]]
slug = "senses"
kind = "write"
units = "words.tsv"
senses = "senses.tsv"
answers = 1
assignment = 2
order = "given"
"""
STAGES_FILES = {
    "annotation.toml": STAGES,
    "summaries.tsv": "key\tgroup\tgenre\tleft\n"
    + "".join(
        f"{incident}{n}\t{incident}\tnews\t{left}\n"
        for incident in "abc"
        for n, left in enumerate(("The old ferry sank at night.", "Nobody aboard was hurt."), 1)
    ),
    "reports.tsv": "key\tgroup\treport\tsentence\n"
    + "".join(
        f"{incident}-{report}{n}\t{incident}\t{report}\t{sentence}\n"
        for incident in "abc"
        for report in ("first", "second")
        for n, sentence in enumerate(
            (
                f"The ferry went down, said the {report} report.",
                "All passengers were hurt, but lightly.",
                "The harbour was quiet.",
            ),
            1,
        )
    ),
    "phrases.tsv": "key\tgenre\tleft\twanted\n"
    "p1\tnews\tthe ferry at night\t3\np2\tnews\ta quiet harbour\t1\n"
    "p3\tslang\tdead calm\t4\np4\tslang\tall at sea\t2\n",
    "words.tsv": "key\tleft\twanted\nw1\tharbour#n\t3\nw2\tferry#n\t1\n",
    "senses.tsv": "unit\tsense\tdefinition\n"
    "w1\tharbour#n#1\ta place where ships lie\nw1\tport#n#1\ta town with ships\n"
    "w2\tferry#n#1\ta boat that goes there and back\nw2\tlake#n#1\ta body of water\n",
}


def write_stages(folder: Path, **files: str) -> Path:
    """Write the files of the campaign and return its folder; `files` replaces some, by their stems."""
    for name, text in STAGES_FILES.items():
        (folder / name).write_text(files.get(name.split(".")[0], text), encoding="utf-8")
    return folder
