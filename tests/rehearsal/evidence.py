"""The evidence of the release, from both sites: verified and recomputed offline, with the open gold."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.rehearsal.browser import Browser
from tests.rehearsal.moves import INFERENCE, RELEASE, unzipped
from tests.rehearsal.play import Play, require
from tests.rehearsal.proofs import beside, receipt_of, verify
from tests.rehearsal.site import run

OF_THE_SITE = {"evidence.json", "keys.json", "README.md"}
"""What each site signs or says for itself."""


def take(play: Play) -> str:
    """A visitor takes the evidence, which has the statement that the site shows."""
    path, folder = _taken(play, play.visitor, "evidence")
    statement = play.visitor.get(f"{RELEASE}/release.json").body
    require(statement == (folder / "release.json").read_bytes(), "the evidence has another statement")
    files = [one for one in folder.rglob("*") if one.is_file()]
    return f"{len(files)} files, {path.stat().st_size:,} bytes"


def compute_offline(play: Play) -> str:
    """Two readers recompute board, intervals and tests: one from the export, one from the evidence."""
    with ThreadPoolExecutor(2) as readers:
        return "; ".join(readers.map(lambda read: read(play), (_from_export, _from_evidence)))


def _from_export(play: Play) -> str:
    (folder,) = (path.parent for path in (play.folder / "export").glob("**/task.toml"))
    words = ("board", folder, "--phase", "evaluation", "--format", "json", "--significance")
    board = json.loads(run("scorer.cli", *words))
    inferred = json.dumps(board.pop("inference"), ensure_ascii=False) + "\n"
    text = json.dumps(board, ensure_ascii=False, indent=1) + "\n"
    require(text.encode() == play.visitor.get(f"{RELEASE}.json").body, "the export gives another board")
    require(
        inferred.encode() == play.visitor.get(INFERENCE).body, "the export gives other intervals or tests"
    )
    return "the export gives both, the same bytes"


def _from_evidence(play: Play) -> str:
    path = play.folder / "evidence.zip"
    board = run("scorer.cli", "board", path, "--format", "json").encode()
    require(board == play.visitor.get(f"{RELEASE}.json").body, "the evidence gives another board")
    said = run("scorer.cli", "verify", path, "--key", play.folder / "keys.json")
    require("Nothing failed" in said, f"scorer verify says of the evidence:\n{said}")
    return f"so does the evidence. {said.strip().splitlines()[-1]}"


def take_there(play: Play) -> str:
    """The evidence of the second site verifies too, and has the same files but for what a site signs."""
    path, there = _taken(play, Browser(play.second.address), "evidence-there")
    said = run("scorer.cli", "verify", path, "--no-inference")
    here = play.folder / "evidence"
    names = {one.relative_to(there).as_posix() for one in there.rglob("*") if one.is_file()}
    others = {one.relative_to(here).as_posix() for one in here.rglob("*") if one.is_file()}
    require(names == others, f"only one site's evidence has {sorted(names ^ others)[:5]}")
    for name in names - OF_THE_SITE:
        same = (here / name).read_bytes() == (there / name).read_bytes()
        require(same, f"{name} differs between the evidence of the two sites")
    return f"{len(names - OF_THE_SITE)} files are the same bytes; {said.strip().splitlines()[-1]}"


def verify_with_gold(play: Play) -> str:
    """Each receipt of the evaluation once more, with the gold that the site had bound itself to."""
    folder = play.folder / "evidence"
    salts = json.loads((folder / "salts.json").read_bytes())["salts"]
    opened = {(one["level"], one["version"]): (folder / one["file"], one["salt"]) for one in salts}
    versions, verified = set(), 0
    for one in play.files:
        content = json.loads(receipt_of(play, one).read_bytes())["signed"]
        key = (content["level"], content["gold"]["version"])
        if one.phase == "evaluation":
            require(key in opened, f"the evidence has no salt of gold version {key[1]} of {key[0]}")
            gold, salt = opened[key]
            verify(receipt_of(play, one), *beside(play, one), "--gold", gold, "--salt", salt)
            versions.add(key)
            verified += 1
    return f"{verified} receipts against {len(versions)} gold versions"


def _taken(play: Play, browser: Browser, name: str) -> tuple[Path, Path]:
    """The zip of a site, and the folder with what is in it."""
    path = play.folder / f"{name}.zip"
    path.write_bytes(browser.get(f"{RELEASE}/evidence.zip").body)
    folder = unzipped(path.read_bytes(), play.folder / f"{name}-unpacked")
    folder.rename(play.folder / name)
    return path, play.folder / name
