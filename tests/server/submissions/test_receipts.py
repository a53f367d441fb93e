"""Receipts: what the site signs, verified against the files with the participant's command."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import delete

from scorer.cli.__main__ import cli as scorer_command
from scorer.proof.signing import gold_commitment, has_valid_signature, read_signed
from server.access import tasks
from server.core import db
from server.core.actors import CONSOLE
from server.core.config import ConfigError
from server.core.identity import IDENTITY_KEY, Identity
from server.gold.models import GoldVersion
from server.phases.feedback import Feedback
from server.planning import public_items
from server.signing import service as signing_keys
from server.submissions.models import Receipt, Submission
from tests.server.small_task import GOLD, GOOD, variant
from tests.server.world import DURING, LATE, OPENS, World


def receipt_content(world: World, submission: Submission) -> dict[str, Any]:
    """What the receipt of a submission says, once its signature was found right."""
    document = read_signed(world.session.get_one(Receipt, submission.id).text.encode(), "receipt.json")
    assert document.as_written
    assert has_valid_signature(document)
    return document.content


def gold_of(world: World, submission: Submission) -> GoldVersion:
    """The gold of the submission's items."""
    of_items = {"level_id": submission.level_id, "name": submission.run.phase.split}
    return world.session.query(GoldVersion).filter(GoldVersion.split.has(**of_items)).one()


def verify(folder: Path, world: World, submission: Submission, *options: str) -> tuple[int, str]:
    """`scorer verify` with the receipt, the file and the site's keys: the exit code, and what was printed."""
    (folder / "receipt.json").write_text(world.session.get_one(Receipt, submission.id).text, "utf-8")
    (folder / "keys.json").write_text(signing_keys.published_keys_text(world.session), "utf-8")
    (folder / "run.tsv").write_bytes(world.storage.get(submission.sha256))
    given = ["--run", str(folder / "run.tsv"), "--key", str(folder / "keys.json"), *options]
    result = CliRunner().invoke(scorer_command, ["verify", str(folder / "receipt.json"), *given])
    return result.exit_code, result.output


def test_receipt_describes_the_accepted_file_and_commits_to_the_gold(world: World) -> None:
    first = world.upload(world.run(), "p2s")
    second = world.upload(world.run(), "p2s", variant(1), DURING + timedelta(minutes=1))
    late = world.upload(world.run(), "p2s", variant(2), LATE)
    gold = gold_of(world, first)
    one, two, three = (receipt_content(world, submission) for submission in (first, second, late))
    assert {key: one[key] for key in ("site", "task", "phase", "split", "level")} == {
        "site": "https://assay.test",
        "task": "small",
        "phase": "evaluation",
        "split": "test",
        "level": "p2s",
    }
    assert one["team"]["name"] == "birch"
    assert (one["file"], one["scores"]) == ({"sha256": first.sha256, "bytes": len(GOOD)}, None)
    assert one["gold"]["commitment"] == gold_commitment(
        bytes.fromhex(gold.salt), world.storage.get(gold.sha256)
    )
    assert [(each["late"], each["counts"], each["replaces"]) for each in (one, two, three)] == [
        (False, True, None),
        (False, True, first.id),
        (True, True, None),
    ]
    assert one["audit"]["number"] < two["audit"]["number"] < three["audit"]["number"]
    assert not {name for text in map(str, (one, two, three)) for name in ("run.tsv", "user:") if name in text}


def test_command_verifies_file_and_key_and_after_publication_gold_and_score(
    world: World, tmp_path: Path
) -> None:
    submission = world.upload(world.run(), "p2s")
    status, output = verify(tmp_path, world, submission)
    assert (status, "fails" in output) == (0, False), output

    gold = gold_of(world, submission)
    (tmp_path / "gold.tsv").write_text("\n".join([*GOLD["p2s"], ""]), encoding="utf-8")
    opened = ("--gold", str(tmp_path / "gold.tsv"), "--salt", gold.salt)
    status, output = verify(tmp_path, world, submission, *opened)
    assert (status, "pearson 0.98" in output) == (0, True), output
    status, output = verify(tmp_path, world, submission, *opened[:3], "00" * 32)
    assert status == 1, output


def test_receipt_includes_scores_if_the_phase_shows_them(world: World, tmp_path: Path) -> None:
    submission = world.upload(world.run(phase="practice"), "p2s")
    scores = receipt_content(world, submission)["scores"]
    assert [(score["metric"], score["undefined"]) for score in scores] == [
        ("pearson", None),
        ("spearman", None),
    ]
    gold = gold_of(world, submission)
    (tmp_path / "gold.tsv").write_bytes(world.storage.get(gold.sha256))
    page = world.client("bo").get(f"/tasks/small/submissions/{submission.id}").text
    assert f"--gold GOLD_FILE</span> --salt {gold.salt}" in page
    status, output = verify(
        tmp_path, world, submission, "--gold", str(tmp_path / "gold.tsv"), "--salt", gold.salt
    )
    assert (status, scores[0]["value"] in output) == (0, True), output


