"""The help pages say what is true of the site: the numbers are those of its rules."""

import html
import re

import pytest

from scorer.inference.comparison_options import COMPARISON_TESTS
from scorer.metrics import METRICS
from scorer.statistics import intervals
from server.help.methods import GROUPS
from server.phases.forms import FEEDBACK_LABELS, FEEDBACK_RISKS
from server.phases.quotas import MAX_REJECTIONS
from server.scoring import service as scoring
from tests.server.help import command_lines
from tests.server.visitors import words
from tests.server.web.test_templates import FOLDER as TEMPLATES
from tests.server.world import World

pytestmark = pytest.mark.one_database

BASELINES = ("lcs", "gst")


def test_every_page_leads_to_the_help_for_teams_and_for_organizers(world: World) -> None:
    visitor = world.client()
    for path in ("/", "/tasks/small/", "/sign-in"):
        assert 'href="/help/"' in visitor.get(path).text
    page = visitor.get("/help/").text
    assert 'href="/help/teams"' in page
    assert 'href="/help/organizers"' in page
    assert 'href="/help/readers"' in page
    assert "copies of a board that never change" in words(visitor.get("/help/readers"))


@pytest.mark.parametrize(
    "promise",
    [
        "The newest file that was on time and is not withdrawn counts",
        "It is read when your request arrives, before the file",
        "scored, shown apart and never ranked",
        f"After {MAX_REJECTIONS} different refused files of a run within an hour",
        "a day is a day of UTC",
        "Each mail has a link that stops its kind",
    ],
)
def test_teams_are_told_the_rules(world: World, promise: str) -> None:
    assert promise.lower() in words(world.client().get("/help/teams")).lower()


def test_organizers_are_told_what_each_kind_of_feedback_gives_away(world: World) -> None:
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
        "holm",
        "power",
        "rank-range",
        "cluster",
    }
    assert known | {"stability", "ladder", "commitment"} == shown
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
    assert "each system’s scores are standardized first, to mean 0 and variance 1" in page
    assert "a swap of raw scores would mix the scales of two systems" in page
    assert "Nor is it the p of a test that swaps raw scores" in page
    assert "(for correlations, their standardized scores)" in words(world.client().get("/help/readers"))


@pytest.mark.parametrize("path", ["teams", "organizers", "readers"])
def test_every_command_that_help_shows_is_one(world: World, path: str) -> None:
    page = world.client().get(f"/help/{path}").text
    shown = [html.unescape(code) for code in re.findall(r"<code>((?:scorer|assay) [^<]*)</code>", page)]
    assert shown
    for code in shown:
        for line in code.splitlines():
            command_lines.parse(line)
