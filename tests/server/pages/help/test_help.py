"""Help pages say what is true of the site: the numbers are those of its rules, and the examples work."""

import doctest
import html
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scorer.baselines import BASELINES
from scorer.bundles.reader import read_bundle
from scorer.bundles.task_keys import MAX_LEVELS, MAX_PHASES, MAX_RUNS
from scorer.bundles.toml import MAX_TOML_BYTES
from scorer.cli.__main__ import cli as scorer_commands
from scorer.files.read_limits import MAX_BYTES, MAX_LINES
from scorer.inference.board_pairs import MAX_SYSTEMS
from scorer.inference.comparison_options import COMPARISON_TESTS
from scorer.metrics import METRICS
from scorer.statistics import intervals
from scorer.statistics.adjustments import MAX_T_UNITS
from server.core.clock import MAX_BODY_TIME
from server.pages.help import help as pages
from server.pages.help.methods import GROUPS
from server.pages.help.notebook import OFFLINE
from server.phases.forms import FEEDBACK_LABELS, FEEDBACK_RISKS
from server.phases.quotas import MAX_REJECTIONS
from server.scoring import service as scoring
from tests.scorer.stages_campaign import write_stages
from tests.server import command_lines
from tests.server.pages.test_templates import FOLDER as TEMPLATES
from tests.server.visitors import words
from tests.server.world import World

pytestmark = pytest.mark.one_database

SERVER = TEMPLATES.parent / "server"


def examples(page: str) -> list[str]:
    """The examples of files on a page."""
    blocks = re.findall(r'<pre class="example"[^>]*><code>(.*?)</code></pre>', page, re.DOTALL)
    return [html.unescape(block) for block in blocks]


def run_session(blocks: list[str]) -> None:
    """Run sessions of the Python interpreter one after the other, and expect the output that they show."""
    session = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "page", None, None)
    output = list[str]()
    assert doctest.DocTestRunner(verbose=False).run(session, out=output.append).failed == 0, "".join(output)


def check(items: Path, lines: list[str]) -> Result:
    """Run `scorer check` on a run file of these lines."""
    run = items.with_name("run.tsv")
    run.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return CliRunner().invoke(scorer_commands, ["check", str(items), str(run), "--scale", "0", "4"])


def test_every_page_links_to_help_for_teams_and_organizers(world: World) -> None:
    visitor = world.client()
    for path in ("/", "/tasks/small/", "/sign-in"):
        assert 'href="/help/"' in visitor.get(path).text
    page = visitor.get("/help/").text
    assert 'href="/help/teams"' in page
    assert 'href="/help/organizers"' in page
    assert 'href="/help/readers"' in page
    assert "copies of a leaderboard that never change" in words(visitor.get("/help/readers"))


@pytest.mark.parametrize(
    ("page", "topics"),
    [
        ("teams", pages.TEAM_TOPICS),
        ("organizers", pages.ORGANIZER_TOPICS),
        ("readers", pages.READER_TOPICS),
    ],
)
def test_the_index_and_each_page_list_every_topic_in_its_order(
    world: World, page: str, topics: dict[str, str]
) -> None:
    visitor = world.client()
    text = visitor.get(f"/help/{page}").text
    headings = re.findall(r'<h2 id="([^"]+)">([^<]+)</h2>', text)
    assert [(anchor, html.unescape(title)) for anchor, title in headings] == [*topics.items()]
    assert re.findall(r'<a href="#([^"]+)">', text) == [*topics]
    assert re.findall(rf'<a href="/help/{page}#([^"]+)">', visitor.get("/help/").text) == [*topics]


def test_links_into_help_point_to_existing_anchors(world: World) -> None:
    link = re.compile(r"""url_for\(["']help\.(\w+)["']\)(?: ~ ["']| }})#([a-z_-]+)""")
    links = {found for path in TEMPLATES.rglob("*.html") for found in link.findall(path.read_text("utf-8"))}
    assert {("organizers", "gold"), ("readers", "ranks"), ("teams", "receipts")} < links
    anchors = {
        (page, anchor)
        for page in {page for page, _anchor in links}
        for anchor in re.findall(r' id="([^"]+)"', world.client().get(f"/help/{page}").text)
    }
    assert links - anchors == set()


