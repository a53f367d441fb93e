"""`scorer paper`: other commands print every number, the bytes are the same, and LaTeX sets the result."""

import csv
import json
import random
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scorer.cli.__main__ import cli
from scorer.errors import RequestError
from scorer.inference.board_inference import InferenceOptions
from scorer.paper.catalog import Catalog
from scorer.paper.compiling import compile_paper
from scorer.paper.sources import SourceOptions, open_sources
from scorer.paper.writing import make_paper
from scorer.reports.latex import STYLES, latex_table
from scorer.reports.paper_elements import PaperTable
from scorer.reports.table_report import ReportTable
from tests.scorer.small_bundle import write_bundle
from tests.scorer.small_evidence import write_evidence

# The paper takes seconds to make, so one process has these tests.
pytestmark = pytest.mark.xdist_group("paper")

EXPORT = Path(__file__).parents[2] / "golden" / "cli" / "harbour-export"
TASK = """\
[task]
slug = "five"
title = "Five & fifty_percent (50 %)"
organizers = "Dvořák and everybody who wrote, chose, rated and adjudicated pairs at several levels and genres"
scale = { min = 0, max = 4 }
metrics = ["pearson", "spearman"]

[[level]]
slug = "p2s"
title = "Paragraph to sentence"
genre = "id-prefix"
test = { items = "items.tsv", gold = "gold.tsv", held_out_genres = ["logbook"] }

[[level]]
slug = "s2p"
title = "Sentence to phrase"
test = { items = "items.tsv", gold = "gold.tsv" }

[[phase]]
slug = "evaluation"
split = "test"

[[run]]
team = "organizers"
name = "LCS"
baseline = "lcs"
description = "The longest common substring."

[[run]]
team = "ash"
name = "run_2"
files = { p2s = "ash2.tsv" }
late = ["p2s"]

"""
TEAMS = {"ash": "run1", "birch": "王 50%", "cedar": "אורן_x", "dogwood": "Müller"}
NUMBER = re.compile(r"-?\d+\.\d+")
CJK = "王"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [*map(str, arguments)])


