"""Checks of a history's releases: boards, rules, inferences, seals, published files and pseudonyms."""

import re
from collections.abc import Iterator

from scorer.boards.serialization import is_board
from scorer.errors import ProofError
from scorer.metrics import METRICS
from scorer.proof.signing import has_valid_signature, read_signed
from scorer.proof.statements import read_statement
from scorer.typed_json import Fault
from server.boards.inference_json import read_inference
from server.bundles.task_history.checks import check_name
from server.bundles.task_history.history import HISTORY_FILE, Row, TaskHistory
from server.core.storage import text_sha256
from server.releases.rules import NOTE_MAX_LENGTH, named_gold_versions
from server.releases.seals import format_rules

_PATH = re.compile(r"(?:[A-Za-z0-9_-][A-Za-z0-9_.-]*/){2}[A-Za-z0-9_-][A-Za-z0-9_.-]*")


def check_releases(history: TaskHistory) -> Iterator[Fault]:
    """Check that releases have boards and rules that can be shown, and were signed."""
    named = {row["release"] for row in history.rows["release_namings"]}
    sealed = {(row["release"], row["board_sha256"]) for row in history.rows["release_seals"]}
    for number, (place, release) in enumerate(history.places("releases"), start=1):
        if not 0 < len(release.get("note", "-")) <= NOTE_MAX_LENGTH:
            yield f"{place}.note", f"must have 1 to {NOTE_MAX_LENGTH} characters"
        boards = {name: release[name] for name in ("sha256", "named_sha256") if name in release}
        for name, sha256 in boards.items():
            if not is_board(history.data(sha256)):
                yield f"{place}.{name}", "is not a board as `scorer board --format json` prints it"
            if (number, sha256) not in sealed and (name == "sha256" or number in named):
                yield f"{place}.{name}", "has no signed statement"
        for k, level in enumerate(release["rules"]["levels"]):
            unknown = sorted(set(level["metrics"]) - set(METRICS)) if level["metrics"] else ["nothing"]
            if unknown:
                yield f"{place}.rules.levels[{k}].metrics", f"{', '.join(unknown)} is no metric"
        yield from _check_files(history, f"{place}.files", release.get("files", []))


def _check_files(history: TaskHistory, place: str, files: list[Row]) -> Iterator[Fault]:
    """Check that a release publishes files of runs only, and nothing else from the store."""
    for paths in (
        [file["path"] for file in files],
        [file["named"]["path"] for file in files if file.get("named")],
    ):
        for k, path in enumerate(paths):
            if path in paths[:k]:
                yield f"{place}[{k}]", "occurs twice"
            if not _PATH.fullmatch(path):
                yield f"{place}[{k}].path", "must be TEAM/RUN/FILE in plain characters"
    submissions = dict(enumerate(history.rows["submissions"], start=1))
    for k, file in enumerate(files):
        submission = submissions.get(file["submission"], {})
        if (submission.get("sha256"), submission.get("level")) != (file["sha256"], file["level"]):
            yield f"{place}[{k}].submission", "is not the submission with this file"


def check_release_withdrawals(history: TaskHistory) -> Iterator[Fault]:
    """Check that releases were made before they were withdrawn."""
    for place, row in history.places("release_withdrawals"):
        if row["made_at"] < history.row("releases", row["release"])["made_at"]:
            yield f"{place}.made_at", "is before the release"


def check_release_namings(history: TaskHistory) -> Iterator[Fault]:
    """Check that names were revealed after an anonymous release."""
    for place, row in history.places("release_namings"):
        release = history.row("releases", row["release"])
        if "named_sha256" not in release:
            yield f"{place}.release", "has no board with names"
        if row["made_at"] < release["made_at"]:
            yield f"{place}.made_at", "is before the release"


def check_inferences(history: TaskHistory) -> Iterator[Fault]:
    """Check that each inference belongs to one of the two boards of its release, and can be shown."""
    for place, row in history.places("inferences"):
        release = history.row("releases", row["release"])
        if row["board_sha256"] not in (release["sha256"], release.get("named_sha256")):
            yield f"{place}.board_sha256", "is not that of a board of this release"
        if "sha256" not in row or "made_at" not in row:
            yield place, "is not computed"
            continue
        try:
            read_inference(history.text(row["sha256"]))
        except ValueError as error:
            yield f"{place}.sha256", f"is not an inference: {error}"


def check_seals(history: TaskHistory) -> Iterator[Fault]:
    """Check that each seal is signed, of a board of its release."""
    for place, row in history.places("release_seals"):
        try:
            difference = _find_difference(history, row)
        except ProofError as error:
            yield f"{place}.text", f"is not a statement of a release: {error.problems[0].message}"
            continue
        if difference is not None:
            yield f"{place}.text", f"is not what was signed of this release: {difference}"


def _find_difference(history: TaskHistory, row: Row) -> str | None:
    """Return in what a seal differs from its release; None: in nothing."""
    signed = read_signed(history.data(row["text"]), history.path(row["text"]))
    statement, release = read_statement(signed, HISTORY_FILE), history.row("releases", row["release"])
    split = next(phase.split for phase in history.bundle.phases if phase.slug == release["phase"])
    namings = [
        each["made_at"] for each in history.rows["release_namings"] if each["release"] == row["release"]
    ]
    times = {release.get("named_sha256"): next(iter(namings), None), release["sha256"]: release["made_at"]}
    gold = {level: version for level, (version, _) in statement.gold.items()}
    differences = {
        "its signature is not of this content: it was changed": not has_valid_signature(signed),
        "it is of another task, phase or release": (
            (statement.task, statement.phase, statement.split, statement.number)
            != (history.bundle.task.slug, release["phase"], split, release["number"])
        ),
        "it is of another board": statement.board != row["board_sha256"] or statement.board not in times,
        "it is of other rules": statement.rules != text_sha256(format_rules(release["rules"])),
        "it is of another time": not statement.made == row["made_at"] == times.get(row["board_sha256"]),
        "it is of other gold": gold != named_gold_versions(release["rules"]),
    }
    return next((difference for difference, is_real in differences.items() if is_real), None)


def check_pseudonyms(history: TaskHistory) -> Iterator[Fault]:
    """Check that pages can show the names of teams in anonymous releases."""
    for place, row in history.places("pseudonyms"):
        yield from check_name(f"{place}.name", row["name"])
