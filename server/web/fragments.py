"""Template fragment caching: a part of a page is rendered once for each value that it shows.

Its template sees that value alone, as `card`. What else it depends on is in the key, too: the language, the
reader's time zone, and what all addresses begin with and keep. So nothing that is cached can be stale.
"""

from collections.abc import Hashable

from flask import current_app, request
from markupsafe import Markup

from server.core.cache import CacheByHash
from server.core.i18n import get_language
from server.web import context, times

FRAGMENT_CACHE: CacheByHash[tuple[object, ...], Markup] = CacheByHash(1024)


def render_fragment(template: str, card: Hashable) -> Markup:
    """Render a template with a frozen value of plain ones."""
    preview = context.preview()
    made_of = (
        template,
        card,
        get_language(),
        times.reader_zone(),
        request.root_path,
        None if preview is None else preview.role,
    )
    return FRAGMENT_CACHE.get(made_of, lambda: _render(template, card))


def _render(template: str, card: Hashable) -> Markup:
    return Markup(current_app.jinja_env.get_template(template).render(card=card))  # noqa: S704  (a template's)
