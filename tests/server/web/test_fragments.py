"""A cached part of a page is that of this reader, and of this instant."""

import re
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Environment, Template, meta, nodes

from server.core import db
from server.core.i18n import JINJA_EXTENSION
from server.pages.template_filters import FILTERS
from server.planning import extensions
from server.web import fragments
from tests.server.players import BAD
from tests.server.small_task import variant
from tests.server.world import AFTER, DURING, LATE, World

pytestmark = pytest.mark.one_database

ROOT = Path(__file__).parents[3]
TEMPLATES = sorted(
    name
    for path in (ROOT / "server").rglob("*.py")
    for name in re.findall(r'render_fragment\(\s*"([^"]+)"', path.read_text(encoding="utf-8"))
)
PARTS_OF_KEY = {"card", "_", "_trans", "ngettext", "gettext", "url_for"}
"""What a fragment may read: the value, and functions that depend on the rest of the key alone.

Jinja calls what `trans` counts `_trans`.
"""
LOOKUPS = {"countdown", "markdown", "now_of"}
"""Filters that also read the clock or the database."""
PAGES = "/tasks/small/team/", "/tasks/small/"
ENVIRONMENT = Environment(extensions=[JINJA_EXTENSION])  # noqa: S701  (it renders nothing)
ENVIRONMENT.filters.update(FILTERS)
TOKEN = re.compile(r'name="csrf_token" value="[^"]+"')


def names_from_outside(template: str, macros: frozenset[str] = frozenset()) -> set[str]:
    """What a template reads that it does not define, or some of its macros, with all that they include."""
    tree = ENVIRONMENT.parse((ROOT / "templates" / template).read_text(encoding="utf-8"))
    defined = {macro.name: macro for macro in tree.find_all(nodes.Macro)}
    if macros:
        tree.body = [defined[name] for name in sorted(macros)]
    names = (
        meta.find_undeclared_variables(tree) | {node.name for node in tree.find_all(nodes.Filter)} & LOOKUPS
    )
    if macros and names & defined.keys():
        return names_from_outside(template, macros | (names & defined.keys()))
    for node in tree.find_all((nodes.FromImport, nodes.Include)):
        imported = [name if isinstance(name, str) else name[0] for name in getattr(node, "names", ())]
        names |= names_from_outside(node.template.value, frozenset(imported))
    return names


@pytest.mark.parametrize("template", TEMPLATES)
def test_fragment_reads_nothing_of_the_request(template: str) -> None:
    assert names_from_outside(template) <= PARTS_OF_KEY


def test_names_from_outside_are_those_of_macros_too() -> None:
    """Guards the test above."""
    assert names_from_outside("_when.html", frozenset({"phase_words"})) >= {"g", "countdown"}


def test_cached_page_shows_each_change_at_once(world: World) -> None:
    bo, dee = world.client("bo"), world.client("dee")

    def change(name: str, value: object, row: Callable[[], object]) -> Callable[[], None]:
        def write() -> None:
            with db.writing(world.session):
                setattr(row(), name, value)

        return write

    def reject() -> None:
        with pytest.raises(Exception, match="problem"):
            world.upload(world.run(), "s2p", BAD)

    def extend() -> None:
        closes = world.phase().closes + timedelta(days=1)
        with db.writing(world.session):
            extensions.extend_deadline(
                world.session, world.actor("ada"), world.phase(), world.team, closes, "They asked.", DURING
            )

    changes: list[Callable[[], object]] = [
        lambda: world.upload(world.run(), "p2s"),
        lambda: world.withdraw(world.upload(world.run(), "p2s", variant(1))),
        reject,
        lambda: world.upload(world.run("two"), "s2p"),
        change("name", "three", lambda: world.run("two")),
        change("method", "words", world.run),
        change("is_primary", True, world.run),
        change("files_per_level", 9, world.phase),
        change("feedback", "scores", world.phase),
        change("name", "bo the second", lambda: world.user("bo")),
        change("time_zone", "Asia/Tokyo", lambda: world.user("bo")),
        change("title", "Another title", lambda: world.task),
        change("title", "Another phase", world.phase),
        change("licence", "CC BY 4.0", lambda: world.task),
        change("runs_public", True, world.phase),
        change("n_items", 5, lambda: world.task.levels[0].splits[0]),
        world.add_kit_file,
        extend,
        change("closes", DURING + timedelta(days=1), world.phase),
        lambda: world.set_clock(LATE),
        lambda: world.set_clock(AFTER),
        world.release,
        world.withdraw_release,
        change("state", "archived", lambda: world.task),
    ]
    seen: list[str] = []
    for number, make in enumerate(changes):
        make()
        for person in (bo, dee):
            cached = [TOKEN.sub("", person.get(path).text) for path in PAGES]
            fragments.FRAGMENT_CACHE.clear()
            fresh = [TOKEN.sub("", person.get(path).text) for path in PAGES]
            assert cached == fresh, f"change {number}"
            seen += fresh if person is bo else ()
    assert len(set(seen)) > len(changes)


def test_fragment_is_rendered_once_for_two_readers_but_for_each_time_zone(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    bo, cy, environment, rendered = (
        world.client("bo"),
        world.client("cy"),
        world.app.jinja_env,
        Counter[str](),
    )
    get_template = environment.get_template

    def note(name: str, *arguments: Any) -> Template:
        rendered[name] += 1
        return get_template(name, *arguments)

    fragments.FRAGMENT_CACHE.clear()
    monkeypatch.setattr(environment, "get_template", note)
    for person in (bo, cy, bo):
        person.get(PAGES[1])
    assert rendered["tasks/_head.html"] == 1
    with db.writing(world.session):
        world.user("cy").time_zone = "Asia/Tokyo"
    assert "JST" in cy.get(PAGES[1]).text
    assert "JST" not in bo.get(PAGES[1]).text
    assert rendered["tasks/_head.html"] == 2
