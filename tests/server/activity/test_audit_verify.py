import hashlib
import re
from pathlib import Path
from zipfile import ZIP_BZIP2, ZipFile

import pytest
from sqlalchemy import text

from scorer.proof.signing import public_key, sign
from server.activity import verification
from server.activity.outside_documents import read_documents
from server.activity.verify_documents import UnverifiedDocument
from server.audit import service as audit
from server.audit.models import AuditEntry
from server.core import db
from server.releases.models import Release, ReleaseSeal
from server.signing.models import SigningKey
from server.submissions.models import Receipt, Submission
from tests.bench.audit_flips import flips
from tests.server.audit.test_audit_chain import entries, story
from tests.server.commands import Assay
from tests.server.evidence import test_evidence
from tests.server.world import World


def verify(world: World, *outside: UnverifiedDocument) -> verification.Verification:
    world.session.rollback()
    world.session.expire_all()
    with db.reading(world.session):
        return verification.verify_log(world.session, outside)


def found(world: World, *outside: UnverifiedDocument) -> list[str]:
    return verify(world, *outside).problems.listed


def alter(world: World, *statements: str, **values: object) -> None:
    """Act as an attacker who can write to the database."""
    with db.writing(world.session):
        for statement in statements:
            world.session.execute(text(statement), values)


def rewrite(world: World, number: int, action: str) -> None:
    """Change an entry and recompute every hash from there on, as a skilled attacker would."""
    with db.writing(world.session):
        rows = world.session.query(AuditEntry).where(AuditEntry.number >= number).order_by(AuditEntry.number)
        before = None
        for entry in rows.all():
            entry.action = action if before is None else entry.action
            entry.previous = entry.previous if before is None else before
            before = entry.sha256 = audit.entry_hash(entry)


@pytest.mark.both_databases
def test_untouched_log_verifies_and_each_kind_of_record_is_counted(world: World) -> None:
    story(world)
    last = entries(world)[-1]
    seen = verify(world)
    assert seen.problems.count == 0
    assert (seen.entries, seen.head.number, seen.head.sha256) == (last.number, last.number, last.sha256)
    assert seen.files == world.session.query(Submission).count() == 5
    assert (seen.receipts.good, seen.seals.good) == (2, 1)
    assert seen.witnessed == next(entry.number for entry in entries(world) if entry.action == "release.add")


EDITED, DAMAGED = (
    "entry {}: was edited: its contents do not match its hash",
    "entry {}: was edited or is damaged: ",
)
GAP = "follows a gap: entry {} is missing"
EDITS = {
    "actor = 'console'": EDITED,
    "action = 'x'": EDITED,
    "team_id = NULL": EDITED,
    "task_id = NULL": EDITED,
    "at = '2026-03-10 12:00:00.000001'": EDITED,
    "details = '{}'": EDITED,
    "sha256 = 'x'": EDITED,
    "previous = 'x'": EDITED,
    "details = '[]'": DAMAGED + "details are no object",
    "details = '{\"submission\":  4}'": DAMAGED + "details are not written as the site writes them",
    "number = 900": GAP,
}


@pytest.mark.parametrize("edit", EDITS)
def test_manual_edit_is_detected_and_its_entry_named(world: World, edit: str) -> None:
    story(world)
    number = next(entry.number for entry in entries(world) if entry.action == "submission.withdraw")
    statement = f"UPDATE audit_entry SET {edit} WHERE number = :number"  # noqa: S608  (ours)
    alter(world, statement.replace(":  4", "\\:  4"), number=number)
    problems = found(world)
    assert any(EDITS[edit].format(number) in problem for problem in problems), problems
    assert len(problems) <= 3


