"""The process that reads an uploaded picture, with limits of memory and time, and writes it without metadata.

Run as `python -m server.tasks.picture_process SOURCE TARGET`. It prints what it wrote as JSON: the content
type, the width and the height; or the word that says why it wrote nothing.
"""

import json
import struct
import sys
import warnings
from io import BytesIO
from pathlib import Path
from typing import Literal, NamedTuple

from PIL import Image, ImageOps

from server.core.child_processes import limited

MAX_SIDE = 4000
"""The maximum width and height in pixels."""
CONTENT_TYPES = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp"}
"""The formats that are read, by Pillow's names, and their content types."""
_SAVE_OPTIONS = {"PNG": {}, "JPEG": {"quality": 90}, "WEBP": {"quality": 90, "method": 4}}
_PIXEL_INFO = {"transparency"}
"""What Pillow notes of a picture beside its pixels, and is needed to show them."""
_HARMLESS_INFO = _PIXEL_INFO | {
    "jfif", "jfif_version", "jfif_unit", "jfif_density", "loop", "background", "timestamp", "duration"
}  # fmt: skip
"""What Pillow notes of the pictures that this module wrote."""
PictureFault = Literal["unreadable", "pixels"]


class BadPicture(Exception):
    """The file is no picture that is read here; `fault` says why."""

    def __init__(self, fault: PictureFault) -> None:
        super().__init__(fault)
        self.fault = fault


class PictureFacts(NamedTuple):
    """What a picture is, as browsers need to know it."""

    content_type: str
    width: int
    height: int
    is_clean: bool
    """Whether it has no metadata."""


def describe_picture(data: bytes) -> PictureFacts:
    """Decode a picture, and say what it is.

    Raises:
        BadPicture: it is damaged, of another format, or too large.
    """
    image = _decode(data)
    is_clean = image.info.keys() <= _HARMLESS_INFO
    return PictureFacts(CONTENT_TYPES[_format_of(image)], *image.size, is_clean)


def rewrite_picture(data: bytes) -> bytes:
    """Decode a picture, and encode its pixels again, upright: no metadata, no profile, no second frame.

    Raises:
        BadPicture: as `describe_picture` does.
    """
    image, target = _decode(data), BytesIO()
    name = _format_of(image)
    try:
        upright = ImageOps.exif_transpose(image)
    except (SyntaxError, TypeError, ValueError, struct.error):  # metadata that Pillow cannot read or write
        upright = image
    if upright.mode == "CMYK":
        upright = upright.convert("RGB")
    upright.info = {key: value for key, value in upright.info.items() if key in _PIXEL_INFO}
    upright.save(target, name, **_SAVE_OPTIONS[name])
    return target.getvalue()


def _decode(data: bytes) -> Image.Image:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # the size is checked below
            image = Image.open(BytesIO(data), formats=list(CONTENT_TYPES))
        if max(image.size) > MAX_SIDE:  # known from the header, before any pixel is decoded
            raise BadPicture("pixels")
        image.load()
    except Image.DecompressionBombError as error:
        raise BadPicture("pixels") from error
    except (OSError, SyntaxError, ValueError) as error:
        raise BadPicture("unreadable") from error
    return image


def _format_of(image: Image.Image) -> str:
    """Return the name of the format; Pillow calls a JPEG file with several pictures, as of cameras, MPO."""
    return "JPEG" if image.format == "MPO" else str(image.format)


def main(source: Path, target: Path) -> None:
    """Rewrite a picture, and print what it is."""
    with limited():
        result: PictureFacts | PictureFault
        try:
            data = rewrite_picture(source.read_bytes())
        except BadPicture as error:
            result = error.fault
        else:
            target.write_bytes(data)
            result = describe_picture(data)
        sys.stdout.write(json.dumps(result))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