def test_buttons_and_pages_named_in_help_exist() -> None:
    """What help prints in <b> is the label of something on another page."""
    others = [path.read_text("utf-8") for path in TEMPLATES.rglob("*.html") if path.parent.name != "help"]
    forms = [path.read_text("utf-8") for path in SERVER.rglob("forms.py")]
    said = "\n".join([*others, *forms]).lower()
    helped = "\n".join(path.read_text("utf-8") for path in (TEMPLATES / "help").glob("*.html"))
    labels = set(re.findall(r"<b>([^<]+)</b>", helped))
    assert len(labels) > 20
    assert {label for label in labels if label.lower() not in said} == set()


def test_example_of_a_rejected_file_equals_scorer_output(world: World, tmp_path: Path) -> None:
    good, bad = examples(world.client().get("/help/teams").text)
    lines = good.splitlines()
    items = tmp_path / "items.tsv"
    items.write_text("a boat\tvessel\n" * len(lines), encoding="utf-8")
    assert check(items, lines).exit_code == 0
    lines[1:3] = ["1,75", "nan"]
    assert check(items, lines).stderr.replace(f"{tmp_path}/", "").splitlines() == bad.splitlines()


def test_python_examples_give_the_output_shown_and_are_in_the_notebook(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor = world.client()
    page = visitor.get("/help/python").text
    assert re.findall(r'<a href="#([^"]+)">', page) == re.findall(r'<h2 id="([^"]+)">', page)
    blocks = examples(page)[: len(OFFLINE)]
    monkeypatch.chdir(tmp_path)
    run_session(blocks)
    notebook = json.loads(visitor.get("/help/python.ipynb").text)
    parsed = [doctest.DocTestParser().get_examples(block) for block in blocks]
    code = ["".join(example.source for example in each).rstrip() for each in parsed]
    assert [cell["source"] for cell in notebook["cells"]] == code


def test_the_example_of_a_task_can_be_imported(world: World, tmp_path: Path) -> None:
    task, phase, registration, _log = examples(world.client().get("/help/organizers").text)
    for name in ("trial", "test"):
        (tmp_path / f"{name}.tsv").write_text("a boat\tvessel\n" * 3, encoding="utf-8")
        (tmp_path / f"{name}.gold.tsv").write_text("1\n\n3\n", encoding="utf-8")
    (tmp_path / "task.toml").write_text("\n\n".join([task, phase, registration]), encoding="utf-8")
    bundle = read_bundle(tmp_path)
    assert [phase.slug for phase in bundle.phases] == ["practice", "evaluation"]
    assert bundle.teams.registration == "approved"


def test_the_example_of_a_campaign_is_valid(world: World, tmp_path: Path) -> None:
    whole, passes, tuples, stages, crowd = examples(world.client().get("/help/annotation").text)
    head = "key\tleft\tright\tgroup\tturn1\tturn2\tleft_context\tright_context\n"
    rows = "".join(f"u{number}\tleft\tright {number}\tg\ta\t\tl\tr\n" for number in range(20))
    pairs = head + rows
    files = {"pairs": pairs, "candidates": pairs, "calibration": pairs.replace("u", "z")}
    files["gate"] = (
        pairs.replace("u", "z").replace("_context\n", "_context\tknown\n").replace("\tr\n", "\tr\t1\n")
    )
    for name, text in (files | {"tuples": "Item1\tItem2\tItem3\nu1\tu2\tu3\n"}).items():
        (tmp_path / f"{name}.tsv").write_text(text, encoding="utf-8")
    write_stages(tmp_path)
    (tmp_path / "consent.md").write_text("Your ratings are published.", encoding="utf-8")
    start = whole.partition("[[round]]")[0]
    for toml in (whole, start + passes, start + tuples, start + stages, start + crowd):
        (tmp_path / "annotation.toml").write_text(toml, encoding="utf-8")
        checked = CliRunner().invoke(scorer_commands, ["campaign", "check", str(tmp_path)])
        assert checked.exit_code == 0, checked.stderr


def test_help_names_the_limits_of_the_scorer(world: World) -> None:
    visitor = world.client()
    most = f"files of up to {MAX_BYTES // 2**20} MB and {MAX_LINES // 10**6} million lines"
    assert most in words(visitor.get("/help/teams"))
    counts = f"{MAX_LEVELS} levels, {MAX_PHASES} phases and {MAX_RUNS:,} runs"
    assert f"can have up to {counts}, and a size of up to {MAX_TOML_BYTES // 10**6} MB" in words(
        visitor.get("/help/organizers")
    )
    assert f"more than {MAX_SYSTEMS} systems" in words(visitor.get("/help/readers"))
    errors, pearson = MAX_T_UNITS["mae"], MAX_T_UNITS["pearson"]
    default = f"from {errors} items on, and for Pearson’s r from {pearson:,} items on"
    assert default in words(visitor.get("/help/statistics"))


@pytest.mark.parametrize(
    "promise",
    [
        "The newest file that was on time and is not withdrawn counts",
        "The time at which an upload begins counts",
        "scored, shown separately and never ranked",
        f"If {MAX_REJECTIONS} different files of a run are rejected within an hour",
        f"is on time if it takes at most {MAX_BODY_TIME.total_seconds() / 60:g} minutes",
        "a day is a day in UTC",
        "Each email has a link that stops emails of its kind",
    ],
)
def test_help_for_teams_states_the_rules(world: World, promise: str) -> None:
    assert promise.lower() in words(world.client().get("/help/teams")).lower()


def test_help_for_organizers_says_what_each_kind_of_feedback_reveals(world: World) -> None:
    page = words(world.client().get("/help/organizers"))
    for kind, name in FEEDBACK_LABELS.items():
        assert f"{name} {FEEDBACK_RISKS[kind]}" in page


def test_every_statistic_has_an_entry_with_a_sentence_to_cite_it_by(world: World) -> None:
    page = world.client().get("/help/statistics")
    shown = set(re.findall(r'<h3 id="([^"]+)"', page.text))
    known = {
        *METRICS,
        *intervals.INTERVAL_METHODS,
        *COMPARISON_TESTS,
        *BASELINES,
        "zou",
        "max-t",
        "holm",
        "power",
        "rank-range",
        "cluster",
    }
    computed_elsewhere = {"vectors", "encoder", "ridge", "fine-tuning"}
    assert known | computed_elsewhere | {"stability", "ladder", "commitment"} == shown
    entries = [method for _anchor, _title, methods in GROUPS for method in methods]
    assert [method.anchor for method in entries if method.name not in page.text] == []
    assert f"Assay’s scorer {scoring.VERSION}" in words(page)
    assert "“95 % BCa bootstrap intervals over items (10,000 resamples; Efron, 1987)" in words(page)
    linked = re.compile(r"""help\.statistics['"]\) ?}}#([a-z_-]+)""")
    named = {
        anchor for path in TEMPLATES.rglob("*.html") for anchor in linked.findall(path.read_text("utf-8"))
    }
    assert named - shown == set()


def test_no_sentence_to_cite_lacks_a_part(world: World) -> None:
    page = world.client().get("/help/statistics").text
    articles = re.findall(
        r'<h3 id="([^"]+)".*?<p class="cite"><span[^>]*>[^<]*</span> (.*?)</p>', page, re.DOTALL
    )
    sentences = {anchor: html.unescape(sentence) for anchor, sentence in articles}
    assert set(sentences) >= set(METRICS)
    assert len(sentences) == sum(len(methods) for _anchor, _title, methods in GROUPS)
    gaps = re.compile(r"\(\W*\)|[(,;]\s*[,;)]|\s[,;.)]|…|%\(|None|“\W|  ")
    assert {anchor: sentence for anchor, sentence in sentences.items() if gaps.search(sentence)} == {}
    assert [sentence for sentence in sentences.values() if not re.fullmatch("“[^“”]+[.]”", sentence)] == []
    assert sentences["mae"] == f"“Mean absolute error (MAE), computed with Assay’s scorer {scoring.VERSION}.”"


def test_pages_say_that_the_permutation_test_standardizes_scores_and_why(world: World) -> None:
    page = words(world.client().get("/help/statistics"))
    assert "the scores of each system are standardized first, to mean 0 and variance 1" in page
    assert "swapping raw scores would mix the scales of two systems" in page
    assert "It is also not the p of a test that swaps raw scores" in page
    assert "(for correlations, their standardized scores)" in words(world.client().get("/help/readers"))


@pytest.mark.parametrize("path", ["teams", "organizers", "bundles", "annotation", "readers"])
def test_every_command_in_help_exists(world: World, path: str) -> None:
    page = re.sub("</?span[^>]*>", "", world.client().get(f"/help/{path}").text)
    shown = [html.unescape(code) for code in re.findall(r"<code>((?:scorer|assay) [^<]*)</code>", page)]
    assert shown
    for code in shown:
        for line in code.splitlines():
            command_lines.parse(line)