@pytest.mark.one_database
def test_gap_and_changed_file_are_detected(world: World) -> None:
    story(world)
    number = next(entry.number for entry in entries(world) if entry.action == "submission.withdraw")
    last = world.session.query(Submission).order_by(Submission.id.desc()).first().id
    alter(world, "UPDATE submission SET sha256 = 'x' WHERE id = :last", last=last)
    problems = found(world)
    assert any(f"file {last} has another SHA-256 than the entry" in problem for problem in problems)
    assert problems[-1].startswith(f"receipt {last}: is about a file with sha256 ")
    alter(world, "DELETE FROM audit_entry WHERE number = :number", number=number)
    assert f"entry {number + 1}: {GAP.format(number)}" in found(world)


@pytest.mark.one_database
def test_rewritten_chain_is_detected_by_earlier_signatures(world: World) -> None:
    story(world)
    assert found(world) == []
    number = next(entry.number for entry in entries(world) if entry.action == "run.create")
    rewrite(world, number, "run.edit")
    problems = found(world)
    assert problems
    assert all("refers to another entry" in problem for problem in problems)
    assert any(problem.startswith("statement of release 1 of evaluation") for problem in problems)
    alter(world, "DELETE FROM receipt", "DELETE FROM release_seal")
    missing = ["no longer has a receipt", "no longer has a receipt", "no longer has a statement"]
    for problem, words in zip(found(world), missing, strict=True):
        assert words in problem
    with db.writing(world.session):
        for entry in world.session.query(AuditEntry):
            signed = {"receipt", "statement"}
            entry.details = {name: value for name, value in entry.details.items() if name not in signed}
    rewrite(world, 1, "task.import")
    seen = verify(world)
    assert (seen.problems.listed, seen.witnessed) == ([], 0)


@pytest.mark.one_database
def test_changed_release_and_changed_gold_are_each_named_once(world: World) -> None:
    story(world)
    made = next(entry for entry in entries(world) if entry.action == "release.add")
    release, number = f"entry {made.number}: release 1 of evaluation", made.number
    kept = world.session.query(Release).one().board
    alter(world, "UPDATE release SET board = board || ' '")
    assert found(world) == [
        f"{release} was changed: its leaderboard does not match the SHA-256 stored with it"
    ]
    sha256 = hashlib.sha256(kept.encode() + b" ").hexdigest()
    alter(world, "UPDATE release SET sha256 = :sha256", sha256=sha256)
    assert found(world) == [f"{release} was changed: its leaderboard has another SHA-256 than the entry"]
    alter(world, "UPDATE release SET board = :kept, sha256 = :made", kept=kept, made=made.details["sha256"])
    alter(world, "UPDATE release SET rules = '{}'")
    (problem,) = found(world)
    assert problem.startswith("statement of release 1 of evaluation (small): is about rules ")
    alter(world, "UPDATE gold_version SET salt = :zero", zero="0" * 64)
    first = world.session.query(Receipt).order_by(Receipt.submission_id).first().submission_id
    gold = (
        f"gold 1 of p2s (test) of small is not the one that receipt {first} refers to: its salt or its file"
    )
    problems = found(world)
    assert problems[0] == f"{gold} was changed"
    assert [problem for problem in problems if f"receipt {first}" in problem] == problems[:1]
    alter(
        world,
        "UPDATE gold_version SET sha256 = 'x'",
        "UPDATE audit_entry SET actor = 'x' WHERE number = :n",
        n=number,
    )
    problems = found(world)
    assert problems[0].startswith(f"entry {number}: was edited")
    assert f"{gold} is missing" in problems
    assert "task small: 1 of its releases has no entry that is intact; the entries listed" in problems[1]


@pytest.mark.one_database
def test_truncated_log_is_detected_up_to_the_last_signature(
    world: World,
) -> None:
    story(world)
    seen = verify(world)
    assert 0 < seen.witnessed < seen.head.number
    alter(world, "DELETE FROM audit_entry WHERE number > :number", number=seen.witnessed)
    assert found(world) == []
    alter(world, "DELETE FROM audit_entry WHERE number >= :number", number=seen.witnessed)
    missing, problem = found(world)
    assert missing == "task small: 1 of its releases has no entry"
    assert problem == (
        "statement of release 1 of evaluation (small): "
        f"refers to entry {seen.witnessed}, which is not in the log: the log was truncated"
    )


