"""The figures of a paper: what they show, and that the same data gives the same bytes."""

import json
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from matplotlib.figure import Figure

from scorer.annotation.ratings import Ratings, ratings_of
from scorer.cli.__main__ import cli
from scorer.datasets.figure_inputs import FigureInputs
from scorer.datasets.figures import figures_report
from scorer.errors import RequestError
from scorer.inference.board_inference import InferenceOptions
from scorer.paper.catalog import Catalog
from scorer.paper.figures.records import Record, make_figure, split_systems
from scorer.paper.figures.style import COLUMN, PAGE, save
from scorer.paper.sources import CampaignSource, SourceOptions, Sources, open_sources
from scorer.proof.signing import format_instant
from scorer.reports.paper_elements import PaperFigure
from scorer.values import Undefined
from tests.scorer.small_evidence import CAME, resign, write_evidence

EXPORT = Path(__file__).parents[2] / "golden" / "cli" / "harbour-export"
TASK = """\
[task]
slug = "six"
title = "Six"
scale = { min = 0, max = 4, step = 1 }
metrics = ["pearson", "spearman"]

[board]
enter_at_least = 2

[[level]]
slug = "p2s"
title = "Paragraph to sentence"
genre = "id-prefix"
test = { items = "items.tsv", gold = "gold.tsv", held_out_genres = ["logbook"] }

[[level]]
slug = "s2p"
title = "Sentence to phrase"
test = { items = "items.tsv", gold = "gold.tsv" }

[[run]]
team = "organizers"
name = "LCS"
baseline = "lcs"

"""
TEAMS = ("ash", "birch", "cedar", "dogwood", "$x$ 王", "Müller of the very long name indeed")


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six systems, from good to bad, and a baseline; the fifth entered one level and has no total."""
    folder = tmp_path_factory.mktemp("six") / "six"
    folder.mkdir()
    lot = random.Random(1)  # noqa: S311  (invented values)
    gold = [lot.randint(0, 4) for _ in range(60)]
    items = [f"boat {lot.randint(1, 9)}\ta boat\t{'notice' if n % 3 else 'logbook'}-{n}" for n in range(60)]
    files = {"items.tsv": "\n".join(items), "gold.tsv": "\n".join(map(str, gold))}
    text = TASK
    for place, team in enumerate(TEAMS):
        levels = ["p2s", "s2p"][: 1 if place == 4 else 2]
        names = {level: f"{place}-{level}.tsv" for level in levels}
        for name in names.values():
            files[name] = "\n".join(f"{value + lot.gauss(0, 0.3 + place):.4f}" for value in gold)
        listed = ", ".join(f'{level} = "{name}"' for level, name in names.items())
        text += f'[[run]]\nteam = "{team}"\nname = "run"\nfiles = {{ {listed} }}\n\n'
    for name, content in {**files, "task.toml": text}.items():
        (folder / name).write_text(content + "\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def sources(bundle: Path) -> Iterator[Sources]:
    """The bundle and an export with two passes."""
    options = SourceOptions(inference=InferenceOptions(b=200, permutations=500, adjust="max-t"))
    with open_sources([bundle, EXPORT], options) as opened:
        yield opened


def make(sources: Sources, name: str) -> PaperFigure:
    """Make the figure with this name."""
    (entry,) = Catalog(sources).chosen((name,))
    made = entry.make()
    assert not isinstance(made, Undefined), made
    (figure,) = made
    assert isinstance(figure, PaperFigure)
    return figure


def run_json(*arguments: object) -> dict[str, Any]:
    result = CliRunner().invoke(cli, [*map(str, arguments), "--format", "json"])
    assert result.exit_code == 0, result.output
    values: dict[str, Any] = json.loads(result.stdout)
    return values


def values_of(figure: PaperFigure, *columns: str, **only: str) -> list[tuple[Any, ...]]:
    """Some columns of the rows that have these values."""
    rows = [row for row in figure.table.records if all(row[name] == value for name, value in only.items())]
    return [tuple(row[column] for column in columns) for row in rows]


def test_intervals_are_those_of_the_leaderboard(bundle: Path, sources: Sources) -> None:
    figure = make(sources, "intervals")
    printed = run_json(
        "board", bundle, "--bootstrap", 200, "--significance", "--permutations", 500, "--adjust", "max-t"
    )["inference"]
    column = next(
        each for each in printed["columns"] if each["level"] is None and each["metric"] == "pearson"
    )
    ends = {each["system"]: (each["low"], each["high"]) for each in column["intervals"]}
    systems = [(each["kind"], each["team"], each["run"]) for each in printed["systems"]]
    shown = values_of(figure, "kind", "team", "system", "low", "high")
    assert shown == [(*systems[system], *ends[system]) for system in sorted(ends)]
    clusters = {each["system"]: each["cluster"] for each in column["ranks"]}
    assert values_of(figure, "cluster", kind="official") == [
        (clusters[number],) for number in sorted(clusters)
    ]


def test_genres_are_those_of_the_leaderboard_and_the_best_three_are_marked(
    bundle: Path, sources: Sources
) -> None:
    figure = make(sources, "genre-boxes")
    level = run_json("board", bundle, "--by-genre")["levels"][0]
    p2s = {"level": "Paragraph to sentence"}
    printed = [
        value
        for row in level["rows"][: len(TEAMS)]
        for column, value in zip(level["columns"], row["values"], strict=True)
        if column["metric"] == "pearson"
    ]
    assert values_of(figure, "value", **p2s) == [(value,) for value in printed]
    marks = dict(values_of(figure, "team", "mark"))
    assert list(marks.values()) == [1, 2, 3, None, None, None]
    assert dict(values_of(figure, "genre", "held out", **p2s)) == {"notice": "", "logbook": "yes"}


def test_held_out_values_are_those_of_the_score_command(bundle: Path, sources: Sources) -> None:
    figure = make(sources, "held-out")
    files = bundle / "gold.tsv", bundle / "1-p2s.tsv", "--items", bundle / "items.tsv", "--genre", "id-prefix"
    printed = run_json("score", *files, "--held-out", "logbook", "--metric", "pearson")
    values = [result["value"] for result in printed["results"] if "genre" in result]
    (difference,) = printed["relative_difference"]["metrics"]
    shown = values_of(figure, "held out", "seen", "difference", team="birch")
    assert shown == [(*values, difference["value"])]


def test_gold_is_counted_by_the_points_of_the_scale(bundle: Path, sources: Sources) -> None:
    gold = (bundle / "gold.tsv").read_text().split()
    counted = [(float(point), gold.count(str(point)), gold.count(str(point)) / 60) for point in range(5)]
    shown = values_of(make(sources, "gold"), "rating", "pairs", "share", level="Sentence to phrase")
    assert shown == counted


def test_ranks_under_other_rules_are_among_the_systems_with_both(sources: Sources) -> None:
    figure = make(sources, "stability")
    assert sources.board is not None
    stability = (sources.board.inference or {})["stability"]
    rules = {(each["rule"], each["name"]): each["ranks"] for each in stability}
    shown = values_of(figure, "rank", rule="spearman")
    assert shown == [(each["rank"],) for each in rules["spearman", None]]
    assert {row["left out"] for row in figure.table.records if row["rule"] == "without_level"} == {
        "Paragraph to sentence",
        "Sentence to phrase",
    }
    assert values_of(figure, "rank", rule="official") == [(rank,) for rank in range(1, 6)]
    assert len(rules["mean_of_ranks", None]) == len(TEAMS)
    assert sorted(values_of(figure, "rank", rule="mean_of_ranks")) == [(rank,) for rank in range(1, 6)]


def test_heat_map_shades_from_the_worst_to_the_best_of_a_level(sources: Sources) -> None:
    figure = make(sources, "heatmap")
    cells = values_of(figure, "value", "shade", level="Sentence to phrase")
    values = [value for value, _ in cells if value is not None]
    low, high = min(values), max(values)
    expected = [None if value is None else pytest.approx((value - low) / (high - low)) for value, _ in cells]
    assert [shade for _, shade in cells] == expected
    assert (None, None) in cells


def test_progress_is_the_best_value_of_the_files_that_arrived_until_then(tmp_path: Path) -> None:
    folder = write_evidence(tmp_path / "evidence", inference=True)
    later = format_instant(CAME + timedelta(days=2))
    resign(folder, "receipts/1.json", lambda content: content.update(arrived=later))
    with open_sources([folder], SourceOptions()) as opened:
        figure = make(opened, "progress")
        assert opened.board is not None
        values = {row.team: row.cells["p2s"]["pearson"].value for row in opened.board.board.official}
    shown = values_of(figure, "days", "team", "value", "best")
    assert shown == [(0, "birch", values["birch"], values["birch"]), (2, "ash", values["ash"], values["ash"])]
    assert [values["birch"], values["ash"]] == pytest.approx([-0.2, 0.8])


def test_a_bundle_has_no_times_of_files(sources: Sources) -> None:
    (entry,) = Catalog(sources).chosen(("progress",))
    assert entry.make() == Undefined("no_receipts", "only the evidence of a release has receipts, with times")


def test_leaderboard_of_a_baseline_alone_has_the_figures_that_need_no_system(
    bundle: Path, tmp_path: Path
) -> None:
    for name in ("items.tsv", "gold.tsv"):
        (tmp_path / name).write_bytes((bundle / name).read_bytes())
    (tmp_path / "task.toml").write_text(TASK)
    with open_sources([tmp_path], SourceOptions(inference=InferenceOptions(b=100))) as opened:
        made = {entry.name: entry.make() for entry in Catalog(opened).entries()}
    figures = ("gold", "heatmap", "intervals", "stability", "genre-boxes", "held-out")
    assert [not isinstance(made[name], Undefined) for name in figures] == [True] * 2 + [False] * 4


def campaign_sources(**inputs: Any) -> Sources:
    """An export of a round with these inputs."""
    given = FigureInputs(("free",), **inputs)
    return Sources(None, (CampaignSource("export", given, figures_report(given)),))


def timed(ratings: Ratings) -> Ratings:
    return replace(ratings, time=np.arange(len(ratings), dtype=float))


def test_deviations_are_by_level_and_genre_with_the_title_of_the_level() -> None:
    ratings = replace(ratings_of([[1, 2], [3, 3], [0, 1]]), genres=("news", "forum", "news"))
    levels = {"1": "phrase2word", "2": "phrase2word", "3": "sentence2phrase"}
    opened = campaign_sources(
        ratings={"free": ratings}, known_gold={"1": 1.0, "2": 2.0, "3": 0.0}, known_levels=levels
    )
    shown = values_of(make(opened, "bias-boxes"), "level", "genre", "n", "mean", "median")
    assert shown == [
        ("Phrase to word", "", 4, 0.75, 1.0),
        ("Sentence to phrase", "", 2, 0.5, 0.5),
        ("Phrase to word", "news", 2, 0.5, 0.5),
        ("Phrase to word", "forum", 2, 1.0, 1.0),
        ("Sentence to phrase", "news", 2, 0.5, 0.5),
    ]


def test_calibration_curve_needs_two_points() -> None:
    first = ratings_of([[float(n % 7)] for n in range(20)])
    rated = timed(ratings_of([[float((n + n // 10) % 7)] for n in range(20)]))
    opened = campaign_sources(ratings={"free": rated}, first=first, timed={("free", "since"): rated})
    shown = values_of(make(opened, "calibration"), "t", "below", "n", "pearson", "compared with")
    assert shown[0] == (1, 11, 10, pytest.approx(1), "the ratings from before the campaign")
    assert shown[1][:3] == (11, 21, 10)
    few = timed(ratings_of([[float(n)] for n in range(5)]))
    opened = campaign_sources(ratings={"free": few}, first=few, timed={("free", "since"): few})
    (entry,) = Catalog(opened).chosen(("calibration",))
    assert isinstance(entry.make(), Undefined)


def test_wanted_ratings_and_best_worst_scores_are_those_of_the_figures_command() -> None:
    ratings = ratings_of([[1, 2], [3, 3], [0, 1], [4, 4]])
    wanted = {"1": "1", "2": "3", "3": "1", "4": "3"}
    opened = campaign_sources(ratings={"free": ratings}, wanted=wanted, points=(0.0, 1.0, 2.0, 3.0, 4.0))
    shown = values_of(make(opened, "wanted-boxes"), "wanted", "n", "mean", "min", "max")
    assert shown == [("1", 2, 1.0, 0.5, 1.5), ("3", 2, 3.5, 3.0, 4.0)]
    with open_sources([EXPORT.with_name("harbour-choices-export")], SourceOptions()) as chosen:
        printed = chosen.campaigns[0].report.records("scores")
        assert values_of(make(chosen, "best-worst-scores"), "scaled", "n") == [
            (row["scaled"], row["n"]) for row in printed
        ]


def test_figures_of_several_exports_are_numbered_and_name_their_rounds() -> None:
    with open_sources([EXPORT, EXPORT.with_name("harbour-choices-export")], SourceOptions()) as opened:
        twice = Sources(None, (opened.campaigns[0], replace(opened.campaigns[0], title="pilot")))
    (entry,) = Catalog(twice).chosen(("increase-histogram",))
    made = entry.make()
    assert not isinstance(made, Undefined)
    assert [each.name for each in made] == ["increase-histogram", "increase-histogram-2"]
    assert [each.caption.partition(". ")[0] for each in made] == [opened.campaigns[0].title, "pilot"]


def test_thinking_time_increase_and_significance_are_those_of_the_commands(sources: Sources) -> None:
    tables = run_json("figures", EXPORT)["tables"]
    histogram = [(row["from"], row["units"]) for row in tables["histogram"]]
    assert values_of(make(sources, "increase-histogram"), "from", "units") == histogram
    buckets = [(row["pass"], row["n"]) for row in tables["first_thinking"] if row["clock"] == "visible"]
    thinking = make(sources, "thinking")
    assert values_of(thinking, "pass", "n") == buckets
    assert "while the page was visible" in thinking.caption
    shares = {
        (row["test"], row["x"]): row["r(x)"] for row in tables["significance"] if row["units of"] == "all"
    }
    shown = {
        (test, x): r for test, x, r in values_of(make(sources, "significance-curve"), "test", "x", "r(x)")
    }
    assert {key: shown[key] for key in shares if key in shown} == {
        key: r for key, r in shares.items() if key in shown
    }
    assert len(shown) == 80


def test_longest_thinking_times_are_not_drawn(sources: Sources) -> None:
    figure = Figure()
    thinking = make(sources, "thinking")
    shown = [{"pass": "free", "seconds": n, "below": n + 1, "n": 1, "rmse": 0.5} for n in range(100)]
    thinking.draw(figure, shown)
    (axes,) = figure.axes
    times = np.concatenate([np.asarray(marks.get_offsets())[:, 0] for marks in axes.collections])
    assert times.max() == 94
    assert axes.get_xlim() == (0, 96)


def test_every_figure_is_drawn_without_a_warning(sources: Sources, tmp_path: Path) -> None:
    drawn = []
    for entry in Catalog(sources).entries():
        made = entry.make()
        for element in [] if isinstance(made, Undefined) else made:
            if isinstance(element, PaperFigure):
                save(element, tmp_path)
                drawn.append(element.name)
    assert len(drawn) == 9
    assert {path.name for path in tmp_path.iterdir()} == {
        f"{name}.{ending}" for name in drawn for ending in ("pdf", "svg", "tsv")
    }


def test_same_data_gives_the_same_bytes_with_embedded_fonts_and_no_date(
    sources: Sources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    figure = make(sources, "intervals")
    written = []
    for folder, epoch in ((tmp_path / "a", "0"), (tmp_path / "b", "1000000000")):
        folder.mkdir()
        monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
        save(figure, folder)
        written.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert written[0] == written[1]
    pdf, svg = written[0]["intervals.pdf"], written[0]["intervals.svg"]
    assert b"/FontFile2" in pdf
    assert b"/Type3" not in pdf
    assert b"Date" not in pdf
    assert b"date" not in svg
    assert b"<text" not in svg
    values = [row["value"] for row in figure.table.records]
    lines = written[0]["intervals.tsv"].decode().splitlines()[1:]
    assert [float(line.split("\t")[5]) for line in lines] == values


@pytest.mark.parametrize(("name", "width"), [("intervals", COLUMN), ("genre-boxes", COLUMN)])
def test_figure_has_the_width_of_a_column_or_of_a_page(
    sources: Sources, tmp_path: Path, name: str, width: float
) -> None:
    figure = make(sources, name)
    for is_wide, inches in ((False, width), (True, PAGE)):
        save(replace(figure, is_wide=is_wide), tmp_path)
        box = re.search(rb"/MediaBox \[ 0 0 ([\d.]+)", (tmp_path / f"{name}.pdf").read_bytes())
        assert box is not None
        assert float(box[1]) == pytest.approx(inches * 72, abs=0.01)


def test_many_systems_are_shown_in_parts() -> None:
    records: list[Record] = [
        {"kind": "official", "team": f"t{n}", "system": "one", "value": n} for n in range(130)
    ]
    figure = make_figure("intervals", "Values.", records, "scorer board x", lambda _figure, _rows: None)
    parts = split_systems(figure)
    assert [(part.name, len(part.table.rows)) for part in parts] == [
        ("intervals", 44),
        ("intervals-2", 44),
        ("intervals-3", 42),
    ]
    assert parts[1].caption == "Continued: Values."


def test_missing_matplotlib_is_one_sentence_with_the_install_line(
    sources: Sources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(RequestError, match=r"matplotlib; install it with pip install 'assay\[paper\]'$"):
        save(make(sources, "gold"), tmp_path)


def test_figures_are_listed_without_loading_matplotlib() -> None:
    code = "import sys, scorer.paper.catalog; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
