"""`scorer figures`: the codes of its rows, values worked by hand, and the same numbers as other commands."""

import json
import re
import shutil
from pathlib import Path
from statistics import correlation, stdev
from typing import Any

import pytest
from click.testing import CliRunner, Result

from scorer.cli.__main__ import cli
from scorer.datasets.figures import figures_report

EXPORTS = Path(__file__).parents[2] / "golden" / "cli"
EXPORT, CHOICES = EXPORTS / "harbour-export", EXPORTS / "harbour-choices-export"
FREE, DEPENDENT = (0, 2, 4, 6, 2, 4), (1, 2, 5, 6, 3, 3)
"""The mean ratings of the six units in the two passes of the export."""
Row = dict[str, Any]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [*map(str, arguments)])


def read_tables(*arguments: object) -> dict[str, list[Row]]:
    """The tables that a command prints as JSON."""
    result = run(*arguments, "--format", "json")
    assert result.exit_code == 0, result.output
    tables: dict[str, list[Row]] = json.loads(result.stdout)["tables"]
    return tables


@pytest.fixture(scope="module")
def rows() -> dict[str, Row]:
    """The rows of the figures of the export, by code."""
    return {row["code"]: row for table in read_tables("figures", EXPORT).values() for row in table}


def copy_export(folder: Path, **texts: str | None) -> Path:
    """The export with other texts of some files, whose names end with .csv; None: without the file."""
    shutil.copytree(EXPORT, folder)
    for name, text in texts.items():
        path = folder / f"{name.replace('_', '-')}.csv"
        path.unlink() if text is None else path.write_text(text)
    return folder


def test_each_row_has_a_code_of_its_own_that_begins_with_the_documented_name_of_its_table() -> None:
    documented = run("figures", "--help").stdout, figures_report.__doc__ or ""
    for export in (EXPORT, CHOICES):
        tables = read_tables("figures", export)
        codes = [row["code"] for table in tables.values() for row in table]
        assert len(set(codes)) == len(codes)
        for name, table in tables.items():
            assert all(f"{row['code']}.".startswith(f"{name}.") for row in table)
            assert all(name in text for text in documented)


@pytest.mark.parametrize(
    ("code", "column", "value"),
    [
        # D_o is 2 (2^2 + 2^2) / 12 = 4 / 3, and D_e is (2 * 12 * 156 - 2 * 36^2) / (12 * 11).
        ("alpha.free", "alpha", 1 - (4 / 3) / (1152 / 132)),
        ("alpha.free", "strong", 4 / 6),
        ("annotators.free.A001", "bias", -4 / 6),
        ("annotators.free.A001", "mse", 8 / 6),
        ("intra.free", "mse", (2**2 + 0) / 2),
        ("intra_joined", "mse", (2**2 + 0 + 0 + 1) / 4),
        ("values.0", "ratings free", 2),
        ("values.0", "ratings dependent", 0),
        ("means.2", "units free", 2),
        ("means.5", "units dependent", 1),
        ("increase", "mean", 2 / 6),
        ("increase", "sd", stdev(b - a for a, b in zip(FREE, DEPENDENT, strict=True))),
        ("increase", "higher", 3),
        ("increase.genre.forum", "lower", 1),
        ("histogram.-1", "units", 1),
        ("histogram.1", "units", 3),
        ("correlation", "pearson", correlation(FREE, DEPENDENT)),
        ("correlation.genre.news", "mse", 2 / 3),
        ("thinking.free.1", "mse", (1 + 0 + 1 + 0 + 2**2 + 0) / 6),
        ("calibration.dependent.1", "mse", (1 + 1 + 0 + 0 + 1 + 1 + 0 + 0 + 0 + 2**2 + 1 + 1) / 12),
        ("pause_hours", "max", 4 * 24 - 5 / 60),
        ("pauses.3", "share", 0.5),
        ("rounds.pilot.free", "mse", 1 / 3),
        ("first.dependent", "rmse", 0),
        ("first.free", "pearson", correlation(FREE, DEPENDENT)),
        ("first_thinking.free.since.60", "n", 10),
        ("first_thinking.free.visible.10", "n", 5),
        ("first_calibration.free.1", "n", 12),
    ],
)
def test_values_are_those_worked_by_hand(rows: dict[str, Row], code: str, column: str, value: float) -> None:
    assert rows[code][column] == pytest.approx(value, abs=1e-10)


