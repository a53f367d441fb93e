"""The page on task bundles has every key and every example, and the examples can be imported."""

import hashlib
import html
import re
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from click.testing import CliRunner

from scorer.bundles.example_bundles import EXAMPLES
from scorer.bundles.key_reference import list_key_sections
from scorer.cli.__main__ import cli as scorer_commands
from server.bundles.importing import plan_import
from server.pages.help import help as pages
from tests.server.visitors import words
from tests.server.world import World

pytestmark = pytest.mark.one_database


def test_page_lists_every_key_with_its_meaning_and_example(world: World) -> None:
    answer = world.client().get("/help/bundles")
    text, shown = html.unescape(answer.text), words(answer)
    keys = [key for section in list_key_sections() for key in section.entries]
    anchors = re.findall(r'<div id="([^"]+)">', answer.text)
    assert anchors == [key.path for key in keys]
    for key in keys:
        assert key.meaning in text
        assert not key.example or f"<code>{key.name} = {key.example}</code>" in text
    assert f"({keys[0].type}; required)" in shown
    assert "(number; default: 1)" in shown


def test_page_lists_its_topics_in_order(world: World) -> None:
    text = world.client().get("/help/bundles").text
    headings = re.findall(r'<h2 id="([^"]+)">([^<]+)</h2>', text)
    assert [(anchor, html.unescape(title)) for anchor, title in headings] == [*pages.BUNDLE_TOPICS.items()]
    assert re.findall(r'<a href="#([^"]+)">', text) == [*pages.BUNDLE_TOPICS]
    assert 'href="/help/bundles"' in world.client().get("/help/").text


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_example_is_a_zip_of_the_same_bytes_that_check_and_import_accept(
    world: World, name: str, tmp_path: Path
) -> None:
    visitor = world.client()
    assert f'href="/help/bundles/{name}.zip"' in visitor.get("/help/bundles").text
    answers = [visitor.get(f"/help/bundles/{name}.zip") for _ in range(2)]
    assert len({hashlib.sha256(answer.data).hexdigest() for answer in answers}) == 1
    assert answers[0].headers["Content-Disposition"] == f'attachment; filename="{name}.zip"'
    with ZipFile(BytesIO(answers[0].data)) as archive:
        assert {path.partition("/")[0] for path in archive.namelist()} == {name}
        archive.extractall(tmp_path)
    result = CliRunner().invoke(scorer_commands, ["bundle", "check", str(tmp_path / name)])
    assert result.exit_code == 0, result.stderr
    plan = plan_import(tmp_path / name)
    assert {answer.run.name for answer in plan.answers} == {"LCS", "run1"}


def test_an_unknown_example_is_not_found_and_names_the_others(world: World) -> None:
    answer = world.client().get("/help/bundles/other.zip")
    assert answer.status_code == 404
    assert "There is no such example; there are aligned, keyed, word-to-sense." in words(answer)