@pytest.mark.one_database
@pytest.mark.parametrize(
    ("kind", "rules", "data", "proved", "words"),
    [
        ("scores", {}, GOOD, 2, "pearson 0.98"),
        ("scores", {}, b"1\n" * 4, 2, "pearson undefined (the run has the same score for every item"),
        ("rounded", {"feedback_places": 2}, GOOD, 2, "pearson 0.98, as in the receipt"),
        (
            "ladder",
            {"ladder_step": 0.1},
            GOOD,
            0,
            "pearson 1.0 cannot be checked, because a value by the Ladder",
        ),
        ("public-part", {}, GOOD, 2, "pearson 1.0, as in the receipt"),
    ],
)
def test_receipt_scores_can_be_recomputed_for_every_kind_of_feedback(
    world: World, tmp_path: Path, kind: Feedback, rules: dict[str, Any], data: bytes, proved: int, words: str
) -> None:
    phase, beside = world.phase(), list[str]()
    if kind == "public-part":
        with db.writing(world.session):
            ada = world.actor("ada")
            public_items.declare_public_items(world.session, ada, phase, 50, "7", OPENS)
    with db.writing(world.session):
        phase.feedback = kind
        for name, value in rules.items():
            setattr(phase, name, value)
    submission = world.upload(world.run(), "p2s", data)
    split = tasks.find_split(submission.level, "test")
    gold = gold_of(world, submission)
    assert split is not None
    files = {"gold": gold.sha256, "items": split.items_sha256, "public-items": split.public_items_sha256}
    for option, sha256 in files.items():
        if sha256 is not None:
            (tmp_path / option).write_bytes(world.storage.get(sha256))
            beside += [f"--{option}", str(tmp_path / option)]
    status, output = verify(tmp_path, world, submission, *beside, "--salt", gold.salt)
    assert (status, output.count("proved: Scorer ")) == (0, proved), output
    assert words in output


def test_rotation_keeps_old_receipts_valid_and_new_ones_have_the_new_key(
    world: World, tmp_path: Path
) -> None:
    old = world.upload(world.run(), "p2s")
    with db.writing(world.session):
        signing_keys.rotate_key(world.session, CONSOLE, DURING + timedelta(days=1))
    new = world.upload(world.run(), "p2s", variant(1), DURING + timedelta(days=2))
    signed = [json.loads(world.session.get_one(Receipt, one.id).text)["key"] for one in (old, new)]
    assert signed == [key.public for key in signing_keys.list_keys(world.session)]
    assert [verify(tmp_path, world, one)[0] for one in (old, new)] == [0, 0]


def test_receipt_commits_to_the_gold_version_in_force(world: World) -> None:
    receipts = [world.upload(world.run(), "p2s").id]
    fixed = world.fix_gold("p2s", b"4\n3\n1.5\n0\n")
    receipts.append(world.upload(world.run(), "p2s", variant(1)).id)
    first, second = (
        json.loads(world.session.get_one(Receipt, number).text)["signed"]["gold"] for number in receipts
    )
    assert second["commitment"] == gold_commitment(bytes.fromhex(fixed.salt), b"4\n3\n1.5\n0\n")
    assert first["commitment"] != second["commitment"]


def test_changed_site_secret_cannot_sign_until_a_new_key_is_created(world: World) -> None:
    world.upload(world.run(), "p2s")
    world.session.info[IDENTITY_KEY] = Identity("https://assay.test", "another secret of 32 characters.")
    with pytest.raises(ConfigError, match="assay key rotate"):
        signing_keys.require_usable_key(world.session)
    with pytest.raises(ConfigError, match="another ASSAY_SECRET_KEY"):
        world.upload(world.run(), "p2s", variant(1))
    assert world.session.query(Submission).filter_by(run_id=world.run().id).count() == 1
    with db.writing(world.session):
        signing_keys.rotate_key(world.session, CONSOLE, DURING + timedelta(days=1))
    world.upload(world.run(), "p2s", variant(1), DURING + timedelta(days=1))


def test_receipt_and_public_keys_can_be_downloaded(world: World) -> None:
    submission_id = world.upload(world.run(), "p2s").id
    bo, address = world.client("bo"), f"/tasks/small/submissions/{submission_id}"
    page = bo.get(address).text
    assert f'href="{address}/receipt.json"' in page
    assert "--salt" not in page
    answer = bo.get(f"{address}/receipt.json")
    assert answer.text == world.session.get_one(Receipt, submission_id).text
    assert answer.headers["Content-Disposition"] == f'attachment; filename="receipt-{submission_id}.json"'
    public = world.client().get("/keys.json")
    assert json.loads(public.text)["keys"][0]["key"] == json.loads(answer.text)["key"]
    assert json.loads(answer.text)["key"] in world.client().get("/keys").text

    with db.writing(world.session):
        world.session.execute(delete(Receipt))
    assert "receipt" not in bo.get(address).text.lower()
    assert bo.get(f"{address}/receipt.json").status_code == 404
