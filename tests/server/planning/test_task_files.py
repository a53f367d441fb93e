"""Pictures and starter kit of a task: what is stored of an upload, and what is refused."""

import struct
import zlib
from functools import partial
from io import BytesIO

import pytest
from PIL import Image

from server.access import tasks
from server.core import db
from server.core.errors import Conflict, InvalidFile
from server.core.zips import write_members
from server.corrections import publishing, service as gold
from server.planning import task_files
from server.tasks import kit_files
from server.tasks.picture_process import PictureFacts, describe_picture
from tests.server.drawing import draw_picture
from tests.server.small_task import GOLD
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
    clean = task_files.clean_file(world.storage, "photos/Lake Shore.PnG", data)
    stored = world.storage.get(clean.sha256)
    assert clean == task_files.CleanFile(name, clean.sha256, content_type, (4, 6))
    assert b"Wagtail" not in stored
    assert describe_picture(stored) == PictureFacts(content_type, 4, 6, is_clean=True)
    assert not describe_picture(data).is_clean
    red, green, blue = Image.open(BytesIO(stored)).convert("RGB").getpixel((2, 3))
    assert max(red, abs(green - 128), abs(blue - 128)) < 5


def test_picture_with_damaged_metadata_is_stored_without_it(world: World) -> None:
    data = draw_picture("JPEG", exif=b"Exif\0\0no such format, from a Wagtail camera")
    clean = task_files.clean_file(world.storage, "***.jpeg", data)
    assert clean == task_files.CleanFile("picture.jpg", clean.sha256, "image/jpeg", (6, 4))
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
        (draw_picture() + bytes(task_files.SIZE_LIMIT), "at most 2 MB"),
    ],
    ids=["SVG", "GIF", "cut off", "no pixels", "wide", "bomb", "huge bomb", "large file"],
)
def test_what_is_no_picture_or_too_large_is_refused(world: World, data: bytes, message: str) -> None:
    with pytest.raises(InvalidFile, match=message):
        task_files.clean_file(world.storage, "lake.png", data)


def test_upload_with_the_same_name_replaces_the_picture_and_stays_the_logo(world: World) -> None:
    world.add_picture()
    with db.writing(world.session):
        task_files.choose_logo(world.session, world.actor("ada"), world.task, "lake.png", DURING)
    assert world.task.logo == "lake.png"
    world.add_picture(width=8)
    (picture,) = task_files.list_pictures(world.session, world.task)
    assert (picture.name, picture.width, picture.is_logo) == ("lake.png", 8, True)
    with db.writing(world.session):
        task_files.delete_file(world.session, world.actor("ada"), world.task, "lake.png", DURING)
    assert world.task.logo is None


def test_task_has_a_limited_number_of_pictures(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_files, "MAX_PICTURES", 1)
    world.add_picture()
    with pytest.raises(Conflict, match="at most 1 pictures"):
        world.add_picture("bay.png")


def zip_of(**files: bytes) -> bytes:
    target = BytesIO()
    write_members(target, [(name.replace("_", "."), data) for name, data in files.items()])
    return target.getvalue()


GOLD_LINES = "".join(f"{label}\n" for label in GOLD["p2s"]).encode()
TABLE = b"id\tnote\tscore\n" + b"".join(
    f"News-{number}\tat 7, I think\t{label}\n".encode() for number, label in enumerate(GOLD["p2s"], start=1)
)