@pytest.mark.one_database
def test_edited_or_swapped_receipts_and_statements_are_detected(world: World) -> None:
    story(world)
    receipts = world.session.query(Receipt).order_by(Receipt.submission_id).all()
    kept = [receipt.submission_id for receipt in receipts]
    texts = [receipt.text for receipt in receipts]
    for place, words in zip(kept, reversed(texts), strict=True):
        alter(
            world, "UPDATE receipt SET text = :words WHERE submission_id = :place", words=words, place=place
        )
    assert [problem.split(": ")[0] for problem in found(world)] == [f"receipt {place}" for place in kept]
    assert all("is stored for" in problem for problem in found(world))
    alter(world, "UPDATE receipt SET text = '{}'", "UPDATE release_seal SET board_sha256 = 'x'")
    problems = found(world)
    assert problems[0].endswith("release 1 of evaluation no longer has a statement, although one was signed")
    assert problems[1] == (
        f'receipt {kept[0]}: must be an object with "signed", "key" and "signature", and nothing else'
    )
    assert "statement of release 1 of evaluation (small): is about board" in problems[-1]


@pytest.mark.one_database
def test_signing_key_inserted_into_the_database_is_reported(world: World) -> None:
    story(world)
    assert verify(world).unopened == []
    own = world.session.query(SigningKey).one().public
    alter(world, "UPDATE signing_key SET public = :public", public=public_key(bytes(32)))
    seen = verify(world)
    assert seen.unopened == [public_key(bytes(32))]
    assert all(f"does not belong to this site ({own[:10]}" in problem for problem in seen.problems.listed)
    assert seen.problems.count == 3


def test_file_without_entry_and_entry_without_file_are_detected(world: World) -> None:
    submission_id = story(world).id
    alter(world, "UPDATE audit_entry SET action = 'x' WHERE action = 'submission.late'")
    assert any("1 of its files has no entry (such as" in problem for problem in found(world))
    alter(
        world,
        "DELETE FROM standing",
        "DELETE FROM withdrawal",
        "DELETE FROM receipt",
        "DELETE FROM score WHERE submission_id = :id",
        "DELETE FROM submission WHERE id = :id",
        id=submission_id,
    )
    assert any(
        f"file {submission_id}, which the entry accepts, no longer exists" in problem
        for problem in found(world)
    )


@pytest.mark.own_site  # which loses a constraint
def test_two_entries_with_one_number_are_reported_as_a_fork(world: World) -> None:
    if world.site.engine.dialect.name == "sqlite":
        pytest.skip("SQLite keeps no two rows of one number, whatever is done to its constraints")
    story(world)
    number = entries(world)[-1].number - 2
    columns = "at, actor, task_id, team_id, action, details, previous"
    alter(
        world,
        "ALTER TABLE audit_entry DROP CONSTRAINT pk_audit_entry",
        f"INSERT INTO audit_entry (number, sha256, {columns}) "  # noqa: S608  (ours)
        f"SELECT number, 'f', {columns} FROM audit_entry WHERE number = :number",
        number=number,
    )
    assert f"entry {number}: occurs twice: the chain forks here" in found(world)


@pytest.mark.one_database
def test_externally_saved_documents_are_checked_against_the_log(world: World, tmp_path: Path) -> None:
    story(world)
    statement = world.session.query(ReleaseSeal).one().text
    evidence = tmp_path / "evidence.zip"
    with ZipFile(evidence, "w") as archive:
        archive.writestr("small/release.json", statement)
    (tmp_path / "release.json").write_text(statement, encoding="utf-8")
    edited = tmp_path / "edited.json"
    edited.write_text(statement.replace('"split": "test"', '"split": "trial"'), encoding="utf-8")
    other = tmp_path / "other.json"
    other.write_text(sign({"audit": {"number": 1, "sha256": "x"}}, bytes(32)), encoding="utf-8")

    def against(path: Path) -> list[str]:
        return found(world, *read_documents(path))

    assert verify(world, *read_documents(evidence), *read_documents(tmp_path)).outside.good == 2
    assert against(edited) == [
        f"{edited}: was edited: its signature does not match its contents",
    ]
    assert against(other)[0].startswith(
        f"{other}: is signed with a key that does not belong to this site (3b6a27bcce"
    )
    alter(world, "DELETE FROM release_seal", "DELETE FROM receipt")
    rewrite(world, 3, "x")
    problem = against(evidence)[-1]
    assert problem.startswith(f"{evidence}/release.json: refers to another entry")