def test_undefined_value_has_its_reason(rows: dict[str, Row]) -> None:
    undefined = {
        "undefined": "nothing_left",
        "reason": "the third round explains one of the two rounds completely",
    }
    assert rows["partial.first"]["pearson"] == undefined
    line = next(
        line
        for line in run("figures", EXPORT, "--format", "tsv").stdout.splitlines()
        if line.startswith("partial\tpartial.first\t")
    )
    assert f"pearson: {undefined['reason']}" in line


_READ = ("--unit", "unit", "--annotator", "annotator", "--rating", "rating", "--genre", "genre")
_BOTH = ("ratings-free.csv", "ratings-dependent.csv")
_PILOT = "rounds/pilot/ratings.csv"
_ROUNDS = (
    *_READ,
    "--by-genre",
    "--time",
    "at",
    "--seconds",
    "seconds",
    "--curve",
    "--step",
    "10",
    "--pauses",
)


@pytest.mark.parametrize(
    ("command", "table", "figure"),
    [
        (("agree", _BOTH[0], *_READ, "--by-genre", "--bootstrap", "1000"), "alpha", "alpha.free"),
        (("agree", _BOTH[1], *_READ, "--by-genre"), "closeness", "closeness.dependent"),
        (("agree", _BOTH[1], *_READ, "--by-genre"), "expected_mse", "expected_mse.dependent"),
        (("agree", _BOTH[0], *_READ), "annotators", "annotators.free"),
        (("context", *_BOTH, *_READ, "--by-genre", "--test", "paired"), "increase", "increase"),
        (("context", *_BOTH, *_READ, "--by-genre", "--test", "paired"), "quantiles", "quantiles"),
        (("context", *_BOTH, *_READ, "--by-genre", "--test", "paired"), "histogram", "histogram"),
        (("context", *_BOTH, *_READ, "--by-genre", "--test", "paired"), "r", "significance"),
        (("rounds", *_BOTH, *_ROUNDS), "correlation", "correlation"),
        (("rounds", *_BOTH, *_ROUNDS), "pauses", "pause_hours"),
        (("rounds", *_BOTH, *_ROUNDS), "pause_shares", "pauses"),
        (("rounds", _PILOT, _BOTH[0], *_READ, "--by-genre"), "correlation", "rounds.pilot.free"),
    ],
)  # fmt: skip
def test_numbers_are_those_of_the_command_for_one_figure(
    rows: dict[str, Row], monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], table: str, figure: str
) -> None:
    monkeypatch.chdir(EXPORT)
    ours = [row for code, row in rows.items() if f"{code}.".startswith(f"{figure}.")]
    theirs = read_tables(*command)[table]
    assert len(ours) == len(theirs) > 0
    for row, other in zip(ours, theirs, strict=True):
        assert {name: row[name] for name in other.keys() & row.keys()} == {
            name: other[name] for name in other.keys() & row.keys()
        }
        assert other.keys() - row.keys() <= {"rounds", "after", "before"}


def test_best_worst_figures_are_those_of_the_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CHOICES)
    figures, options = (
        read_tables("figures", "."),
        ("--annotator", "annotator", "--tuple", "tuple", "--group", "genre"),
    )
    reliability = read_tables("bws", "reliability", "bws.csv", *options)
    scores = read_tables("bws", "score", "bws.csv", *options, "--expert", "rounds/expert/ratings.csv")
    for figure, others in (
        ("reliability", reliability["reliability"]),
        ("choices", reliability["agreement"]),
        ("expert", scores["expert"]),
        ("differences", scores["differences"]),
    ):
        assert [{name: row[name] for name in others[0]} for row in figures[figure]] == others
    counts = {row["scaled"]: row["n"] for row in figures["scores"]}
    assert [(score, n) for score, n in counts.items() if n] == [(0.1, 1), (0.4, 1), (0.6, 1), (0.9, 1)]
    assert sorted(round(row["scaled"], 1) for row in scores["scores"]) == [0.1, 0.4, 0.6, 0.9]