@pytest.mark.parametrize(
    ("filename", "data", "name", "content_type"),
    [
        ("kit/Check format.py", b"print('\xc3\xa5')\n", "Check-format.py", "text/plain"),
        ("..\\.hidden", b"\xef\xbb\xbfa\tb\n", "hidden", "text/plain"),
        ("kit.zip", zip_of(read_me=b"Begin here.", check_py=b""), "kit.zip", "application/zip"),
    ],
)
def test_file_of_the_starter_kit_is_stored_as_it_is(
    world: World, filename: str, data: bytes, name: str, content_type: str
) -> None:
    clean = task_files.clean_file(world.storage, filename, data)
    assert clean == task_files.CleanFile(name, clean.sha256, content_type)
    assert world.storage.get(clean.sha256) == data


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\xff\xfea\x00", "neither a picture, nor text in UTF-8, nor a zip"),
        (b"MZ\x00\x01", "neither a picture, nor text in UTF-8, nor a zip"),
        (b"PK\x03\x04broken", "zip file is truncated or damaged"),
        (zip_of(a_txt=b"fine", model_bin=b"\x00\x01"), "model.bin in the zip is not text"),
        (zip_of(inner_zip=zip_of(gold_txt=GOLD_LINES)), "inner.zip in the zip is not text"),
        (zip_of(a_txt=b"0" * (kit_files.MAX_UNPACKED + 1)), "has 1 problem|unpacks to more than"),
        (b"a" * (task_files.SIZE_LIMIT + 1), "at most 2 MB"),
    ],
)
def test_kit_file_that_cannot_be_looked_into_is_refused(world: World, data: bytes, message: str) -> None:
    with pytest.raises(InvalidFile, match=message):
        task_files.clean_file(world.storage, "kit.bin", data)


@pytest.mark.parametrize(
    "data",
    [
        GOLD_LINES,
        b"# the test labels\n" + GOLD_LINES.replace(b"\n", b"\r\n"),
        TABLE,
        b"gold = [" + ", ".join(GOLD["p2s"]).encode() + b"]\n",
        zip_of(readme_md=b"Have fun.", gold_tsv=TABLE),
    ],
    ids=["equal", "with a comment", "table", "list", "zip"],
)
def test_kit_file_with_hidden_gold_is_refused(world: World, data: bytes) -> None:
    with pytest.raises(
        Conflict, match=r"check.py contains hidden gold labels of Paragraph to sentence \(Test\)"
    ):
        world.add_kit_file(data=data)
    assert task_files.list_files(world.session, world.task) == []


def test_kit_file_may_have_public_gold_and_other_labels(world: World) -> None:
    world.add_kit_file("trial.gold", b"0\n2\n3\n4\n")
    world.add_kit_file("example.tsv", b"3.875\n2.625\n1.375\n0.125\n")
    assert [file.name for file in task_files.list_kit(world.session, world.task)] == [
        "example.tsv",
        "trial.gold",
    ]


def test_later_gold_that_the_kit_contains_is_refused(world: World) -> None:
    world.add_kit_file("example.tsv", b"item\tscore\na\t3.5\nb\t0.5\nc\t2\nd\t1\n")
    for add_gold in (world.bring_gold, partial(add_gold_unprepared, world)):
        with pytest.raises(Conflict, match=r"example.tsv contains hidden gold labels of Sentence to phrase"):
            add_gold("s2p", b"3.5\n0.5\n2\n1\n")
    assert world.bring_gold("s2p", b"3.5\n0.5\n2\n1.5\n").number == 2


def add_gold_unprepared(world: World, level: str, data: bytes) -> None:
    """Add gold that was prepared before the kit had its labels."""
    split = tasks.get_level_split(world.task, level, "test")[1]
    with db.writing(world.session):
        prepared = gold.PreparedGold(split.id, data, "mistyped")
        gold.add_gold(world.session, world.actor("ada"), prepared, DURING)


def test_labels_of_a_discarded_gold_version_stay_hidden(world: World) -> None:
    version = world.bring_gold("s2p", b"3.5\n0.5\n2\n1\n")
    with db.writing(world.session):
        publishing.drop_version(world.session, world.actor("ada"), version, "a mistake", DURING)
    with pytest.raises(Conflict, match="contains hidden gold labels"):
        world.add_kit_file(data=b"3.5\n0.5\n2\n1\n")


def test_starter_kit_has_a_limited_number_of_files(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_files, "MAX_KIT_FILES", 1)
    world.add_picture()
    world.add_kit_file()
    world.add_kit_file(data=b"print('better')\n")
    with pytest.raises(Conflict, match="at most 1 files"):
        world.add_kit_file("other.py")
