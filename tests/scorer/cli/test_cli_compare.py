"""`scorer compare`: every format, keyed runs, groups, and what it says to bad files and bad usage."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scorer.cli.__main__ import cli
from scorer.cli._inputs import short_run_names
from scorer.reports.comparison import TSV_COLUMNS

GOLD = [0, 1, 2, 3, 4, 0.5, 1.5, 2.5, 3.5, 4, 3, 2]
GOOD = [0.1, 1.2, 1.9, 3.1, 3.8, 0.6, 1.3, 2.6, 3.4, 3.9, 3.2, 2.1]
POOR = [2, 0.5, 3, 1, 2.5, 1.5, 0, 3.5, 2, 1, 4, 0.5]
HEAD = "PairID,Score\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    lists = {"gold.tsv": GOLD, "good.tsv": GOOD, "twin.tsv": GOOD, "poor.tsv": POOR, "flat.tsv": [1] * 12}
    lists["level.tsv"] = [2] * 12
    files = {name: "".join(f"{value}\n" for value in values) for name, values in lists.items()}
    files["keyed.csv"] = HEAD + "".join(f"X-{k},{value}\n" for k, value in reversed([*enumerate(GOOD)]))
    files["other.csv"] = HEAD + "".join(f"X-{k},{value}\n" for k, value in enumerate(POOR))
    files["items.tsv"] = "".join(f"a\tb\tX-{k}\tdialogue {k // 3}\n" for k in range(12))
    files["bad.tsv"] = "1\nx\n" + "2\n" * 10
    files["short.tsv"] = "1\n2\n"
    files["na.tsv"] = "NA\n" * 12
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def compare(arguments: str) -> Result:
    return CliRunner().invoke(cli, ["compare", *arguments.split()])


def test_every_format_has_the_same_values() -> None:
    found = compare("gold.tsv poor.tsv good.tsv flat.tsv --seed 1 --format json")
    assert (found.exit_code, found.stderr) == (0, "")
    values = json.loads(found.stdout)
    assert [each["run"] for each in values["runs"]] == ["good.tsv", "poor.tsv", "flat.tsv"]
    assert [each["rank_high"] for each in values["runs"]] == [1, 2, None]
    assert values["runs"][2]["undefined"]["code"] == "constant_run"
    (pair,) = values["pairs"]
    assert (pair["run"], pair["other"], pair["significant"]) == ("good.tsv", "poor.tsv", True)
    lines = compare("gold.tsv poor.tsv good.tsv flat.tsv --seed 1 --format tsv").stdout.splitlines()
    assert [len(line.split("\t")) for line in lines] == [len(TSV_COLUMNS)] * 5
    row = dict(zip(TSV_COLUMNS, lines[4].split("\t"), strict=True))
    for column, key in (("value", "difference"), ("low", "low"), ("high", "high"), ("p", "p")):
        assert row[column] == repr(pair[key])
    assert (row["kind"], row["better"], row["signature"]) == ("pair", "good.tsv", values["signature"])
    text = compare("gold.tsv poor.tsv good.tsv flat.tsv --seed 1").stdout
    shown = f"good.tsv  poor.tsv      {pair['difference']:.4f}  [{pair['low']:.4f}, {pair['high']:.4f}]"
    assert shown in text
    assert text.count("\n-----") == 1
    assert re.search(r"\n\nNo value\n +–  .*flat\.tsv +–\n", text)
    assert "– flat.tsv: the run has the same score for every item" in text
    latex = compare("gold.tsv poor.tsv good.tsv flat.tsv --seed 1 --format latex").stdout
    assert f"good.tsv & poor.tsv & {pair['difference']:.4f} & {{[}}{pair['low']:.4f}" in latex
    assert latex.count(r"\midrule") == 4
    assert "\\midrule\n\\multicolumn{5}{l}{\\emph{No value}} \\\\\n-- & -- & -- & flat.tsv" in latex


def test_single_run_with_a_value_is_not_tested() -> None:
    for format_ in ("text", "latex"):
        alone = compare(f"gold.tsv good.tsv flat.tsv --format {format_}").stdout
        assert alone.count("No value") == 1
        assert not re.search("Holm|cluster's|resamples|---", alone)
    one = compare("gold.tsv flat.tsv level.tsv --format latex").stdout
    assert "\\midrule\n\\multicolumn" in one
    assert one.count(r"\midrule") == 1


def test_small_errors_keep_their_precision() -> None:
    for scale in (1e-6, 1e-150):
        for name, values in (("gold", GOLD), ("good", GOOD), ("poor", POOR)):
            Path(f"small-{name}").write_text("".join(f"{v * scale!r}\n" for v in values), encoding="utf-8")
        asked = "small-gold small-good small-poor --metric mae --bootstrap 200 --seed 1"
        (pair,) = json.loads(compare(f"{asked} --format json").stdout)["pairs"]
        assert pair["low"] < pair["difference"] < pair["high"] < 0
        assert (pair["low"], pair["high"]) == tuple(float(f"{pair[end]:.6g}") for end in ("low", "high"))
        text = compare(asked).stdout
        assert f"{pair['difference']:.4g}  [{pair['low']:.4g}, {pair['high']:.4g}]" in text
        assert "0.0000" not in text


def test_p_values_adjusted_by_counting_have_a_monte_carlo_interval() -> None:
    asked = "gold.tsv good.tsv poor.tsv --format json"
    (pair,) = json.loads(compare(f"{asked} --adjust max-t --permutations 999").stdout)["pairs"]
    assert pair["adjusted_interval"][0] <= pair["adjusted"] == pair["p"] <= pair["adjusted_interval"][1]
    (pair,) = json.loads(compare(asked).stdout)["pairs"]
    assert "adjusted_interval" not in pair


def test_notes_name_the_interval_method_and_that_groups_are_kept_whole() -> None:
    text = compare("gold.tsv good.tsv poor.tsv --items items.tsv --columns left,right,id,group").stdout
    assert "\nPaired permutation test, 1000 permutations; percentile intervals by 10000 resamples." in text
    assert "The 4 groups are swapped and resampled as a whole." in text
    assert "Only 4 groups can be swapped, so hardly any p value can be below 0.12." in text
    assert "Groups" not in compare("gold.tsv good.tsv poor.tsv").stdout


@pytest.mark.parametrize(
    ("metric", "swapped", "note"),
    [
        ("pearson", "standardized-scores", "Scores are standardized"),
        ("spearman", "standardized-ranks", "Ranks over all items are standardized"),
        ("mae", "raw-scores", None),
    ],
)
def test_output_and_signature_say_what_the_permutation_test_swaps(
    metric: str, swapped: str, note: str | None
) -> None:
    text = compare(f"gold.tsv good.tsv poor.tsv --metric {metric}").stdout
    assert f"\n{metric}|n:12|test:permutation|swaps:{swapped}|permutations:1000|" in text
    if note is None:
        assert "standardized" not in text
    else:
        assert f"\n{note} (mean 0, variance 1) before they are swapped" in text
        assert "p may differ from that of a test that swaps raw scores (Deutsch, Dror & Roth 2021, " in text
    for test in ("bootstrap", *(["williams"] if metric == "pearson" else [])):
        other = compare(f"gold.tsv good.tsv poor.tsv --metric {metric} --test {test}").stdout
        assert "swaps:" not in other
        assert "standardized" not in other


@pytest.mark.parametrize("command", ["compare", "board"])
def test_help_says_that_scores_are_standardized_before_they_are_swapped_and_why(command: str) -> None:
    help_text = " ".join(CliRunner().invoke(cli, [command, "--help"]).stdout.split())
    assert re.search(
        r"standardizes? the scores \(or ranks\) of each (run|system) before (it|they) swap", help_text
    )
    assert "the scales of two" in help_text
    assert "p can differ from that of a test that swaps raw scores (Deutsch, Dror & Roth 2021, " in help_text


def test_williams_shows_t_and_z() -> None:
    found = compare("gold.tsv good.tsv poor.tsv --test williams")
    assert (found.exit_code, found.stderr) == (0, "")
    assert "t z p of z p adjusted p better" in " ".join(found.stdout.split())
    same = compare("gold.tsv good.tsv twin.tsv --test williams")
    assert (same.exit_code, same.stderr) == (0, "")
    assert "– good.tsv, twin.tsv: the runs are the same" in same.stdout


def test_keyed_runs_answer_by_id_and_groups_are_drawn_together() -> None:
    columns = "--items items.tsv --columns left,right,id,group"
    found = compare(f"gold.tsv keyed.csv other.csv --id PairID --score Score {columns} --format json")
    assert (found.exit_code, found.stderr) == (0, "")
    values, aligned = (
        json.loads(found.stdout),
        json.loads(compare("gold.tsv good.tsv poor.tsv --format json").stdout),
    )
    assert [each["value"] for each in values["runs"]] == [each["value"] for each in aligned["runs"]]
    assert "|groups:4|" in values["signature"]
    assert "groups" not in aligned["signature"]


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        ("gold.tsv bad.tsv na.tsv", 1, 'bad.tsv:2: score "x"'),
        ("gold.tsv good.tsv na.tsv", 1, "na.tsv"),
        ("gold.tsv bad.tsv short.tsv", 1, "short.tsv: "),
        ("gold.tsv good.tsv keyed.csv", 1, "--id COLUMN"),
        ("gold.tsv good.tsv none.tsv", 1, "none.tsv: there is no such file"),
        ("gold.tsv good.tsv", 2, "give from 2 to 120 runs, not 1"),
        ("gold.tsv", 2, "RUN_FILE RUN_FILE..."),
        ("gold.tsv good.tsv good.tsv", 2, "good.tsv is given more than once"),
        ("gold.tsv good.tsv ./good.tsv", 2, "./good.tsv is given more than once"),
        ("gold.tsv good.tsv poor.tsv --metric mse --metric mae", 2, "--metric is given 2 times"),
        ("gold.tsv good.tsv poor.tsv --metric weighted_pearson", 2, "'weighted_pearson' is not one of"),
        ("gold.tsv good.tsv poor.tsv --test williams --seed 4", 2, "the williams test draws nothing"),
        ("gold.tsv none.tsv bad.tsv short.tsv", 1, 'none.tsv: there is no such file\nbad.tsv:2: score "x"'),
        ("gold.tsv - -", 2, "only one of the files"),
        ("gold.tsv good.tsv poor.tsv --test williams --metric mse", 2, "for pearson, not for mse"),
        ("gold.tsv good.tsv poor.tsv --permutations 100 --alpha .001", 2, "give at least 999, better 20000"),
        ("gold.tsv good.tsv poor.tsv --alpha 1", 2, "alpha 1 is not"),
        ("gold.tsv good.tsv poor.tsv --seed -1", 2, "seed is -1"),
    ],
)
def test_invalid_compare_requests_are_rejected(arguments: str, code: int, sentence: str) -> None:
    found = compare(arguments)
    assert (found.exit_code, found.stdout) == (code, "")
    assert sentence in found.stderr


def test_runs_are_named_by_what_distinguishes_their_paths() -> None:
    assert short_run_names(["a/x/p.tsv", "a/y/p.tsv", "a/y/q.tsv"]) == ["x/p.tsv", "y/p.tsv", "y/q.tsv"]
    assert short_run_names(["/a/p.tsv", "p.tsv"]) == ["/a/p.tsv", "p.tsv"]
    assert short_run_names(["-", "one/p.tsv"]) == ["<stdin>", "one/p.tsv"]
