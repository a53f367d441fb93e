"""Words are put in where a template is compiled, and addresses are made once: by what they are made of."""

import re
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask import render_template_string, url_for
from jinja2 import DictLoader, meta
from markupsafe import Markup, escape

from server.templating import SpokenEnvironment, written
from tests.server.world import World


def rendered(world: World, template: str, **values: object) -> str:
    with world.app.test_request_context(**({"base_url": values.pop("base")} if "base" in values else {})):
        return render_template_string(template, **values)


def test_a_message_is_words_of_the_template_when_it_is_compiled(world: World) -> None:
    environment = world.app.jinja_env
    code = environment.compile('{{ _("100 %% of it") }} {{ _("run %(name)s", name=name) }}', raw=True)
    assert "100 % of it" in code
    assert "gettext" not in code
    assert environment.from_string("{{ _(word) }}").render(word="said later") == "said later"


def test_what_is_put_into_a_message_is_escaped_and_the_message_is_not(world: World) -> None:
    words = '{% trans name=name %}<b>{{ name }}</b> & co{% endtrans %} {{ _("<i>%(name)s</i>", name=name) }}'
    assert rendered(world, words, name="a<b") == "<b>a&lt;b</b> & co <i>a&lt;b</i>"


@pytest.mark.parametrize(
    "put", ["%(name)s", "%(name)s of %(name)s", "100 %%, %(name)s", "%(number)d, %(name)s"]
)
@pytest.mark.parametrize("name", ["a<b", Markup("<i>a</i>"), 7, None, "%(name)s"])
def test_a_message_reads_the_same_whichever_way_its_values_are_put_in(
    world: World, put: str, name: object
) -> None:
    values = {"name": name, "number": 3}
    page = rendered(world, f'{{{{ _("{put}", name=name, number=number) }}}}', **values)
    assert page == Markup(put) % values  # noqa: S704  (our own words)
    assert rendered(world, f'{{{{ _("{put}", name=name, number=number)|upper }}}}', **values) == page.upper()


class Marked:
    def __html__(self) -> str:
        return "<b>marked</b>"


class Named(str):
    __slots__ = ()


@pytest.mark.parametrize(
    "value",
    [
        "plain",
        *(f"a{sign}b" for sign in "&<>'\""),
        "",
        Markup("<i>&</i>"),
        Marked(),
        Named("<n>"),
        7,
        True,
        2.5,
        None,
        [1, "<a>"],
    ],
)
def test_a_value_is_written_as_it_would_be_escaped(world: World, value: object) -> None:
    assert written(value) == escape(value)
    assert rendered(world, "{{ value }}", value=value) == escape(value)
    assert rendered(world, "{% set text %}{{ value }}{% endset %}{{ text|upper }}", value=value) == (
        escape(value).upper()
    )
    assert rendered(world, "{% autoescape false %}{{ value }}{% endautoescape %}", value=value) == str(value)


def test_words_and_values_of_a_message_are_written_one_after_the_other(world: World) -> None:
    code = world.app.jinja_env.compile("{% trans name=name %}run {{ name }} is in{% endtrans %}", raw=True)
    assert "yield 'run '" in code
    assert "%" not in code


def test_a_template_calls_for_an_address_at_once(world: World) -> None:
    code = world.app.jinja_env.compile("{{ url_for('tasks.show', slug=slug, _anchor=x) }}", raw=True)
    assert "context.call" not in code


def test_an_address_is_the_one_that_flask_makes_for_whatever_it_is_asked_by(world: World) -> None:
    asked = (
        ("tasks.show", {"slug": "small"}),
        ("tasks.show", {"slug": "a/b ü"}),
        ("runs.show", {"slug": "small", "run_id": 1}),
        ("runs.show", {"slug": "small", "run_id": 12, "_anchor": "uploads"}),
        ("boards.show", {"slug": "small", "phase": "practice", "order": None, "q": "x y"}),
        ("boards.show", {"slug": "small", "phase": "practice", "level": ["a", "b"]}),
        ("static", {"filename": "icon.svg"}),
        ("tasks.show", {"slug": "small", "_external": True}),
    )
    for _again in range(2):
        for endpoint, values in asked:
            with world.app.test_request_context():
                assert rendered(world, "{{ url_for(e, **v)|safe }}", e=endpoint, v=values) == url_for(
                    endpoint, **values
                )


def test_a_site_below_another_address_has_its_own(world: World) -> None:
    asked = "{{ url_for('tasks.show', slug='small') }}"
    assert rendered(world, asked) == "/tasks/small/"
    assert rendered(world, asked, base="https://example.org/assay") == "/assay/tasks/small/"
    assert rendered(
        world, "{{ url_for('tasks.show', slug='small', _external=True) }}", base="https://example.org/"
    ) == ("https://example.org/tasks/small/")


def test_what_is_kept_by_what_it_says_is_written_of_nothing_else(world: World) -> None:
    environment = world.app.jinja_env
    sources = [environment.loader.get_source(environment, name)[0] for name in environment.list_templates()]
    kept = {name for source in sources for name in re.findall(r'\|kept\("(.+?)"\)', source)}
    assert kept == {"teams/_run.html", "tasks/_head.html", "tasks/_now.html"}
    for name in kept:
        tree = environment.parse(environment.loader.get_source(environment, name)[0])
        lent = {"url_for", *environment.filters, *environment.tests}
        assert meta.find_undeclared_variables(tree) - lent == {"card"}, name


def test_a_template_is_compiled_once_for_all_who_ask_at_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = SpokenEnvironment(world.app, loader=DictLoader({"page": "{{ 1 + 1 }}"}))
    compiled, compile_as_usual = [], environment.compile

    def compile_slowly(*given: Any, **more: Any) -> Any:
        compiled.append(given[1])
        time.sleep(0.05)
        return compile_as_usual(*given, **more)

    monkeypatch.setattr(environment, "compile", compile_slowly)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: environment.get_template("page"), range(4)))
    assert compiled == ["page"]
    assert all(one is found[0] for one in found)


def test_only_macros_that_read_a_pages_context_are_given_it(world: World) -> None:
    """They are made anew for each page, and hold all that it has until the next search for garbage."""
    environment = world.app.jinja_env
    given = set()
    for name in environment.list_templates():
        source = environment.loader.get_source(environment, name)[0]
        given |= set(re.findall(r'import[^%]* with context|from "(.+?)" import [^%]* with context', source))
    assert "boards/_released.html" in given
    for name in given - {""}:
        tree = environment.parse(environment.loader.get_source(environment, name)[0])
        assert meta.find_undeclared_variables(tree) - {*environment.globals, "_trans"}, name
