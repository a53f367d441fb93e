"""Exports of rounds before the rating: chosen sentences, written texts, senses and tuples, all invented."""

import json
from pathlib import Path
from typing import Any

HEAD = """\
[campaign]
slug = "harbour"
title = "News of the harbour"
contact = "organizers@example.org"
languages = ["en", "cs"]
text_language = "en"
consent = { en = "You can stop at any time.", cs = "Kdykoli můžete přestat." }
guide = { en = "Read both texts.", cs = "Přečtěte oba texty." }
scale = { min = 0, max = 4, step = 1 }
labels.en = { "0" = "unrelated", "4" = "the same" }
labels.cs = { "0" = "nesouvisející", "4" = "stejné" }
level = "sentences"
split = "test"

[entry.students]
kind = "personal"

[[round]]
"""
CHOOSE = """\
slug = "choose"
kind = "choose"
units = "summaries.tsv"
reports = "reports.tsv"
answers = 1
assignment = 1
order = "given"
"""
WRITE = """\
slug = "write"
kind = "write"
units = "phrases.tsv"
noun = { en = "word", cs = "slovo" }
answers = 1
assignment = 50
"""
BWS = """\
slug = "compare"
kind = "bws"
units = "candidates.tsv"
tuples = "tuples.tsv"
show = ["turn1", "turn2", "left"]
answers = 1
assignment = 4
"""
SENTENCES, REPORT = 4, 6
"""The sentences of a summary, and of each of the two reports of an incident."""


def write_export(folder: Path, round_: str, **tables: str) -> Path:
    """Write an export: its campaign with some tables, and other tables beside it."""
    (folder / "campaign").mkdir(parents=True)
    (folder / "campaign" / "annotation.toml").write_text(HEAD + round_, encoding="utf-8")
    for name, text in tables.items():
        beside = name in ("choices", "written")
        (folder if beside else folder / "campaign").joinpath(f"{name}.tsv").write_text(text, encoding="utf-8")
    return folder


def write_answers(folder: Path, answers: list[dict[str, Any]]) -> None:
    """Write answers.jsonl; what an answer does not say is as usual."""
    usual = {"plan": 1, "assignment": 1, "slot": 1, "value": None, "late": False, "outcome": "counted"}
    usual |= {"arrived": "2026-03-02T12:00:00.000Z", "visible": None, "input": "key"}
    lines = [json.dumps({**usual, "id": n, "step": n, **answer}) for n, answer in enumerate(answers, 1)]
    (folder / "answers.jsonl").write_text("\n".join([*lines, ""]), encoding="utf-8")


def chosen_rows(incidents: int = 3) -> list[dict[str, str]]:
    """The choices of an assignment for each incident."""
    rows = []
    for incident in range(1, incidents + 1):
        for number in range(1, SENTENCES + 1):
            for place, choice in enumerate("ABC"):
                unit, report = f"s{incident}-{number}", "ab"[place % 2]
                rows.append(
                    {
                        "id": f"{unit}-{choice}",
                        "unit": unit,
                        "group": f"i{incident}",
                        "genre": "news",
                        "annotator": f"A{incident:03}",
                        "plan": "1",
                        "assignment": str(incident),
                        "left": f"Summary {incident} says {number}.",
                        "right": f"Report {report} of {incident} says {number + place}.",
                        "choice": choice,
                        "rating": str(4 - 2 * place),
                        "sentence": f"r{incident}{report}{number + place}",
                    }
                )
    return rows


def write_choices(folder: Path, rows: list[dict[str, str]], incidents: int = 3) -> Path:
    """Write an export of a round of kind choose."""
    numbers = range(1, incidents + 1)
    summaries = [
        f"s{incident}-{number}\ti{incident}\tnews\tSummary {incident} says {number}."
        for incident in numbers
        for number in range(1, SENTENCES + 1)
    ]
    reports = [
        f"r{incident}{report}{number}\ti{incident}\t{report}\tReport {report} of {incident} says {number}."
        for incident in numbers
        for report in "ab"
        for number in range(1, REPORT + 1)
    ]
    return write_export(
        folder,
        CHOOSE,
        summaries="\n".join(["key\tgroup\tgenre\tleft", *summaries, ""]),
        reports="\n".join(["key\tgroup\treport\tsentence", *reports, ""]),
        choices="".join("\t".join(row) + "\n" for row in [[*rows[0]], *([*row.values()] for row in rows)]),
    )


def write_texts(folder: Path, n: int = 40, people: int = 2) -> Path:
    """Write an export of a round of kind write, of two genres."""
    units = [
        (f"u{number}", ("news", "slang")[number % 2], f"the boat of quay {number}") for number in range(n)
    ]
    phrases = [f"{key}\t{genre}\t{left}\t{number % 4 + 1}" for number, (key, genre, left) in enumerate(units)]
    written = [
        f"{key}\t{genre}\t\tA{number // 2 % people + 1:03}\t{number % 4 + 1}\t{left}\tdinghy{number}"
        for number, (key, genre, left) in enumerate(units)
    ]
    return write_export(
        folder,
        WRITE,
        phrases="\n".join(["key\tgenre\tleft\twanted", *phrases, ""]),
        written="\n".join(["id\tgenre\tgroup\tannotator\twanted\tleft\tright", *written, ""]),
    )


def write_senses(folder: Path) -> Path:
    """Write an export of a round in which senses were chosen for six words."""
    numbers = range(6)
    words = [f"w{n}\tboat{n}#n\t{n % 4 + 1}" for n in numbers]
    senses = [f"w{n}\tferry{m}#n#1\ta ferry with {m} decks" for n in numbers for m in range(6)]
    written = [
        f"w{n}\t\t\tA{n % 2 + 1:03}\t{n % 4 + 1}\tboat{n}#n\tferry{n}#n#1\ta ferry with {n} decks"
        for n in numbers
    ]
    return write_export(
        folder,
        f'{WRITE}senses = "senses.tsv"\n'.replace("phrases", "words"),
        words="\n".join(["key\tleft\twanted", *words, ""]),
        senses="\n".join(["unit\tsense\tdefinition", *senses, ""]),
        written="\n".join(["id\tgenre\tgroup\tannotator\twanted\tleft\tright\tdefinition", *written, ""]),
    )


def write_tuples(folder: Path) -> Path:
    """Write an export of a round of best-worst scaling: four candidates of one dialogue."""
    rows = [f"d{n}\td\tWhere is the ferry?\t\tIt is late.\tLate by {n}." for n in range(1, 5)]
    return write_export(
        folder,
        BWS,
        candidates="\n".join(["key\tgroup\tturn1\tturn2\tleft\tright", *rows, ""]),
        tuples="group\tItem1\tItem2\tItem3\nd\td1\td2\td3\nd\td1\td2\td4\nd\td1\td3\td4\nd\td2\td3\td4\n",
    )