@pytest.mark.one_database
def test_statement_and_receipts_in_evidence_are_checked_against_the_log(world: World, tmp_path: Path) -> None:
    test_evidence.play(world)
    world.release(opens_gold=True)
    seen = verify(world, *read_documents(test_evidence.kept(world.site, tmp_path)))
    assert (seen.problems.listed, seen.outside.foreign) == ([], 0)
    assert seen.outside.good > 2


def test_external_zip_is_read_with_the_usual_zip_limits(tmp_path: Path) -> None:
    outside = tmp_path / "outside.zip"
    with ZipFile(outside, "w") as archive:
        archive.writestr("receipts/1.json", "one")
        archive.writestr("receipts/2.json", "two")
    assert [(paper.name, paper.data) for paper in read_documents(outside)] == [
        (f"{outside}/receipts/1.json", b"one"),
        (f"{outside}/receipts/2.json", b"two"),
    ]
    with ZipFile(outside, "a", ZIP_BZIP2) as archive:
        archive.writestr("release.json", bytes(500_000))
    (paper,) = read_documents(outside)
    assert re.search(
        r"outside\.zip: The zip file has 1 problem.* release\.json: is compressed with", paper.fault or ""
    )


@pytest.mark.one_database
def test_flipped_bits_in_the_audit_table_are_detected(world: World) -> None:
    story(world)
    world.session.rollback()
    missed = [flip for flip, problems in flips(world.session, 40, seed=7) if not problems]
    assert missed == []


def test_command_reports_findings_and_what_it_does_not_cover(
    world: World, assay: Assay, tmp_path: Path
) -> None:
    story(world)
    head = verify(world).head
    good = assay("audit", "verify")
    assert good.exit_code == 0, good.output
    lines = good.stdout.splitlines()
    assert lines[:2] == [
        f"The activity log has {head.number} entries. The newest is {head.number}, SHA-256:",
        head.sha256,
    ]
    assert "1 statement of a release" in lines[2]
    assert lines[3:5] == [
        "No entry is missing or edited, and each follows from the one before it.",
        "Not covered:",
    ]
    assert lines[5].startswith("- entries after ")
    odd = assay("audit", "verify", "--against", __file__)
    assert odd.exit_code == 1
    assert (
        "1 problem: 1 document in the given files is not valid, and so cannot prove anything. As far as it"
        in odd.stdout
    )
    assert "(none of those given matches the log)" in odd.stdout
    assert "(none was given)" in good.stdout
    kept = tmp_path / "release.json"
    kept.write_text(world.session.query(ReleaseSeal).one().text, encoding="utf-8")
    assert (
        f"(given: up to entry {verify(world).witnessed})"
        in assay("audit", "verify", "--against", kept).stdout
    )
    alter(world, "UPDATE audit_entry SET actor = 'x' WHERE number > 2")
    bad = assay("audit", "verify")
    assert bad.exit_code == 1
    assert "entry 3: was edited" in bad.stdout
    assert "problems: the log, or a record that it covers, was changed after the site wrote it." in bad.stdout
    lost = assay("audit", "verify", "--against", __file__)
    assert (lost.exit_code, "is no JSON" in lost.stdout) == (1, True)
    assert assay("audit", "verify", "--against", "nowhere").exit_code == 2