def test_best_worst_answers_are_not_split_by_genre_if_an_item_has_two(tmp_path: Path) -> None:
    folder = tmp_path / "export"
    shutil.copytree(CHOICES, folder)
    table = (folder / "bws.csv").read_text()
    (folder / "bws.csv").write_text(table.replace("t1,d,talk", "t1,d,chat"))
    assert [row["answers of"] for row in read_tables("figures", folder)["reliability"]] == ["all"]


def test_pass_without_answers_is_named_and_figures_of_both_passes_are_left_out(tmp_path: Path) -> None:
    head = (EXPORT / "ratings-dependent.csv").read_text().partition("\n")[0] + "\n"
    tables = read_tables("figures", copy_export(tmp_path / "export", ratings_dependent=head))
    assert [row["code"] for row in tables["empty"]] == ["empty.ratings-dependent.csv"]
    assert {"alpha", "values", "rounds", "first"} < set(tables)
    assert not {"increase", "correlation", "pauses", "partial", "missing"} & set(tables)
    assert {row["ratings dependent"] for row in tables["values"]} == {0}


def test_single_pass_without_a_name_has_every_figure_of_a_named_one(tmp_path: Path) -> None:
    folder = tmp_path / "export"
    shutil.copytree(EXPORT, folder)
    (folder / "manifest.json").unlink()
    config = folder / "campaign" / "annotation.toml"
    config.write_text(re.sub(r"passes = .*\n", "", config.read_text()).replace('pass = "dependent"\n', ""))
    for path in folder.rglob("*-free.csv"):
        path.rename(path.with_name(path.name.replace("-free", "")))
    tables = read_tables("figures", folder)
    assert {"rounds", "first", "first_thinking", "first_calibration"} <= set(tables)
    assert "missing" not in tables
    assert tables["first"][0]["code"] == "first"


def test_figure_that_cannot_be_computed_has_its_reason_and_the_others_are_there(tmp_path: Path) -> None:
    other = (EXPORT / "ratings-dependent.csv").read_text().replace("\n", "\nz")[:-1]
    tables = read_tables("figures", copy_export(tmp_path / "export", ratings_dependent=other))
    reasons = {row["code"]: row["reason"] for row in tables["missing"]}
    assert list(reasons) == [
        "missing.increase",
        "missing.correlation",
        "missing.rounds.pilot.dependent",
        "missing.first.dependent",
        "missing.partial",
        "missing.first_thinking.dependent.since",
        "missing.first_calibration.dependent",
        "missing.first_thinking.dependent.visible",
    ]
    assert "ratings-dependent.csv: none of its units is in ratings-free.csv" in reasons["missing.increase"]
    assert {"alpha", "annotators", "intra", "values", "rounds", "first"} < set(tables)


def test_distribution_has_the_points_of_the_scale_that_nobody_chose(tmp_path: Path) -> None:
    lines = (EXPORT / "ratings-free.csv").read_text().splitlines(keepends=True)
    few = "".join(line for line in lines if line.split(",")[2] not in {"3", "5"})
    dependent = (EXPORT / "ratings-dependent.csv").read_text().splitlines(keepends=True)[0]
    export = copy_export(tmp_path / "export", ratings_free=few, ratings_dependent=dependent)
    values = read_tables("figures", export)["values"]
    assert [(row["rating"], row["ratings free"]) for row in values] == [
        (0, 2), (1, 1), (2, 2), (3, 0), (4, 2), (5, 0), (6, 2)
    ]  # fmt: skip


