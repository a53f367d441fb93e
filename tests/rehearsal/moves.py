"""The task moves over HTTP to a site on the other database, which shows and computes the same bytes."""

import zipfile
from io import BytesIO
from pathlib import Path

from tests.rehearsal.people import publish, sign_up
from tests.rehearsal.play import BOARD, ORGANIZE, Play, require

RELEASE = f"{BOARD}/releases/2"
INFERENCE = f"{RELEASE}/inference.json"
PUBLIC = tuple(f"{RELEASE}.{ending}" for ending in ("json", "tsv", "csv", "md", "tex", "txt"))
PUBLIC += (f"{BOARD}.json", INFERENCE, f"{RELEASE}/pairs.tsv")
OWN = (f"{ORGANIZE}/boards/evaluation.json", f"{ORGANIZE}/boards/practice.json")


def zipped(folder: Path) -> bytes:
    """A folder as a zip."""
    file = BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            archive.write(path, path.relative_to(folder.parent))
    return file.getvalue()


def unzipped(data: bytes, folder: Path) -> Path:
    """A zip's one folder, unpacked."""
    with zipfile.ZipFile(BytesIO(data)) as archive:
        archive.extractall(folder)
    inside = list(folder.iterdir())
    return inside[0] if len(inside) == 1 and inside[0].is_dir() else folder


def export(play: Play) -> str:
    """The organizer takes the whole task along, over HTTP."""
    answer = play.ada.submit(f"{ORGANIZE}/", {"people": "names"}, action="/export", expect=200)
    unzipped(answer.body, play.folder / "export")
    (play.folder / "export.zip").write_bytes(answer.body)
    return f"{len(answer.body):,} bytes"


def bring(play: Play) -> str:
    """A second site, on the other database, hosts it by the form."""
    play.second.start()
    sign_up(play, play.ada_there, "ada@example.org", "Ada")
    data = (play.folder / "export.zip").read_bytes()
    page = play.ada_there.submit("/import", {}, {"file": ("rehearsal.zip", data)})
    require(
        "The task was imported as a draft" in page.text,
        "the second site does not say that the task was imported",
    )
    publish(play.ada_there, page.path)
    return f"{play.second.kind} at {play.second.address}"


def compare_sites(play: Play) -> str:
    """Compare what both sites show of the release and recompute from the files, byte for byte."""
    for path in (*PUBLIC, *OWN):
        here, there = play.ada.get(path).body, play.ada_there.get(path).body
        require(here == there, f"{path} differs between the sites")
    board, own = play.ada_there.get(f"{RELEASE}.json").body, play.ada_there.get(OWN[0]).body
    require(board == own, "the second site computes another board from the files than was released")
    return f"{len(PUBLIC) + len(OWN)} files are the same bytes on {play.first.kind} and {play.second.kind}"