def run_json(*arguments: object) -> object:
    result = run(*arguments, "--format", "json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four systems that differ clearly, a late one and a baseline, on two levels of sixty items."""
    folder = tmp_path_factory.mktemp("five") / "five"
    lot = random.Random(1)  # noqa: S311  (invented values)
    gold = [lot.randint(0, 4) for _ in range(60)]
    words = ["boat", "lamp", "bread", "rope", "net", "fish", "oar", "pier"]
    genres = ["notice", "logbook", "letter"]
    items = [
        f"the {lot.choice(words)} of {lot.choice(words)}\ta {lot.choice(words)}\t{genres[n % 3]}-{n}"
        for n in range(60)
    ]
    runs = [f'[[run]]\nteam = "{team}"\nname = "run1"\n' for team in TEAMS]
    runs = [text.replace("run1", name) for text, name in zip(runs, TEAMS.values(), strict=True)]
    files = {"items.tsv": "\n".join(items), "gold.tsv": "\n".join(map(str, gold))}
    for place, team in enumerate(TEAMS):
        for level in ("p2s", "s2p"):
            noisy = [value + lot.gauss(0, 0.3 + 1.5 * place) for value in gold]
            files[f"{team}-{level}.tsv"] = "\n".join(f"{value:.4f}" for value in noisy)
        runs[place] += f'files = {{ p2s = "{team}-p2s.tsv", s2p = "{team}-s2p.tsv" }}\n'
    runs[0] += (
        'method = "Cosines & sums"\nresources = "none"\nauthors = "Š. {Ash}"\nlinks = ["https://example.org/a_b"]\n'
    )
    files["ash2.tsv"] = files["ash-p2s.tsv"]
    files["task.toml"] = TASK + "\n".join(runs)
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text + "\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def paper(bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The paper of the bundle and of an export, in the default style."""
    out = tmp_path_factory.mktemp("paper") / "out"
    result = run("paper", bundle, EXPORT, "--bootstrap", 200, "--out", out)
    assert result.exit_code == 0, result.output
    assert f'pdflatex cannot set "{CJK}"; it is written as "Wang"' in result.stderr
    return out


def read_tables(paper: Path) -> dict[str, str]:
    """The LaTeX of each table of results.tex, by its label."""
    text = (paper / "results.tex").read_text()
    tables = re.findall(r"\\begin\{tabular\}.*?\\label\{tab:[^}]*\}", text, re.DOTALL)
    return {table.rpartition("{tab:")[2].rstrip("}"): table.partition(r"\caption")[0] for table in tables}


def collect_numbers(values: object) -> set[str]:
    """Every number of a JSON document with three and with two decimals, as a table may print it."""
    if isinstance(values, dict):
        return set().union(*map(collect_numbers, values.values()))
    if isinstance(values, list):
        return set().union(*map(collect_numbers, values))
    if isinstance(values, bool) or not isinstance(values, int | float):
        return set()
    return {f"{values:z.{places}f}" for places in (1, 2, 3)} | {f"{values:.2g}"}


def test_every_number_of_the_tables_is_printed_by_another_command(bundle: Path, paper: Path) -> None:
    board = run_json("board", bundle, "--bootstrap", 200, "--significance")
    items = run_json("items", bundle / "items.tsv", "--gold", bundle / "gold.tsv")
    known = {
        "results": collect_numbers(board),
        "metrics": collect_numbers(board),
        "annotation": collect_numbers(run_json("figures", EXPORT)),
        "data": collect_numbers(items),
    }
    tables = read_tables(paper)
    assert {"sizes", "genres", "results", "results-p2s", "metrics", "systems", "agreement"} <= tables.keys()
    looked_up = 0
    for name, text in tables.items():
        kind = name.partition("-")[0] if name.startswith(("results", "metrics")) else "annotation"
        kind = "data" if name in ("sizes", "genres", "vocabulary", "diversity") else kind
        for number in NUMBER.findall(text.replace("$-$", "-")):
            assert number in known[kind], (name, number)
            looked_up += 1
    assert looked_up > 200


def test_values_of_csv_are_those_of_the_leaderboard_with_all_digits(bundle: Path, paper: Path) -> None:
    board = run_json("board", bundle)
    assert isinstance(board, dict)
    with (paper / "tables" / "results.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["section"] for row in rows] == [*["Official"] * 4, "Late, not ranked", "Baselines"]
    totals = [row["total"]["pearson"]["value"] for row in board["official"]]
    assert [float(row["total"]) for row in rows[:4]] == totals
    assert [row["rank"] for row in rows] == ["1", "2", "3", "4", "–", "–"]


def test_table_has_titles_and_best_values_and_a_rule_between_clusters(paper: Path) -> None:
    table = read_tables(paper)["results"]
    assert r"\begin{tabular}[b]{@{}r@{}}Paragraph to \\ sentence\end{tabular}" in table
    assert "p2s" not in table
    assert r"\emph{Late, not ranked}" in table
    lines = table.splitlines()
    first = next(place for place, line in enumerate(lines) if "& ash & run1 &" in line)
    assert lines[first].count(r"\textbf") == 3
    assert lines[first + 1] == r"\midrule"
    late = lines.index(next(line for line in lines if "Late, not ranked" in line))
    assert lines[late - 1] == r"\addlinespace[6pt]"  # not the rule of a significant difference


def test_macros_are_letters_only_and_say_what_prose_needs(paper: Path) -> None:
    text = (paper / "numbers.tex").read_text()
    macros = dict(re.findall(r"\\newcommand\{\\(\w+)\}\{(.*)\} % ", text))
    assert len(macros) == len(text.splitlines())
    assert all(name.isalpha() for name in macros)
    assert (macros["AssayTeams"], macros["AssaySystems"], macros["AssayLateSystems"]) == ("4", "4", "1")
    assert macros["AssayBestTotalSystem"] == "ash run1"
    assert macros["AssayAboveLcsTotal"] == "4"
    assert (macros["AssayAnnotators"], macros["AssayAlphaFree"]) == ("2", "0.847")


def test_names_of_other_scripts_are_transliterated_in_latex_only(paper: Path) -> None:
    for name in ("results.tex", "systems.bib"):
        assert not re.search("[\u0590-\u05ff\u4e00-\u9fff]", (paper / name).read_text())
    assert CJK in (paper / "tables" / "results.csv").read_text()
    main = (paper / "main.tex").read_text()
    assert "compile with lualatex" in main
    assert f"Wang: {CJK}" in main


def test_bibliography_has_the_systems_that_have_authors(paper: Path) -> None:
    text = (paper / "systems.bib").read_text()
    assert text.count("@misc") == 1
    assert "@misc{ash-run1," in text
    assert text.count("{") == text.count("}")
    assert r"\url{https://example.org/a_b}" in text


def test_same_sources_give_the_same_bytes(bundle: Path, tmp_path: Path) -> None:
    chosen = [part for name in ("sizes", "agreement", "results", "intervals") for part in ("--only", name)]
    folders = tmp_path / "first", tmp_path / "second"
    for out in folders:
        assert run("paper", bundle, EXPORT, "--bootstrap", 100, *chosen, "--out", out).exit_code == 0
    first, second = (
        {path.relative_to(out): path.read_bytes() for path in out.rglob("*.*")} for out in folders
    )
    assert len(first) > 12
    assert first == second


def test_readme_names_commands_and_methods_and_what_is_missing(paper: Path) -> None:
    text = (paper / "README.md").read_text()
    assert "| results | table | `scorer board five --bootstrap 200 --significance` |" in text
    assert "10.1162/tacl_a_00417" in text
    assert "- expert: no export has judgments" in text
    assert "Run pdflatex, bibtex, and pdflatex twice on it." in text
    assert "`scorer paper five harbour-export --only NAME --out FOLDER`" in text


def test_baseline_of_the_organizers_has_its_row_and_a_sentence(bundle: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(bundle, tmp_path / "five"))
    own = """
[[run]]
team = "organizers"
name = "GloVe"
baseline = "own"
method = "averaged word vectors."
version = "6B"
resources = "Wikipedia"
licence = "PDDL"
command = "scorer baseline vectors"
files = { p2s = "ash2.tsv" }
"""
    (folder / "task.toml").write_text((folder / "task.toml").read_text() + own)
    assert (
        run("paper", folder, "--only", "results", "--bootstrap", 100, "--out", tmp_path / "o").exit_code == 0
    )
    assert "& organizers & GloVe &" in read_tables(tmp_path / "o")["results"]
    said = (
        "averaged word vectors; version 6B; data: Wikipedia; licence: PDDL; command: scorer baseline vectors"
    )
    assert f"- The organizers ran the baseline GloVe ({said})." in (tmp_path / "o" / "README.md").read_text()


def test_checklist_answers_what_the_export_says(paper: Path) -> None:
    text = (paper / "checklist.md").read_text()
    assert "- Consent: given before the first answer (en)" in text
    assert "annotators: 2" in text
    assert "**Open:** the licence of the data." in text


def test_only_and_list_name_what_there_is_and_what_sources_lack(bundle: Path, tmp_path: Path) -> None:
    listed = run("paper", bundle, "--list", "--bootstrap", 100).stdout
    assert re.search(r"^results +metrics +yes$", listed, re.MULTILINE)
    assert re.search(
        r"^annotation +agreement +no: no export has ratings of two annotators or more$", listed, re.MULTILINE
    )
    assert (
        run("paper", bundle, "--only", "sizes", "--bootstrap", 100, "--out", tmp_path / "one").exit_code == 0
    )
    assert {path.stem for path in (tmp_path / "one" / "tables").iterdir()} == {"sizes"}
    wrong = run("paper", bundle, "--only", "size", "--bootstrap", 100, "--out", tmp_path / "none")
    assert wrong.exit_code == 2
    assert "--only: there is no size; there are sizes, genres" in wrong.stderr
    assert not (tmp_path / "none").exists()
    lacking = run("paper", bundle, "--only", "bias", "--bootstrap", 100, "--out", tmp_path / "none")
    assert (lacking.exit_code, "can be made: bias: no export has gold" in lacking.stderr) == (2, True)
    assert not (tmp_path / "none").exists()


def test_evidence_is_verified_first(tmp_path: Path) -> None:
    folder = write_evidence(tmp_path / "evidence", inference=True)
    assert run("paper", folder, "--out", tmp_path / "out").exit_code == 0
    assert "[" in read_tables(tmp_path / "out")["results"]
    unused = run("paper", folder, "--seed", 5, "--list")
    assert (unused.exit_code, "are those of its inference.json" in unused.stderr) == (2, True)
    (folder / "gold" / "p2s.tsv").write_text("4\n3\n0\n2\n2\n")
    changed = run("paper", folder, "--out", tmp_path / "changed")
    assert changed.exit_code == 1
    assert "gold/p2s.tsv" in changed.stderr
    assert not (tmp_path / "changed").exists()


def test_sources_that_cannot_be_joined_are_refused(bundle: Path, tmp_path: Path) -> None:
    other = write_bundle(tmp_path / "other")
    both = run("paper", bundle, other, "--bootstrap", 100, "--list")
    assert (both.exit_code, "these are several: five, other" in both.stderr) == (2, True)
    (tmp_path / "empty").mkdir()
    empty = run("paper", tmp_path / "empty", "--list")
    assert (empty.exit_code, "is no bundle (it has no task.toml)" in empty.stderr) == (1, True)
    twice = run("paper", EXPORT, EXPORT, "--list")
    assert (twice.exit_code, "harbour-export stands there twice" in twice.stderr) == (2, True)
    export = run("paper", EXPORT, "--split", "test", "--list")
    assert (export.exit_code, "no source is one" in export.stderr) == (2, True)


def test_long_table_is_continued_and_a_wide_one_takes_both_columns() -> None:
    rows = [["all", f"team{n}", "a long name", 0.5, 0.25] for n in range(100)]
    head = ("level", "team", "system", "a", "b")
    table = PaperTable(ReportTable("many", "Many. Very many.", head, rows, head[:3]), "")
    text = latex_table(table, STYLES["acl"])
    assert text.count(r"\caption{Many (continued)}") == 2
    assert text.count(r"\label{tab:many}") == 1
    assert text.count("team") == 100 + 3
    assert text.count("all & ") == 3  # it is written again on each page
    assert r"\begin{table}" in text
    assert text.index(r"\caption") > text.index(r"\begin{tabular}")
    ceur = latex_table(table, STYLES["ceur"])
    assert ceur.index(r"\caption") < ceur.index(r"\begin{tabular}")
    wide = replace(table, table=replace(table.table, rows=[["x" * 60, *rows[0][1:]]]))
    assert r"\begin{table*}" in latex_table(wide, STYLES["acl"])
    assert r"\begin{table}" in latex_table(wide, STYLES["plain"])


def test_missing_pdflatex_is_one_sentence(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    result = run("paper", bundle, "--pdf", "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert re.fullmatch("Error: --pdf needs pdflatex.*: apt-get install texlive-.*\n", result.stderr)
    assert not (tmp_path / "out").exists()


def test_pdf_is_made_and_a_missing_style_is_named(bundle: Path, tmp_path: Path) -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("missed: compiling the paper; make paper-test installs TeX Live")
    chosen = ("--only", "systems", "--bootstrap", 100, "--pdf", "--out")
    assert run("paper", bundle, *chosen, tmp_path / "plain").exit_code == 0
    assert (tmp_path / "plain" / "main.pdf").read_bytes().startswith(b"%PDF")
    result = run("paper", bundle, "--style", "acl", *chosen, tmp_path / "acl")
    assert (result.exit_code, "File `acl.sty' not found" in result.stderr) == (2, True)
    assert (tmp_path / "acl" / "results.tex").exists()


def test_missing_style_of_the_bibliography_is_one_sentence(tmp_path: Path) -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("missed: compiling the paper; make paper-test installs TeX Live")
    (tmp_path / "systems.bib").write_text("@misc{ash, title = {Ash}}\n")
    text = r"\nocite{*}\bibliographystyle{acl_natbib}\bibliography{systems}"
    (tmp_path / "main.tex").write_text(rf"\documentclass{{article}}\begin{{document}}{text}\end{{document}}")
    with pytest.raises(RequestError, match=r"BibTeX could not write the references .*; see main\.blg"):
        compile_paper(tmp_path)


def test_round_is_named_if_there_are_several(tmp_path: Path) -> None:
    other = shutil.copytree(EXPORT, tmp_path / "harbour[1]")
    assert run("paper", EXPORT, other, "--only", "agreement", "--out", tmp_path / "out").exit_code == 0
    assert "Annotators (harbour{[}1{]}): " in (tmp_path / "out" / "results.tex").read_text()


@pytest.mark.parametrize("style", STYLES)
def test_pdflatex_sets_the_paper_as_it_is(style: str, bundle: Path, paper: Path, tmp_path: Path) -> None:
    """For the styles of others, with a class or package in place of theirs that sets the same widths."""
    if shutil.which("pdflatex") is None:
        pytest.skip("missed: compiling the paper; make paper-test installs TeX Live")
    with open_sources([bundle, EXPORT], SourceOptions(inference=InferenceOptions(b=100))) as sources:
        files = make_paper(Catalog(sources), style).files
    stand_in = {
        "acl.sty": "\\ProvidesPackage{acl}\\RequirePackage[a4paper,margin=2.5cm]{geometry}\\twocolumn"
        "\\renewcommand\\small{\\fontsize{9}{10}\\selectfont}\\setlength{\\columnsep}{6mm}"
        "\\renewcommand\\scriptsize{\\fontsize{7}{8}\\selectfont}\\bibliographystyle{plain}\n",
        "ceurart.cls": "\\ProvidesClass{ceurart}\\LoadClass[a4paper,11pt]{article}"
        "\\RequirePackage[margin=1in]{geometry}\\RequirePackage{mathptmx,natbib}"
        "\\newcommand\\conference[1]{\\gdef\\workshop{#1}}"
        "\\renewcommand\\maketitle{\\@title\\par\\@author\\par\\footnotetext{\\workshop}}\n",
    }
    files |= {name: text.encode() for name, text in stand_in.items() if name in STYLES[style].needs}
    shutil.copytree(paper / "figures", tmp_path / "figures")
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    compile_paper(tmp_path)
    log = (tmp_path / "main.log").read_text(errors="replace")
    assert "undefined references" not in log
    assert not re.findall(r"Overfull .hbox \(([\d.]+)pt too wide\)", log)