def test_alpha_of_units_without_a_decision_is_that_of_an_export_without_the_others(tmp_path: Path) -> None:
    lines = (EXPORT / "ratings-free.csv").read_text().splitlines(keepends=True)
    rest = "".join(line for line in lines if not line.startswith(("a1,", "b1,")))
    decided = copy_export(tmp_path / "decided", decisions_free="unit,decision\na1,1\nb1,2\n")
    alphas = {row["code"]: row for row in read_tables("figures", decided)["alpha"]}
    without = read_tables("figures", copy_export(tmp_path / "rest", ratings_free=rest))["alpha"]
    row = alphas["alpha.free.undecided"]
    assert (row["units of"], row["units"], row["alpha"]) == ("without a decision", 4, without[0]["alpha"])
    assert alphas["alpha.free"]["units"] == 6
    assert "alpha.dependent.undecided" not in alphas


def test_deviations_from_known_gold_are_those_of_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export = copy_export(tmp_path / "export")
    (export / "known-gold.tsv").write_text("unit\tgold\na1\t0.5\na2\t\nb1\t3\nb2\t3\nz9\t1\n")
    monkeypatch.chdir(export)
    found = read_tables("figures", ".")["bias"]
    assert [row["code"] for row in found if row["pass"] == "dependent"] == [
        "bias.dependent", "bias.dependent.genre.news", "bias.dependent.genre.forum"
    ]  # fmt: skip
    asked = ("--gold", "known-gold.tsv", "--id", "unit", "--gold-score", "gold")
    theirs = read_tables("bias", "ratings-free.csv", *_READ, *asked)["bias"]
    ours = [row for row in found if row["pass"] == "free"]
    assert [{name: row[name] for name in theirs[0]} for row in ours] == theirs
    assert ours[0]["units"] == 3
    documented = run("figures", "--help").stdout, figures_report.__doc__ or ""
    assert all("bias.PASS.SUBSET" in text for text in documented)


def test_deviations_from_known_gold_are_by_level_where_it_has_levels(tmp_path: Path) -> None:
    export = copy_export(tmp_path / "export")
    (export / "known-gold.tsv").write_text("unit\tgold\tlevel\na1\t0.5\tp2w\nb1\t3\tp2w\nb2\t3\ts2p\n")
    found = {row["code"]: row for row in read_tables("figures", export)["bias"] if row["pass"] == "free"}
    genres = ("", ".genre.news", ".genre.forum")
    assert [*found] == [
        *(f"bias.free{genre}" for genre in genres), "bias.free.level.p2w", "bias.free.level.s2p",
        "bias.free.level.p2w.genre.news", "bias.free.level.s2p.genre.forum",
    ]  # fmt: skip
    assert found["bias.free.level.p2w"]["units"] == 2
    assert found["bias.free.level.s2p"]["mean"] == found["bias.free.level.s2p.genre.forum"]["mean"]


def test_problems_of_all_files_are_listed_with_their_lines(tmp_path: Path) -> None:
    text = (EXPORT / "ratings-free.csv").read_text().replace("a2,A001,2,", "a2,A001,two,")
    folder = copy_export(tmp_path / "export", ratings_free=text, intra_free=None)
    (folder / "choices.tsv").write_text("left\tright\tchoice\trating\nA boat.\tA quay.\tD\t1\n")
    result = run("figures", folder)
    assert (result.exit_code, result.stdout) == (1, "")
    assert [line.rpartition("/")[2].partition("; ")[0] for line in result.stderr.splitlines()] == [
        'ratings-free.csv:4: rating "two" is not a number',
        "intra-free.csv: there is no such file",
        'choices.tsv:2: the choice "D" is not one of A, B, C',
    ]


def test_folder_without_a_campaign_is_refused(tmp_path: Path) -> None:
    result = run("figures", tmp_path)
    assert result.exit_code == 1
    assert "annotation.toml" in result.stderr
