"""`scorer score` with intervals, groups, choices and several runs of one system."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from scorer import __version__
from scorer.cli.__main__ import cli
from scorer.metrics import choice_accuracy, pearson
from scorer.statistics.intervals import Resampling, bootstrap_intervals, fisher_interval

N = 60
GOLD = [k % 9 / 2 for k in range(N)]
RUNS = [[value + k * k % m / 4 for k, value in enumerate(GOLD)] for m in (13, 17)]
GROUPS = [f"d{k // 5}" for k in range(N)]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, column in (("gold", GOLD), ("one", RUNS[0]), ("two", RUNS[1]), ("flat", [1.0] * N)):
        (tmp_path / name).write_text("".join(f"{value!r}\n" for value in column), encoding="utf-8")
    rows = [f"left {k}\tright {k}\tx-{k}\t{group}\n" for k, group in enumerate(GROUPS)]
    (tmp_path / "items").write_text("left\tright\tid\tdialogue\n" + "".join(rows), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def results(arguments: str) -> list[dict[str, object]]:
    found = CliRunner().invoke(cli, ["score", *arguments.split(), "--format", "json"])
    assert (found.exit_code, found.stderr) == (0, "")
    return list(json.loads(found.stdout)["results"])


@pytest.mark.parametrize("interval", ["percentile", "bca"])
def test_score_intervals_equal_those_of_other_commands(interval: str) -> None:
    found = results(f"gold one --bootstrap 300 --seed 7 --interval {interval}")
    for result, metric in zip(found, ("pearson", "spearman"), strict=True):
        resampling = Resampling(300, 7, interval)
        both = bootstrap_intervals(GOLD, RUNS, metric, resampling)
        assert (result["low"], result["high"]) == (round(both[0].low or 0, 6), round(both[0].high or 0, 6))
        assert result["signature"] == f"{metric}|n:60|ci:{interval}|b:300|seed:7|v:{__version__}"


def test_fishers_interval_needs_no_bootstrap() -> None:
    (result,) = results("gold one --metric pearson --interval fisher --level 0.9")
    low, high = fisher_interval(pearson(GOLD, RUNS[0]), N, 0.9)
    assert (result["low"], result["high"], result["degenerate"]) == (round(low, 6), round(high, 6), 0)
    assert result["signature"] == f"pearson|n:60|ci:fisher|level:0.9|v:{__version__}"


def test_groups_are_resampled_whole_and_choices_have_their_standard_error() -> None:
    items = "--items items --columns id=id,left=left,right=right,group=dialogue"
    choice, mae = results(f"gold one {items} --metric choice_accuracy --metric mae --bootstrap 200")
    accuracy = choice_accuracy(GOLD, RUNS[0], GROUPS)
    assert choice["value"] == accuracy
    assert choice["standard_error"] == pytest.approx((accuracy * (1 - accuracy) / 11) ** 0.5)
    signature = f"n:60|choices:12|ci:bca|b:200|seed:0|groups:12|v:{__version__}"
    assert choice["signature"] == f"choice_accuracy|{signature}"
    assert mae["signature"] == f"mae|{signature.replace('choices:12|', '')}"
    arguments = f"score gold one {items} --metric choice_accuracy --metric mae".split()
    lines = CliRunner().invoke(cli, arguments).stdout.splitlines()
    assert lines[0].split() == ["metric", "value", "standard", "error", "n", "signature"]
    assert lines[1].split()[2] == f"{choice['standard_error']:.4f}"
    tsv = CliRunner().invoke(cli, [*arguments, "--format", "tsv", "--bootstrap", "200"]).stdout
    assert tsv.splitlines()[0].split("\t")[5:] == ["low", "high", "degenerate", "standard_error"]


def test_an_interval_that_is_undefined_says_why_and_degenerate_resamples_are_counted() -> None:
    found = CliRunner().invoke(cli, ["score", "gold", "flat", "--bootstrap", "100", "--metric", "spearman"])
    assert found.exit_code == 0
    assert found.stdout.splitlines()[1].split()[:3] == ["spearman", "–", "–"]
    assert "– undefined: the run has the same score for every item" in found.stdout
    assert "100 resamples had no spearman" in found.stdout
    Path("gold").write_text("0\n0\n1\n", encoding="utf-8")
    Path("one").write_text("1\n2\n4\n", encoding="utf-8")
    arguments = ["score", "gold", "one", "--bootstrap", "100", "--metric", "pearson", "--format", "tsv"]
    value, n, reason, _, low, high, degenerate = (
        CliRunner().invoke(cli, arguments).stdout.splitlines()[1].split("\t")[1:]
    )
    assert (float(value), n, low, high) == (pearson([0, 0, 1], [1, 2, 4]), "3", "", "")
    assert reason.startswith("interval: ")
    assert 20 < int(degenerate) < 50  # a third of the draws of three have one gold value: 9 of 27


def test_runs_have_a_spread_and_intervals_and_every_bad_file_is_reported_at_once(folder: Path) -> None:
    asked = ["score", "gold", "one", "two", "--spread", "--metric", "pearson", "--bootstrap", "100"]
    values = json.loads(CliRunner().invoke(cli, [*asked, "--format", "json"]).stdout)
    each = [pearson(GOLD, run) for run in RUNS]
    assert values["spread"][0]["mean"] == pytest.approx(sum(each) / 2, abs=1e-15)
    assert values["spread"][0]["signature"] == f"pearson|n:60|runs:2|v:{__version__}"
    assert [run["results"][0]["value"] for run in values["runs"]] == each
    assert all(run["results"][0]["low"] < run["results"][0]["high"] for run in values["runs"])
    for name in ("one", "two"):
        (folder / name).write_text("x\n" * N, encoding="utf-8")
    refused = CliRunner().invoke(cli, asked)
    assert refused.exit_code == 1
    assert [line.partition(": score ")[0] for line in refused.stderr.splitlines()] == ["one:1", "two:1"]


def test_small_errors_and_huge_ones_have_intervals_of_six_digits(folder: Path) -> None:
    for scale in (1e-5, 1e75):
        gold, one = ([value * scale for value in column] for column in (GOLD, RUNS[0]))
        for name, column in (("gold", gold), ("one", one)):
            (folder / name).write_text("".join(f"{value!r}\n" for value in column), encoding="utf-8")
        asked = ["score", "gold", "one", "--metric", "mse", "--bootstrap", "200"]
        (result,) = results("gold one --metric mse --bootstrap 200")
        plain = bootstrap_intervals(gold, [one], "mse", Resampling(200))[0]
        assert (result["low"], result["high"]) == pytest.approx((plain.low, plain.high), rel=1e-5)
        tsv = CliRunner().invoke(cli, [*asked, "--format", "tsv"]).stdout.splitlines()[1].split("\t")
        assert tsv[5:7] == [repr(result["low"]), repr(result["high"])]
        assert len(tsv[6]) < 25
        latex = CliRunner().invoke(cli, [*asked, "--level", "0.9", "--format", "latex"]).stdout
        assert r"value & 90 \% BCa interval & n" in latex
        text = CliRunner().invoke(cli, asked).stdout
        assert f"[{result['low']:.4g}, {result['high']:.4g}]" in text
        assert "0.0000" not in text


def test_misleading_interval_requests_are_rejected_or_noted(folder: Path) -> None:
    def score(arguments: str) -> tuple[int, str]:
        found = CliRunner().invoke(cli, ["score", *arguments.split()])
        return found.exit_code, found.stderr

    items = "--items items --columns id=id,left=left,right=right,group=dialogue"
    code, said = score(f"gold one {items} --metric pearson --interval fisher")
    assert (code, "takes items as independent, and these have groups" in said) == (2, True)
    assert score("gold one ./one --spread")[0] == 2
    (folder / "copy").write_bytes((folder / "one").read_bytes())
    code, said = score("gold one two copy --spread")
    assert (code, said) == (0, "note: one and copy have the same scores; is one a copy?\n")
    genres = "".join(f"a\tb\t{'rest' if k % 2 else 'news'}-{k}\n" for k in range(N))
    (folder / "items").write_text(genres, encoding="utf-8")
    assert score("gold one --items items --held-out news")[0] == 0
    code, said = score("gold one --items items --held-out news --by-genre")
    assert (code, 'a genre has the name "rest"' in said) == (2, True)
    assert score("gold one --seed 1 --seed 2 --bootstrap 100")[0] == 2
