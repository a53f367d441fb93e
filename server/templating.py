"""Templates as the site compiles them, and the addresses that they write.

A page has a hundred sentences and links, and each would be looked up anew for each reader: words are put in
when a template is compiled, and an address that was made once is kept, for it is made of what it is asked by.
"""

import re
import threading
from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Any

import flask
from flask import Flask, request
from flask.sansio.app import App
from flask.templating import Environment
from jinja2 import Template, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.environment import TemplateModule
from jinja2.runtime import Context
from jinja2.visitor import NodeTransformer
from markupsafe import Markup

from server import language

MOST = 8192
"""How many addresses a process keeps."""
MOST_PARTS = 1024
"""And parts of pages: the runs of 300 teams, in 4 MB."""


WHOLE = {"_external", "_scheme"}
"""What asks for an address with the host of the request."""


_UNSAFE = re.compile("[&<>'\"]").search


def written(value: Any) -> str:
    """What `markupsafe.escape` says of a value, to be written and nothing else.

    It makes a `Markup` of each, for what comes after to know it by, and that takes longer than to look.
    """
    kind = type(value)
    if kind is Markup or (kind is str and _UNSAFE(value) is None):
        return value  # type: ignore[no-any-return]  # it is a text
    return str(value) if kind is int else Markup.escape(value)


class _Writer(CodeGenerator):
    """Jinja's, whose templates write values by `written` where they would escape them."""

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        if frame.eval_ctx.autoescape and not frame.eval_ctx.volatile and finalize.src is None:
            self.write("environment.written(")
        else:
            super()._output_child_pre(node, frame, finalize)


class _SharedTemplate(Template):
    """Jinja's, whose macros are the same on all pages that import them: no page is given names of its own."""

    def _get_default_module(self, ctx: Context | None = None) -> TemplateModule:
        """The macros; Jinja would look for such names at each import, which takes a twentieth of a page."""
        del ctx
        return super()._get_default_module()


class SpokenEnvironment(Environment):
    """Flask's environment, with templates in the language that the process speaks."""

    code_generator_class = _Writer
    template_class = _SharedTemplate
    written = staticmethod(written)

    def __init__(self, app: App, **options: Any) -> None:
        super().__init__(app, **options)
        self._alone = threading.RLock()
        self._compiled: dict[str, Template] = {}

    def get_template(self, name: str | Template, *parent: Any, **more: Any) -> Template:
        """A template, compiled by the first who asks for it while others wait, who would all compile it.

        A page asks for seven, and Jinja looks up each behind two locks.
        """
        if isinstance(name, str) and name in self._compiled and not more:
            return self._compiled[name]
        with self._alone:
            template = super().get_template(name, *parent, **more)
        if not self.auto_reload and template.name is not None:
            self._compiled[template.name] = template
        return template

    def _generate(
        self, source: nodes.Template, name: str | None, filename: str | None, defer_init: bool = False
    ) -> str:
        """The code of a template; a hook that Jinja documents for this."""
        tree = _Addressed().visit(language.Said().visit(source))
        return super()._generate(tree, name, filename, defer_init=defer_init)


class _Addressed(NodeTransformer):
    """Has a template ask for an address as for a filter, which is called without a look at what it is."""

    def visit_Call(self, node: nodes.Call) -> nodes.Node:  # noqa: N802  (the visitor's way of naming)
        """A call of `url_for` with an endpoint and named values."""
        self.generic_visit(node)
        match node:
            case nodes.Call(
                node=nodes.Name(name="url_for"),
                args=[endpoint],
                kwargs=values,
                dyn_args=None,
                dyn_kwargs=None,
            ):
                return nodes.Filter(endpoint, "url_for", [], values, None, None)
        return node


def init_templating(app: Flask) -> None:
    """Have templates compiled with their words; before anything asks the app for its environment."""
    app.jinja_environment = SpokenEnvironment
    app.jinja_options = {"trim_blocks": True, "lstrip_blocks": True, "extensions": [language.JINJA]}
    language.teach(app.jinja_env)
    app.jinja_env.filters["kept"] = _keep_parts(app.jinja_env)
    app.jinja_env.globals["url_for"] = app.jinja_env.filters["url_for"] = _keep_addresses()


def _keep_parts(environment: Environment) -> Callable[[Hashable, str], Markup]:
    """A filter that writes a card by its template, once for all cards that say the same."""

    @lru_cache(MOST_PARTS)
    def write(root: str, spoken: str, template: str, card: Hashable) -> Markup:
        del root, spoken  # read by the template, of the request and of the process
        return Markup(environment.get_template(template).render(card=card))  # noqa: S704  (it escapes)

    def kept(card: Hashable, template: str) -> Markup:
        """The template may depend on the card, on where the site is mounted, and on nothing else."""
        return write(request.script_root, language.spoken(), template, card)

    return kept


def _keep_addresses() -> Any:
    """Flask's `url_for`, which makes each address of the site once."""

    @lru_cache(MOST)
    def make(root: str, endpoint: str, values: tuple[tuple[str, object], ...]) -> str:
        del root  # it is read of the request, and is part of what is made
        return flask.url_for(endpoint, **dict(values))  # type: ignore[arg-type]  # whatever the template gave

    def url_for(endpoint: str, **values: Any) -> str:
        """An address that depends on nothing but what is given, and on where the site is mounted."""
        if endpoint.startswith(".") or not WHOLE.isdisjoint(values):
            return flask.url_for(endpoint, **values)
        try:
            asked = request._get_current_object()  # type: ignore[attr-defined]  # of the proxy
            return make(asked.script_root, endpoint, tuple(values.items()))
        except (TypeError, RuntimeError):  # a list, by which nothing is kept; or there is no request
            return flask.url_for(endpoint, **values)

    return url_for
