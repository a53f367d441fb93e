"""The README's commands for annotation, typed as they are written, on invented files."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from scorer.cli.__main__ import cli
from tests.scorer.small_campaign import write_campaign
from tests.scorer.small_export import write_export
from tests.scorer.small_stages import write_texts
from tests.scorer.small_wordnet import HARBOUR, HARBOUR_RELATIONS, write_wordnet

README = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
SECTION = README.partition("\n## Annotation\n")[2].partition("\n## ")[0]
COMMANDS = re.findall(r"^    scorer (.+)$", SECTION, re.MULTILINE)
PEOPLE = ("ada", "bo", "cy", "dee")
WRITES = {
    "adjudicate": ("gold.tsv",),
    "context": ("changed.txt",),
    "filter": ("kept.tsv",),
    "split": ("parts",),
    "assignments": ("plan.json",),
    "dataset": ("DATASET",),
}
GENRES = ("CQA", "Newswire", "Travel", "Scientific")


def rated(units: int, shift: int) -> str:
    """A row a unit and a column an annotator, some cells empty; no two annotators differ by a point."""
    rows = [
        [
            f"{GENRES[unit % 4]}-{unit}",
            *(
                "" if (unit + who) % 7 == 3 else str((unit % 4) + ((unit * who + shift) % 3) / 4)
                for who in range(4)
            ),
        ]
        for unit in range(units)
    ]
    return "\n".join(",".join(row) for row in [["pair", *PEOPLE], *rows]) + "\n"


def answers() -> str:
    """Five answers to each triple of five quays, mostly that the one of the lowest number is best."""
    rows = []
    for person in range(5):
        for a in range(1, 4):
            for b in range(a + 1, 5):
                for c in range(b + 1, 6):
                    shown = [f"quay {place}" for place in (a, b, c)]
                    best, worst = (1, 2) if (a + b * c + person) % 6 == 0 else (0, 2)
                    rows.append([*shown, shown[best], shown[worst]])
    head = ["Item1", "Item2", "Item3", "BestItem", "WorstItem"]
    return "\n".join(",".join(row) for row in [head, *rows]) + "\n"


def item_lines(start: int, end: int) -> str:
    lines = [
        f"the boat of the keeper left quay {n} early\tboat {n}\t{GENRES[n % 4]}-{n}"
        for n in range(start, end)
    ]
    return "\n".join(lines) + "\n"


def gold_lines(n: int) -> str:
    return "".join(f"{place % 5}\n" for place in range(n))


def examples(command: str) -> dict[str, str]:
    """Every file that a command names and does not write."""
    files = {
        "ratings.csv": rated(12, 0),
        "crowd.csv": rated(12, 1),
        "known.csv": "pair,gold\n" + "".join(f"{GENRES[n % 4]}-{n},{n % 4}\n" for n in range(20)),
        "rated.csv": rated(40, 1),
        "scores.tsv": "".join(f"{n % 4}\n" for n in range(40)),
        "decided.csv": "pair,gold\nCQA-0,2\n",
        "first.csv": rated(40, 2),
        "free.csv": rated(40, 0),
        "dependent.csv": rated(40, 1),
        "changed.txt": "".join(f"{GENRES[unit % 4]}-{unit}\n" for unit in range(9)),
        "train.tsv": "choice\trating\n" + "".join(f"{'ABC'[n % 3]}\t{n % 7}\n" for n in range(42)),
        "items.tsv": item_lines(0, 1036),
        "gold.tsv": gold_lines(1036),
        "training.tsv": item_lines(0, 40),
        "training.gold.tsv": gold_lines(40),
        "test.tsv": item_lines(40, 90),
        "test.gold.tsv": gold_lines(50),
        "items.txt": "".join(f"quay {place}\n" for place in range(20)),
        "answers.csv": answers(),
        "phrases.tsv": "key\tgenre\tleft\n" + "".join(f"p{n}\tnews\tquay {n}\n" for n in range(8)),
        "words.tsv": "key\tleft\nw1\tquay#n\n",
    }
    written = WRITES.get(command.split(maxsplit=1)[0], ())
    return {name: text for name, text in files.items() if name in command and name not in written}


@pytest.mark.parametrize("command", COMMANDS)
def test_readme_command_runs_as_written(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in examples(command).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    if "FOLDER" in command:
        (tmp_path / "FOLDER").mkdir()
        if "campaign new" in command:
            (tmp_path / "FOLDER" / "pairs.tsv").write_text(item_lines(0, 40), encoding="utf-8")
        else:
            write_campaign(tmp_path / "FOLDER")
    if "campaign next" in command:
        write_texts(tmp_path / "EXPORT")
    elif "EXPORT" in command or "RATED" in command:
        write_export(tmp_path / ("RATED" if "RATED" in command else "EXPORT"))
    if "DIR" in command:
        write_wordnet(tmp_path / "DIR", entries=HARBOUR, related=HARBOUR_RELATIONS)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, shlex.split(command.partition(" > ")[0], comments=True))
    assert done.exit_code == 0, done.output
    assert re.search(r"\d", done.output)
    for name in WRITES.get(command.split(maxsplit=1)[0], ()):
        assert (tmp_path / name).exists(), name


def test_readme_shows_each_annotation_command() -> None:
    names = {command.split()[0] for command in COMMANDS}
    assert {
        "agree",
        "annotator-test",
        "adjudicate",
        "bias",
        "bws",
        "context",
        "filter",
        "rounds",
        "items",
        "split",
        "dataset",
        "senses",
    } <= names
