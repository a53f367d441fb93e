"""Templates as the site compiles them, and the addresses that they write.

A page has a hundred sentences and links, and each would be looked up anew for each reader: words are put in
when a template is compiled, and an address that was made once is kept, for it is made of what it is asked by.
"""

from functools import lru_cache
from typing import Any

import flask
from flask import Flask, has_request_context, request
from flask.templating import Environment
from jinja2 import nodes

from server import language

MOST = 8192
"""How many addresses a process keeps."""


WHOLE = {"_external", "_scheme"}
"""What asks for an address with the host of the request."""


class SpokenEnvironment(Environment):
    """Flask's environment, with templates in the language that the process speaks."""

    def _generate(
        self, source: nodes.Template, name: str | None, filename: str | None, defer_init: bool = False
    ) -> str:
        """The code of a template; a hook that Jinja documents for this."""
        return super()._generate(language.Said().visit(source), name, filename, defer_init=defer_init)


def init_templating(app: Flask) -> None:
    """Have templates compiled with their words; before anything asks the app for its environment."""
    app.jinja_environment = SpokenEnvironment
    app.jinja_options = {"trim_blocks": True, "lstrip_blocks": True, "extensions": [language.JINJA]}
    language.teach(app.jinja_env)
    app.jinja_env.globals["url_for"] = _keep_addresses()


def _keep_addresses() -> Any:
    """Flask's `url_for`, which makes each address of the site once."""

    @lru_cache(MOST)
    def make(root: str, endpoint: str, values: tuple[tuple[str, object], ...]) -> str:
        del root  # it is read of the request, and is part of what is made
        return flask.url_for(endpoint, **dict(values))  # type: ignore[arg-type]  # whatever the template gave

    def url_for(endpoint: str, **values: Any) -> str:
        """An address that depends on nothing but what is given, and on where the site is mounted."""
        if not has_request_context() or endpoint.startswith(".") or not values.keys().isdisjoint(WHOLE):
            return flask.url_for(endpoint, **values)
        if any(isinstance(value, list) for value in values.values()):
            return flask.url_for(endpoint, **values)
        return make(request.script_root, endpoint, tuple(values.items()))

    return url_for
