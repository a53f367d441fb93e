"""A board's systems by genre: the values of each genre's items alone, the same by every way."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scorer import pearson, render_genres
from scorer.cli.__main__ import cli
from scorer.errors import RequestError
from tests.scorer.small_bundle import TASK, write_bundle

ITEMS = "".join(f"left {k}\tright {k}\t{'news' if k % 2 else 'web'}-{k}\n" for k in range(8))
GOLD = (4, 3, 0, 1, 2, 4, 1, 0)
ASH = (4, 2, 1, 1, 3, 4, 0, 2)


def bundle(folder: Path) -> Path:
    """Eight items of two genres; ash is constant in the second genre at the second level."""
    write_bundle(folder, TASK)
    lines = {
        "items.tsv": ITEMS,
        "gold.tsv": "".join(f"{value}\n" for value in GOLD),
        "runs/ash/a_b/p2s.tsv": "".join(f"{value}\n" for value in ASH),
        "runs/ash/a_b/s2p.tsv": "".join(f"{2 if k % 2 else k}\n" for k in range(8)),
        "elsewhere/birch.tsv": "".join(f"{k}\n" for k in range(8)),
    }
    for name, text in lines.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def board(folder: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["board", str(folder), "--by-genre", *arguments])


def test_each_value_uses_the_items_of_one_genre(tmp_path: Path) -> None:
    values = json.loads(board(bundle(tmp_path), "--format", "json").stdout)
    p2s, s2p = values["levels"]
    assert [(one["genre"], one["metric"], one["n"]) for one in p2s["columns"]] == [
        ("web", "pearson", 4), ("web", "spearman", 4), ("news", "pearson", 4), ("news", "spearman", 4),
    ]  # fmt: skip
    who = values["systems"][p2s["rows"][0]["system"]]
    assert (who["team"], who["kind"]) == ("ash", "official")
    by_hand = [pearson(GOLD[k::2], ASH[k::2]) for k in (0, 1)]
    # the web: gold 4 0 2 1 and ash 4 1 3 0, deviations (9 -7 1 -3)/4 and (2 -1 1 -2), r = 8 / sqrt(35/4 * 10)
    assert by_hand[0] == pytest.approx(8 / (35 / 4 * 10) ** 0.5, abs=1e-15)
    assert p2s["rows"][0]["values"][::2] == by_hand
    late = next(row for row in s2p["rows"] if values["systems"][row["system"]]["kind"] == "late")
    assert late["values"][2]["code"] == "constant_run"
    assert {values["systems"][row["system"]]["team"] for row in s2p["rows"]} == {"ash", "organizers"}


def test_genre_table_equals_scorer_score(tmp_path: Path) -> None:
    folder = bundle(tmp_path)
    arguments = [folder / "gold.tsv", folder / "elsewhere/birch.tsv", "--items", folder / "items.tsv"]
    score = CliRunner().invoke(cli, ["score", *map(str, arguments), "--by-genre", "--format", "tsv"])
    alone = [line.split("\t") for line in score.stdout.splitlines()[1:]]
    lines = [line.split("\t") for line in board(folder, "--format", "tsv").stdout.splitlines()]
    rows = [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]
    own = [row for row in rows if row["team"] == "birch"]
    assert len(own) == 4
    assert all(any({row["genre"], row["metric"], row["value"]} <= set(line) for line in alone) for row in own)
    assert own[0]["signature"].startswith("pearson|n:4|genre:web|v:")
    text = board(folder).stdout
    assert text.splitlines()[1].split() == ["Team", "Run", "web", "(4)", "news", "(4)"]
    assert f"{float(own[0]['value']):.3f}" in text


def test_levels_of_one_genre_have_no_table_and_conflicting_options_are_rejected(tmp_path: Path) -> None:
    folder = bundle(tmp_path)
    for asked in (("--format", "csv"), ("--bootstrap", "100"), ("--significance",)):
        refused = board(folder, *asked)
        assert refused.exit_code == 2
        assert "--by-genre prints text, tsv, json, without intervals" in refused.stderr
    (folder / "items.tsv").write_text(ITEMS.replace("web-", "news-"), encoding="utf-8")
    assert board(folder).stdout == "No level has items of at least two genres.\n"
    with pytest.raises(RequestError, match="printed as text, tsv, json"):
        render_genres({}, "csv")
