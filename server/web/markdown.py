"""Organizers' Markdown as safe HTML."""

from functools import lru_cache
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
_MARKDOWN_ATTRIBUTES = {**nh3.ALLOWED_ATTRIBUTES, "div": {"class", "role", "aria-label", "tabindex"}}


def _open_table(_self: Any, _tokens: Any, _index: int, _options: Any, env: dict[str, int]) -> str:
    """Put a table into a region of its own, which scrolls if it is too wide."""
    env["tables"] = env.get("tables", 0) + 1
    return f'<div class="scroll" role="region" aria-label="Table {env["tables"]}" tabindex="0"><table>'


_MARKDOWN.add_render_rule("table_open", _open_table)
_MARKDOWN.add_render_rule("table_close", lambda *_: "</table></div>")


@lru_cache(maxsize=64)
def render_markdown(text: str) -> Markup:
    """Render Markdown as safe HTML: headings are below the page's own, and pictures become links."""
    tokens = _MARKDOWN.parse(text)
    if any(token.tag == "h1" for token in tokens):
        for token in tokens:
            if token.type in ("heading_open", "heading_close"):
                token.tag = f"h{min(6, int(token.tag[1]) + 1)}"
    html = _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {})
    clean = nh3.clean(html, attributes=_MARKDOWN_ATTRIBUTES, link_rel="noopener nofollow")
    return Markup(clean)  # noqa: S704  (cleaned by nh3)
