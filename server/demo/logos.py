"""The logos of the demo's tasks: a lighthouse at night and an island by day."""

from collections.abc import Callable
from io import BytesIO

from PIL import Image, ImageDraw

SIDE, SCALE = 96, 4
"""The side in pixels, and how many times larger a logo is drawn, so that its edges are smooth."""
_WHITE, _YELLOW, _RED = "#ffffff", "#ffd166", "#d1495b"


def draw_lighthouse() -> bytes:
    """Draw the logo of the harbour."""
    return _draw("#12355b", _add_lighthouse)


def draw_island() -> bytes:
    """Draw the logo of the island."""
    return _draw("#8ecae6", _add_island)


def _draw(background: str, add: Callable[[ImageDraw.ImageDraw], None]) -> bytes:
    image, target = Image.new("RGB", (SIDE * SCALE, SIDE * SCALE), background), BytesIO()
    add(ImageDraw.Draw(image))
    image.resize((SIDE, SIDE), Image.Resampling.LANCZOS).save(target, "PNG", optimize=True)
    return target.getvalue()


def _add_lighthouse(draw: ImageDraw.ImageDraw) -> None:
    for beam in ([(48, 25), (0, 10), (0, 34)], [(48, 25), (96, 10), (96, 34)]):
        draw.polygon(_enlarge(beam), fill=_YELLOW)
    draw.polygon(_enlarge([(41, 32), (55, 32), (61, 84), (35, 84)]), fill=_WHITE)
    draw.polygon(_enlarge([(39, 46), (57, 46), (58, 56), (38, 56)]), fill=_RED)
    draw.polygon(_enlarge([(37, 68), (59, 68), (60, 78), (36, 78)]), fill=_RED)
    draw.rectangle(_enlarge([(41, 20), (55, 30)]), fill=_WHITE)
    draw.polygon(_enlarge([(38, 20), (58, 20), (48, 11)]), fill=_RED)
    draw.rectangle(_enlarge([(24, 84), (72, 88)]), fill=_WHITE)


def _add_island(draw: ImageDraw.ImageDraw) -> None:
    draw.ellipse(_enlarge([(60, 12), (82, 34)]), fill=_YELLOW)
    draw.pieslice(_enlarge([(12, 40), (84, 112)]), 180, 360, fill="#2a9d5c")
    draw.polygon(_enlarge([(38, 52), (42, 52), (46, 24), (42, 23)]), fill="#7f4f24")
    for tips in ([(22, 22), (30, 32)], [(66, 24), (56, 34)], [(34, 10), (54, 12)]):
        draw.polygon(_enlarge([(44, 24), *tips]), fill="#1b7a43")
    draw.rectangle(_enlarge([(0, 72), (96, 96)]), fill="#1d6fa5")


def _enlarge(points: list[tuple[int, int]]) -> list[tuple[int, int]]:
    return [(x * SCALE, y * SCALE) for x, y in points]
