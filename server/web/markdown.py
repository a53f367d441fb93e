"""Organizers' Markdown as safe HTML."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import urljoin

import nh3
from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, image
from markdown_it.token import Token
from markupsafe import Markup


class MarkdownPicture(NamedTuple):
    """A picture that a text can show by its name."""

    name: str
    url: str
    width: int
    height: int


_PICTURE_NAME = re.compile(r"[a-z0-9-]+\.(png|jpg|webp)")
_LINK_TARGET = re.compile(r"(\]\(\s*<?|\]:\s*<?)([^\s<>)]+)")
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
_MARKDOWN_ATTRIBUTES = {
    **nh3.ALLOWED_ATTRIBUTES,
    "div": {"class", "role", "aria-label", "tabindex"},
    **{cell: {*nh3.ALLOWED_ATTRIBUTES[cell], "class"} for cell in ("td", "th")},
    "img": {"src", "alt", "width", "height", "loading"},
}


def _parse_picture(state: StateInline, silent: bool) -> bool:
    """Parse a picture that may be shown; any other is left to become a link."""
    start, pending, n_tokens = state.pos, state.pending, len(state.tokens)
    if not state.env["pictures"] or not image(state, silent=False):
        return False
    token = state.tokens[-1]
    picture = state.env["pictures"].get(token.attrs["src"])
    if picture is None or silent:  # undo what was parsed
        del state.tokens[n_tokens:], state.tokens_meta[n_tokens:]
        state.pending = pending
    if picture is None:
        state.pos = start
        return False
    token.attrs |= {"src": picture.url, "width": picture.width, "height": picture.height, "loading": "lazy"}
    return True


def _open_table(_self: Any, _tokens: Any, _index: int, _options: Any, env: dict[str, Any]) -> str:
    """Put a table into a region of its own, which scrolls if it is too wide."""
    env["tables"] = env.get("tables", 0) + 1
    return f'<div class="scroll" role="region" aria-label="Table {env["tables"]}" tabindex="0"><table>'


def _open_cell(_self: Any, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    """Align a cell by a class, because pages take no styles."""
    token = tokens[index]
    kind = ' class="num"' if token.attrs.get("style") == "text-align:right" else ""
    return f"<{token.tag}{kind}>"


_MARKDOWN.inline.ruler.at("image", _parse_picture)
_MARKDOWN.add_render_rule("table_open", _open_table)
_MARKDOWN.add_render_rule("table_close", lambda *_: "</table></div>")
_MARKDOWN.add_render_rule("th_open", _open_cell)
_MARKDOWN.add_render_rule("td_open", _open_cell)


@lru_cache(maxsize=64)
def render_markdown(text: str, pictures: tuple[MarkdownPicture, ...] = (), page: str = "") -> Markup:
    """Render Markdown as safe HTML: headings are below the page's own, and other pictures become links.

    `page`: the address of the task, from which relative links start wherever the text is shown.
    """
    env = {"pictures": {picture.name: picture for picture in pictures}}
    tokens = _MARKDOWN.parse(text, env)
    for child in (child for token in tokens for child in token.children or ()):
        if page and child.type == "link_open":
            child.attrs["href"] = _resolve_link(page, str(child.attrs["href"]))
    if any(token.tag == "h1" for token in tokens):
        for token in tokens:
            if token.type in ("heading_open", "heading_close"):
                token.tag = f"h{min(6, int(token.tag[1]) + 1)}"
    html = _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, env)
    clean = nh3.clean(html, attributes=_MARKDOWN_ATTRIBUTES, link_rel="noopener nofollow")
    return Markup(clean)  # noqa: S704  (cleaned by nh3)


def _resolve_link(page: str, link: str) -> str:
    """Return where a link leads from the page of a task; the name of a picture leads to the picture."""
    return urljoin(page, f"pictures/{link}" if _PICTURE_NAME.fullmatch(link) else link)


def write_absolute_links(text: str, page: str) -> str:
    """Write Markdown whose links lead where they lead on a page of a task, and to the task's pictures.

    `page`: the address of the task.
    """
    tokens = _MARKDOWN.parse(text, {"pictures": {}})  # what looks like a link in code is none
    children = [child for token in tokens for child in token.children or ()]
    links = [str(child.attrs["href"]) for child in children if child.type == "link_open"]
    addresses = {link: _resolve_link(page, link) for link in links}
    return _LINK_TARGET.sub(
        lambda found: found[1] + addresses.get(_MARKDOWN.normalizeLink(found[2]), found[2]), text
    )
