"""What teams hold in their hands: a receipt of every accepted file, and what it proves offline."""

import hashlib
import json
import time
from collections.abc import Iterable
from pathlib import Path

from click.testing import CliRunner

from scorer.cli.__main__ import cli as scorer
from tests.rehearsal.play import TASK, Failed, Filed, Play, Team, require
from tests.rehearsal.site import run

SPLITS = {"practice": "trial", "evaluation": "test"}
PATIENCE = 120.0
"""Seconds within which the email about a file has to arrive."""


def rotate(play: Play) -> str:
    """The site signs with another key from now on."""
    play.first.command("key", "rotate")
    keys = json.loads(play.visitor.get("/keys.json").body)["keys"]
    require(len(keys) == 2, f"the site has {len(keys)} keys after a rotation")
    require(keys[0]["until"] == keys[1]["from"], "the first key is not in use until the second one is")
    return "the second key signs, both are published"


def collect(play: Play) -> str:
    """Each team downloads the receipt of every file that was accepted."""
    (play.folder / "receipts").mkdir()
    (play.folder / "keys.json").write_bytes(play.visitor.get("/keys.json").body)

    def fetch(team: Team) -> None:
        for one in play.files:
            if one.team is team:
                text = team.member.get(f"{TASK}/submissions/{one.submission}/receipt.json").body
                receipt_of(play, one).write_bytes(text)

    play.together(fetch)
    return f"{len(play.files)} by download"


def compare_mailed(play: Play) -> str:
    """Compare the receipts in one team's emails with those of the site: the bytes are the same."""
    own = [one for one in play.files if one.team is play.teams[0]]
    for one in own:
        mailed = _attached(play, receipt_of(play, one).name)
        require(
            mailed == receipt_of(play, one).read_bytes(), f"the mail has another receipt {one.submission}"
        )
    mails = [mail for mail in play.sink.mails if any(mail.iter_attachments())]
    accepted = sum(len(list(mail.iter_attachments())) for mail in mails)
    require(len(mails) < accepted, f"{accepted} files were confirmed by {len(mails)} mails")
    return f"{len(own)} receipts as they were downloaded"


def verify_receipts(play: Play) -> str:
    """Each receipt with its file, its items and the site's keys; with another's file it fails."""
    numbers = set()
    for one in play.files:
        found = verify(receipt_of(play, one), *beside(play, one))
        content = json.loads(receipt_of(play, one).read_bytes())["signed"]
        sent = (content["file"]["sha256"], content["team"]["name"], content["run"]["name"], content["late"])
        file = hashlib.sha256(one.data).hexdigest()
        require(sent == (file, one.team.name, one.run, one.late), f"receipt {one.submission} says {sent}")
        require(found["proved"], f"receipt {one.submission} proves nothing")
        require((content["scores"] is None) == (one.phase == "evaluation"), "scores are shown, or are not")
        numbers.add(content["audit"]["number"])
    require(len(numbers) == len(play.files), "two receipts name the same entry of the log")
    first, other = play.files[0], next(one for one in play.files if one.data != play.files[0].data)
    verify(receipt_of(play, first), *beside(play, first, other.data), expect=1)
    said = run("scorer.cli", "verify", receipt_of(play, first), *beside(play, first))
    require("Nothing failed" in said, f"scorer verify says {said}")
    return f"{len(play.files)} verified with file, items and keys; another's file is rejected"


def receipt_of(play: Play, filed: Filed) -> Path:
    """Where the receipt of a file lies."""
    return play.folder / "receipts" / f"receipt-{filed.submission}.json"


def verify(*words: str | Path, expect: int = 0) -> dict:
    """What `scorer verify` says of a document, as plain values."""
    ended = CliRunner().invoke(scorer, ["verify", *map(str, words), "--format", "json"])
    if ended.exit_code != expect:
        raise Failed(
            f"scorer verify {' '.join(map(str, words))}: exit {ended.exit_code}\n{ended.output[-3000:]}"
        )
    return json.loads(ended.stdout)


def beside(play: Play, filed: Filed, data: bytes | None = None) -> Iterable[str | Path]:
    """What is passed together with a receipt: the file, the items, the keys."""
    path = play.folder / "run.tsv"
    path.write_bytes(filed.data if data is None else data)
    items = play.folder / "bundle" / "items" / f"{filed.level}.{SPLITS[filed.phase]}.tsv"
    return ("--run", path, "--items", items, "--key", play.folder / "keys.json")


def _attached(play: Play, name: str) -> bytes:
    """The attachment with this name in the emails that arrived."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        for mail in list(play.sink.mails):
            for part in mail.iter_attachments():
                if part.get_filename() == name:
                    return part.get_payload(decode=True)
        time.sleep(0.2)
    raise Failed(f"no mail brought {name} within {PATIENCE:.0f} s")
