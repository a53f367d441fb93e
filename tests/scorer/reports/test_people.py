"""How well people would do: a row without a rank in each format of a leaderboard but JSON."""

from pathlib import Path

from click.testing import CliRunner

from scorer.cli.__main__ import cli
from tests.scorer.small_evidence import human_ceiling, sealed, write, write_evidence, write_with_ceilings


def rows(format_: str, folder: Path, *more: str) -> str:
    found = CliRunner().invoke(cli, ["board", str(folder), "--format", format_, *more])
    assert found.exit_code == 0, found.output
    return found.stdout


def test_people_are_a_row_without_rank_in_each_format_of_a_board(tmp_path: Path) -> None:
    score = human_ceiling("pearson", 0.8154)
    folder = write_with_ceilings(tmp_path / "evidence", {"p2s": [score, human_ceiling("rmse", 1.25)]})
    tsv = [line.split("\t") for line in rows("tsv", folder).splitlines()]
    (people,) = [dict(zip(tsv[0], line, strict=True)) for line in tsv if line[0] == "people"]
    assert people == {
        **dict.fromkeys(tsv[0], ""),
        "kind": "people",
        "team": "People",
        "run": "3 annotators",
        "level": "p2s",
        "metric": "pearson",
        "value": "0.8154",
        "n": "3",
        "signature": score["signature"],
    }
    head, *_, last = rows("csv", folder).splitlines()
    assert dict(zip(head.split(","), last.split(","), strict=True)) == {
        **dict.fromkeys(head.split(","), ""),
        "kind": "people",
        "team": "People",
        "run": "3 annotators",
        "p2s pearson": "0.8154",
    }
    assert " & People & 3 annotators & 0.815 &  & " in rows("latex", folder)
    assert "| People | 3 annotators | 0.815 |" in rows("markdown", folder)
    text = rows("text", folder)
    assert "Annotators of the gold standard, not ranked\n" in text
    assert "\nPeople: how well people would do. " in text
    assert rows("json", folder) == (folder / "board.json").read_text("utf-8")
    inferred = rows("tsv", folder, "--bootstrap", "200").splitlines()
    assert {len(line.split("\t")) for line in inferred} == {len(inferred[0].split("\t"))}
    for output in (rows("text", folder, "--without-baselines"), rows("text", write_evidence(tmp_path / "x"))):
        assert "People" not in output


def test_signed_board_without_gold_has_the_row_too(tmp_path: Path) -> None:
    folder = write_with_ceilings(tmp_path / "evidence", {"p2s": [human_ceiling("pearson", 0.8154)]})
    for path in [*(folder / "gold").iterdir(), folder / "salts.json"]:
        path.unlink()
    text = (folder / "task.toml").read_text("utf-8")
    for level in ("p2s", "s2p"):
        text = text.replace(f', gold = "gold/{level}.tsv", public_gold = true', "")
    write(folder, "task.toml", text)
    sealed(folder, (("gold", "It is not public."),))
    assert "3 annotators" in rows("text", folder)
