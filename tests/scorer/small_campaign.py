"""A campaign of six invented pairs, for the tests of campaigns."""

from pathlib import Path

CAMPAIGN = """\
[campaign]
slug = "harbour-similarity"
title = "How similar are these sentences?"
contact = "organizers@example.org"
languages = ["en"]
text_language = "en"
consent = { en = "consent.en.md" }
guide = { en = "Read both sentences, then rate." }
scale = { min = 0, max = 4, step = 0.5 }
labels.en = { "0" = "unrelated", "4" = "the same" }
level = "sentences"
split = "test"

[entry.students]
kind = "personal"

[[round]]
slug = "rate"
kind = "rate"
units = "pairs.tsv"
answers = 2
assignment = 3
seed = 7

[gold]
round = "rate"
rule = "mean"
"""
UNITS = """\
key\tgroup\tgenre\tleft\tright\tnote
a1\ta\tnews\tA boat leaves the quay.\tThe boat goes out.\tfirst
a2\ta\tnews\tA boat leaves the quay.\tThe lamp is lit.\tsecond
b1\tb\tforum\tThe keeper sleeps.\tThe keeper is awake.\t
b2\tb\tforum\tThe keeper sleeps.\tThe keeper rests.\t
c1\tc\tforum\tTwo gulls cry.\tBirds make noise.\t
c2\tc\tforum\tTwo gulls cry.\tThe harbour is silent.\t
"""
CONSENT = "You can stop at any time.\n"


def write_campaign(folder: Path, campaign: str = CAMPAIGN, units: str = UNITS) -> Path:
    """Write the files of the campaign and return its folder."""
    for name, text in (("annotation.toml", campaign), ("pairs.tsv", units), ("consent.en.md", CONSENT)):
        (folder / name).write_text(text, encoding="utf-8")
    return folder
