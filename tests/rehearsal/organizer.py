"""The organizer after the deadline: releases, corrected gold, intervals, a withdrawal, published gold."""

import hashlib
import json
import re

from tests.rehearsal.browser import Answer
from tests.rehearsal.invented import FIXED_LEVEL, LEVELS, lines
from tests.rehearsal.play import BOARD, ORGANIZE, TASK, Failed, Play, require

PREVIEW = f"{ORGANIZE}/boards/evaluation"
INFERRED = 600.0
"""Seconds that a job has for the intervals and tests of a board."""
REASON = "labels of the first level were wrong"


def keep_secret(play: Play) -> str:
    """Check that only the organizer has seen a label or a score that the phase hides."""
    for path, status in (
        (BOARD, 200),
        (f"{BOARD}.json", 404),
        (f"{BOARD}/releases/1", 404),
        (TASK + "/", 200),
    ):
        play.visitor.get(path, expect=status)
    practice, board = (
        json.loads(play.ada.get(f"{ORGANIZE}/boards/{phase}.json").body)
        for phase in ("practice", "evaluation")
    )
    known = digits_of(practice)
    require(
        len(known & play.numbers) >= len(play.teams),
        "the scores of the practice are not among what was shown",
    )
    hidden = {label.encode() for label in play.invented.labels} | digits_of(board)
    shown = hidden & play.numbers
    require(not shown, f"before the release a person was shown {sorted(shown)[:3]}")
    return f"none of {len(hidden)} hidden labels and scores among {len(play.numbers)} numbers shown"


def release_without_names(play: Play) -> str:
    """Make a first release, with pseudonyms in place of names."""
    page = play.ada.submit(PREVIEW, {"names": "anonymous"}, action="/release", expect=200)
    page = play.ada.submit(page, {"sure": "y"}, action="/release")
    require("Release 1 is now public" in page.text, "the page does not say that release 1 is public")
    public = play.visitor.get(f"{BOARD}.json").text
    names = [team.name for team in play.teams if f'"{team.name}"' in public]
    require(not names, f"the anonymous board names {names}")
    return f"{len(json.loads(public)['official'])} official rows under letters"


def fix_gold(play: Play) -> str:
    """Upload corrected gold, let the jobs process score it, and put it in force; the release is unchanged."""
    before = play.visitor.get(f"{BOARD}.json").body
    file = {"file": ("fixed.tsv", lines(play.invented.fixed))}
    page = play.ada.submit(
        f"{ORGANIZE}/gold", {"target": f"{FIXED_LEVEL}.test", "reason": "mistyped labels"}, file
    )
    page = play.ada.wait_for(page.path, _is_scored, 60)
    page = play.ada.submit(page, {}, action="/publish")
    require("is now in force" in page.text, "the fixed gold is not in force")
    require(before == play.visitor.get(f"{BOARD}.json").body, "the release changed with the gold")
    changed = sum(a != b for a, b in zip(play.invented.gold[FIXED_LEVEL], play.invented.fixed, strict=True))
    return f"{changed} of {play.invented.n} labels; the release is as it was"


def infer(play: Play) -> str:
    """The intervals, rank ranges and clusters of the release come from a job."""
    return _wait_for_inference(play, 1)


def show_names(play: Play) -> str:
    """The names of the anonymous release are shown, at the same address."""
    play.ada.submit(f"{PREVIEW}/name", {}, action="/name")
    public = play.visitor.get(f"{BOARD}/releases/1.json").text
    require(all(f'"{team.name}"' in public for team in play.teams), "a name is missing on the named board")
    return f"{len(play.teams)} names"


def withdraw(play: Play) -> str:
    """The release is withdrawn; the public reads the reason, and nothing else."""
    play.ada.submit(f"{PREVIEW}/withdraw", {"reason": REASON})
    page = play.visitor.get(f"{BOARD}/releases/1", expect=410)
    require(REASON in page.text, "the reason of the withdrawal is not shown")
    for path, status in ((f"{BOARD}/releases/1.json", 410), (f"{BOARD}.json", 410)):
        play.visitor.get(path, expect=status)
    return "its address answers 410 with the reason"


def end_grace(play: Play) -> str:
    """The organizer ends the grace period, and a file after that is rejected."""
    asked = play.ada.submit(f"{ORGANIZE}/phases/evaluation/edit", {"grace_hours": "0"}, expect=200)
    play.ada.submit(asked, {"sure": "y"})
    team = play.teams[-1]
    run_id, run = team.runs[0]
    page = team.captain.get(f"{TASK}/runs/{run_id}/{FIXED_LEVEL}/upload")
    require("is closed.</strong>" in page.text, "the page still offers an upload")
    token = re.search(r'name="csrf_token" value="([^"]+)"', page.text)
    require(token, "the page has no token")
    team.captain.post(page.path, {"csrf_token": token[1]}, {"file": ("too-late.tsv", run.other)}, expect=409)
    return "a file after it is refused with both clocks"


def release_again(play: Play) -> str:
    """The second release, with names and the corrected gold, publishes the gold."""
    play.visitor.get(f"{TASK}/data/{FIXED_LEVEL}/test/gold", expect=404)
    page = play.ada.submit(PREVIEW, {"names": "named", "opens_gold": "y"}, action="/release", expect=200)
    page = play.ada.submit(page, {"sure": "y"}, action="/release")
    require("Release 2 is now public" in page.text, "the page does not say that release 2 is public")
    for level in LEVELS:
        gold = play.visitor.get(f"{BOARD}/releases/2/gold/{level}.tsv").body
        expected = play.invented.fixed if level == FIXED_LEVEL else play.invented.gold[level]
        require(gold == lines(expected), f"the opened gold of {level} is another")
    return f"the gold of {len(LEVELS)} levels is public"


def infer_again(play: Play) -> str:
    """The same for the release that stays."""
    return _wait_for_inference(play, 2)


def digits_of(board: dict[str, object]) -> set[bytes]:
    """All digits of every value on a board, without the sign."""
    found: set[bytes] = set()

    def look(one: object) -> None:
        if isinstance(one, dict):
            if one.get("value") is not None:
                found.add(repr(abs(one["value"])).encode())
            for part in one.values():
                look(part)
        elif isinstance(one, list):
            for part in one:
                look(part)

    look(board)
    return found


def _wait_for_inference(play: Play, number: int) -> str:
    text = play.visitor.wait_for(f"{BOARD}/releases/{number}/inference.json", lambda _: True, INFERRED)
    found = json.loads(text.body)
    board = hashlib.sha256(play.visitor.get(f"{BOARD}/releases/{number}.json").body).hexdigest()
    if found.get("schema") != "assay.inference/1":
        raise Failed(f"inference.json of release {number} has the schema {found.get('schema')}")
    return f"of release {number}, {len(text.body):,} bytes, board {board[:12]}"


def _is_scored(page: Answer) -> bool:
    return "Scoring is complete" in page.text
