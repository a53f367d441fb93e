"""`scorer campaign keys` explains every key that the reader accepts, and the examples are valid."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path

from click.testing import CliRunner, Result

from scorer.bundles.key_reference import list_key_sections
from scorer.bundles.toml_table import Key
from scorer.campaigns.keys import ANNOTATION_TEXTS, ANNOTATION_TOML
from scorer.campaigns.reader import read_campaign
from scorer.cli.__main__ import cli
from tests.scorer.small_campaign import CONSENT


def all_keys(keys: tuple[Key, ...] = ANNOTATION_TOML, parent: str = "") -> Iterator[tuple[str, Key]]:
    for key in keys:
        path = f"{parent}.{key.name}" if parent else key.name
        yield path, key
        yield from all_keys(tuple(key.keys), path)


KEYS = dict(all_keys())
OTHER_KINDS = {
    "bws": ("tuples", "best", "worst", "best_label", "worst_label"),
    "choose": ("reports", "highlight"),
    "write": ("senses", "noun", "words", "examples"),
}
"""The keys that a round of ratings does not use."""
ENTRIES = {
    entry.path: entry
    for section in list_key_sections(ANNOTATION_TOML, ANNOTATION_TEXTS)
    for entry in section.entries
}


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["campaign", "keys", *arguments])


def test_every_key_has_a_meaning_and_an_example() -> None:
    assert set(ENTRIES) == {path for path in KEYS if "." in path}
    for path, entry in ENTRIES.items():
        assert entry.meaning[:1].isupper(), path
        assert entry.meaning.endswith((".", '"].')), path
        assert entry.example or path == "entry.NAME"


def test_examples_of_all_keys_together_are_a_valid_campaign(tmp_path: Path) -> None:
    """The reference shows one example after the other: a campaign of exactly these has no problem."""
    lines = []
    for table in ANNOTATION_TOML:
        parent = "entry.NAME" if table.name == "entry" else table.name
        entries = [entry for path, entry in ENTRIES.items() if path == f"{parent}.{entry.name}"]
        examples = {entry.name: f"{entry.name} = {entry.example}" for entry in entries}
        if table.name == "round":
            needed = [examples[name] for name in ("units", "answers", "assignment")]
            lines += ["[[round]]", 'slug = "pilot"', 'kind = "rate"', *needed]
            for kind, names in OTHER_KINDS.items():
                head = ["[[round]]", f'slug = "{kind}"', f'kind = "{kind}"', needed[0], "assignment = 2"]
                answers = "answers = 1" if kind == "choose" else needed[1]
                lines += [*head, answers, *(examples.pop(name) for name in names)]
        if table.name == "entry":
            examples["kind"] = 'kind = "crowd"'  # which has all keys
        heading = {"entry": "[entry.students]", "round": "[[round]]"}.get(table.name, f"[{table.name}]")
        lines += [heading, *examples.values()]
    text = "\n".join(lines)
    assert len(tomllib.loads(text)) == len(ANNOTATION_TOML)
    header = "key\tgroup\tleft\tright\tcontext\tleft_context\tright_context\twanted\tknown\n"
    units = header + "".join(f"u{n}\tg\tThe same.\tText {n}\tc\tlc\trc\t3\t1\n" for n in range(4))
    files = {
        "annotation.toml": text,
        "pairs.tsv": units,
        "calibration.tsv": f"{header}z\tg\tl\tr\tc\tlc\trc\t3\t1\n",
        "tuples.tsv": "Item1\tItem2\tItem3\nu0\tu1\tu2\n",
        "reports.tsv": "key\tgroup\treport\tsentence\n"
        + "".join(f"r{n}\tg\ta\tThe same.\n" for n in range(3)),
        "senses.tsv": "unit\tsense\tdefinition\n" + "".join(f"u{n}\ts#n#1\tA sense.\n" for n in range(4)),
    }
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    for name in ("consent.en.md", "guide.en.md"):
        (tmp_path / name).write_text(CONSENT, encoding="utf-8")
    campaign = read_campaign(tmp_path)
    assert campaign.gold is not None
    assert [round_.slug for round_ in campaign.rounds] == ["pilot", *OTHER_KINDS, "rate"]
    assert campaign.rounds[-1].columns == ("left", "right", "context", "left_context", "right_context")


def test_names_limit_the_output() -> None:
    assert "lease_hours" in run("[entry.NAME]").output
    assert "title" not in run("gold").output
    tables = json.loads(run("round.ask", "--format", "json").output)["tables"]
    names = [entry["name"] for table in tables for entry in table["entries"]]
    assert names == ["ask", "comment", "cannot_judge"]


def test_unknown_name_is_refused_with_a_hint() -> None:
    found = run("gold.at_most")
    assert found.exit_code == 2
    assert 'annotation.toml has no table or key "gold.at_most"; did you mean "gold.at_least"?' in found.output
    assert "`scorer campaign keys` lists all of them" in run("zzz").output
