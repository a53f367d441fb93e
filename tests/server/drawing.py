"""Pictures that tests draw."""

from io import BytesIO
from typing import Any

from PIL import Image


def draw_picture(kind: str = "PNG", width: int = 6, height: int = 4, **options: Any) -> bytes:
    """The bytes of a picture of one color; `options`: what Pillow writes beside it."""
    target = BytesIO()
    Image.new("RGB", (width, height), "teal").save(target, kind, **options)
    return target.getvalue()
