import json
from pathlib import Path

import pytest

from tests.server.commands import Assay
from tests.server.small_task import write_bundle

pytestmark = pytest.mark.one_database

OF = ("small", "p2s", "test")


def test_gold_is_uploaded_scored_put_in_force_and_undone_at_the_console(assay: Assay, tmp_path: Path) -> None:
    assay("task", "import", write_bundle(tmp_path / "bundle"))

    def board() -> str:
        return assay("release", "show", "small", "evaluation", "--preview").stdout

    def states() -> list[list[str]]:
        lines = [line.split("\t") for line in assay("gold", "list", "small").stdout.splitlines()]
        return [line[2:5] for line in lines if line[:2] == ["p2s", "test"]]

    before, file = board(), tmp_path / "gold.tsv"
    file.write_text("4\n0\n3\n1\n", encoding="utf-8")
    added = assay("gold", "add", *OF, file, "--reason", "upside down")
    assert (added.exit_code, added.stderr) == (0, "")
    assert added.stdout == "Gold version 2 is a candidate. `assay gold show` shows what it would change.\n"
    assert states() == [["1", "in force", ""], ["2", "candidate", "0/1"]]
    again = assay("gold", "add", *OF, file, "--reason", "x")
    assert (again.exit_code, again.stdout) == (1, "")
    assert again.stderr.startswith("assay: Version 2 of Paragraph to sentence, test, is already a candidate.")
    shown = assay("gold", "show", *OF)
    assert "0 of 1 files scored" in shown.stdout
    assert "\nitem\told label\tnew label\nNews-1\t0.125\t4" in shown.stdout
    assert assay("gold", "drop", *OF, "--reason", "wrong file").stdout == "Gold version 2 is discarded.\n"
    none = assay("gold", "drop", *OF, "--reason", "x")
    assert none.stderr == "assay: There is no candidate for p2s, test.\n"
    assert board() == before

    done = assay("gold", "add", *OF, file, "--reason", "upside down", "--publish")
    assert done.stdout == "Gold version 3 is now in force. 1 file has been scored against it.\n"
    assert states() == [["1", "earlier", ""], ["2", "dropped", ""], ["3", "in force", ""]]
    assert board() != before
    assert assay("gold", "publish", *OF, "--version", "1").exit_code == 2
    values = json.loads(assay("gold", "show", *OF, "--version", "1", "--format", "json").stdout)
    assert (values["version"]["number"], values["in_force"]["number"], values["scored"]) == (1, 3, 1)
    assert values["labels"][0] == {"item": "News-1", "old": 4.0, "new": 0.125}
    (phase,) = values["phases"]
    assert (phase["phase"], phase["files"], phase["files_changed"], phase["release"]) == (
        "evaluation",
        1,
        1,
        None,
    )
    assert {one["level"] for one in phase["board"]["values"]} == {"p2s", None}
    back = assay("gold", "publish", *OF, "--version", "1", "--reason", "it was right")
    assert back.stdout == "Gold version 1 is now in force.\n"
    assert board() == before


def test_invalid_gold_is_rejected_with_its_lines(assay: Assay, tmp_path: Path) -> None:
    assay("task", "import", write_bundle(tmp_path / "bundle"))
    gold = tmp_path / "gold.tsv"
    gold.write_text("4\n0\n3\n9\n", encoding="utf-8")
    result = assay("gold", "add", *OF, gold, "--reason", "x")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "outside the scale, 0 to 4" in result.stderr
    assert result.stderr.endswith("assay: gold.tsv has 1 problem. Nothing was changed.\n")
