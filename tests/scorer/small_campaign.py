"""A campaign of six invented pairs, for the tests of campaigns."""

from pathlib import Path

import pytest

from scorer.campaigns.reader import read_campaign
from scorer.errors import BundleError

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


CHAIN = """\
[campaign]
slug = "harbour-in-context"
title = "Sentences of the harbour"
contact = "organizers@example.org"
text_language = "en"
consent = { en = "You can stop at any time." }
scale = { min = 0, max = 6, step = 1 }
labels.en = { "0" = "different", "6" = "the same" }

[entry.students]
kind = "personal"

[entry.expert]
kind = "personal"

[[round]]
slug = "pilot"
kind = "rate"
entries = ["students"]
units = "pilot.tsv"
answers = 2
assignment = 2
passes = [ { slug = "free" }, { slug = "dependent", show = ["left_context", "right_context"] } ]

[[round]]
slug = "rate"
kind = "rate"
entries = ["students"]
units = "pairs.tsv"
answers = 2
assignment = 3
order = "given"
passes = [
  { slug = "free" },
  { slug = "dependent", show = ["left_context", "right_context"], after_hours = 72, remind_hours = [96, 72] },
]
calibration = { units = "calibration.tsv" }
intra = { n = 1, from = "pilot", else = "main" }

[[round]]
slug = "bws"
kind = "bws"
entries = ["students"]
units = "dialogues.tsv"
tuples = "tuples.tsv"
show = ["turn1", "turn2", "left"]
answers = 2
assignment = 4

[[round]]
slug = "expert"
kind = "rate"
entries = ["expert"]
units = "dialogues.tsv"
show = ["turn1", "turn2", "left", "right"]
scale = { min = 0, max = 1, step = 1 }
labels.en = { "0" = "rather different", "1" = "rather similar" }
answers = 1
assignment = 4
groups = "free"

[gold]
round = "rate"
pass = "dependent"
rule = "mean"
"""
"""Rounds in a chain: a pilot and a main round of two passes, best-worst tuples, and an expert's check."""


def _in_context(keys: str) -> str:
    lines = ["key\tgroup\tgenre\tleft\tright\tleft_context\tright_context"]
    for key in keys.split():
        left, right = f"The boat {key} leaves.", f"A boat {key} goes out."
        context = f"It is cold. <sent>{left}</sent> Nobody waves.\tA bell rings. <sent>{right}</sent>"
        lines.append(f"{key}\t{key[0]}\tnews\t{left}\t{right}\t{context}")
    return "\n".join(lines) + "\n"


CHAIN_FILES = {
    "annotation.toml": CHAIN,
    "pilot.tsv": _in_context("p1 q1 r1 s1"),
    "pairs.tsv": _in_context("a1 a2 b1 b2 c1 c2"),
    "calibration.tsv": _in_context("z1"),
    "dialogues.tsv": "key\tgroup\tturn1\tturn2\tleft\tright\n"
    + "".join(f"d{n}\td\tA: Where is the ferry?\t\tB: It is late.\tB: Late by {n}.\n" for n in range(1, 5)),
    "tuples.tsv": "group\tItem1\tItem2\tItem3\nd\td1\td2\td3\nd\td1\td2\td4\nd\td1\td3\td4\nd\td2\td3\td4\n",
}


def write_chain(folder: Path, **files: str) -> Path:
    """Write the files of the chain and return its folder; `files` replaces some, named without their ends."""
    for name, text in CHAIN_FILES.items():
        (folder / name).write_text(files.get(name.split(".")[0], text), encoding="utf-8")
    return folder


def problems_of(folder: Path) -> str:
    with pytest.raises(BundleError) as caught:
        read_campaign(folder)
    return str(caught.value)
