"""Pictures of a task: what is stored of an upload, and what is refused."""

import struct
import zlib
from io import BytesIO

import pytest
from PIL import Image

from server.core import db
from server.core.errors import Conflict, InvalidFile
from server.planning import pictures
from server.tasks.picture_process import PictureFacts, describe_picture
from tests.server.drawing import draw_picture
from tests.server.world import DURING, World

WITH_PLACE = Image.Exif()
WITH_PLACE[0x0112] = 6  # the camera was turned
WITH_PLACE[0x010F] = "Wagtail cameras"


def png_chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png_of_size(width: int, height: int) -> bytes:
    """A small file whose header promises this size."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", header) + png_chunk(b"IDAT", zlib.compress(bytes(100)))


@pytest.mark.parametrize(
    ("kind", "name", "content_type"),
    [
        ("PNG", "lake-shore.png", "image/png"),
        ("JPEG", "lake-shore.jpg", "image/jpeg"),
        ("WEBP", "lake-shore.webp", "image/webp"),
    ],
)
def test_picture_is_stored_upright_and_without_metadata(
    world: World, kind: str, name: str, content_type: str
) -> None:
    data = draw_picture(kind, exif=WITH_PLACE)
    assert b"Wagtail" in data
    clean = pictures.clean_picture(world.storage, "photos/Lake Shore.PnG", data)
    stored = world.storage.get(clean.sha256)
    assert (clean.name, clean.facts) == (name, PictureFacts(content_type, 4, 6, is_clean=True))
    assert b"Wagtail" not in stored
    assert describe_picture(stored) == clean.facts
    assert not describe_picture(data).is_clean
    red, green, blue = Image.open(BytesIO(stored)).convert("RGB").getpixel((2, 3))
    assert max(red, abs(green - 128), abs(blue - 128)) < 5


def test_picture_with_damaged_metadata_is_stored_without_it(world: World) -> None:
    data = draw_picture("JPEG", exif=b"Exif\0\0no such format, from a Wagtail camera")
    clean = pictures.clean_picture(world.storage, "***.jpeg", data)
    assert (clean.name, clean.facts) == ("picture.jpg", PictureFacts("image/jpeg", 6, 4, is_clean=True))
    assert b"Wagtail" not in world.storage.get(clean.sha256)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'<svg xmlns="http://www.w3.org/2000/svg"/>', "cannot be read as a PNG, JPEG or WebP picture"),
        (draw_picture("GIF"), "cannot be read as a PNG, JPEG or WebP picture"),
        (draw_picture("PNG", 900, 900)[:-200], "cannot be read as a PNG, JPEG or WebP picture"),
        (png_of_size(4000, 4000), "cannot be read as a PNG, JPEG or WebP picture"),
        (draw_picture("PNG", 4001, 1), "more than 4000 pixels wide or high"),
        (png_of_size(12_000, 12_000), "more than 4000 pixels wide or high"),
        (png_of_size(60_000, 60_000), "more than 4000 pixels wide or high"),
        (draw_picture() + bytes(pictures.SIZE_LIMIT), "at most 2 MB"),
    ],
    ids=["SVG", "GIF", "cut off", "no pixels", "wide", "bomb", "huge bomb", "large file"],
)
def test_what_is_no_picture_or_too_large_is_refused(world: World, data: bytes, message: str) -> None:
    with pytest.raises(InvalidFile, match=message):
        pictures.clean_picture(world.storage, "lake.png", data)


def test_upload_with_the_same_name_replaces_the_picture_and_stays_the_logo(world: World) -> None:
    world.add_picture()
    with db.writing(world.session):
        pictures.choose_logo(world.session, world.actor("ada"), world.task, "lake.png", DURING)
    assert world.task.logo == "lake.png"
    world.add_picture(width=8)
    (picture,) = pictures.list_pictures(world.session, world.task)
    assert (picture.name, picture.width, picture.is_logo) == ("lake.png", 8, True)
    with db.writing(world.session):
        pictures.delete_picture(world.session, world.actor("ada"), world.task, "lake.png", DURING)
    assert world.task.logo is None


def test_task_has_a_limited_number_of_pictures(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "MAX_PICTURES", 1)
    world.add_picture()
    with pytest.raises(Conflict, match="at most 1 pictures"):
        world.add_picture("bay.png")
