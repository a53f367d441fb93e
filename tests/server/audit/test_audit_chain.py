import hashlib
import json
from datetime import timedelta

import pytest
from sqlalchemy.exc import IntegrityError

from server.audit import service as audit
from server.audit.models import AuditEntry
from server.core import db
from server.core.actors import CONSOLE
from server.runs import service as runs
from server.submissions import withdrawals
from server.submissions.models import Submission
from tests.server.small_task import GOLD
from tests.server.world import DURING, LATE, World

pytestmark = pytest.mark.both_databases

REVERSED = b"3\n2\n1\n0\n"


def story(world: World) -> Submission:
    """Everything that people do, once."""
    world.found_team("dee", "alder")
    with db.writing(world.session):
        actor = world.actor("bo")
        run = runs.create_run(
            world.session, actor, world.phase(), "one", runs.RunTexts("secret sauce"), DURING
        )
    submission = world.upload(run, "p2s")
    world.withdraw(submission)
    with db.writing(world.session):
        withdrawals.restore_submission(world.session, actor, submission, DURING)
    world.upload(run, "s2p", at=LATE)
    world.fix_gold("p2s", REVERSED)
    world.release()
    world.withdraw_release("a public reason")
    return submission


def entries(world: World) -> list[AuditEntry]:
    world.session.expire_all()
    return world.session.query(AuditEntry).order_by(AuditEntry.number).all()


def test_each_action_is_audited(world: World) -> None:
    already = len(entries(world))
    story(world)
    assert [entry.action for entry in entries(world)[already:]] == [
        "team.create",
        "run.create",
        "submission.accept",
        "key.add",
        "submission.withdraw",
        "submission.restore",
        "submission.late",
        "gold.add",
        "gold.candidate",
        "gold.publish",
        "release.add",
        "release.withdraw",
    ]


def test_hosting_a_task_audits_each_imported_part(world: World) -> None:
    actions = [entry.action for entry in entries(world)]
    assert actions == [
        "task.import",
        "role.add",
        *["gold.add"] * 3,
        *["submission.accept"] * 3,
        "team.create",
        "team.invite",
        "team.join",
    ]


def test_each_hash_covers_the_entry_and_the_previous_hash(world: World) -> None:
    story(world)
    before = audit.GENESIS
    for number, entry in enumerate(entries(world), start=1):
        assert (entry.number, entry.previous) == (number, before)
        assert entry.sha256 == audit.entry_hash(entry)
        before = entry.sha256


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("actor", "console"),
        ("action", "nothing"),
        ("details", {}),
        ("at", DURING + timedelta(microseconds=1)),
        ("task_id", None),
    ],
)
def test_changing_any_part_of_an_entry_is_detected(world: World, column: str, value: object) -> None:
    story(world)
    entry = next(entry for entry in entries(world) if entry.action == "submission.withdraw")
    setattr(entry, column, value)
    assert audit.entry_hash(entry) != entry.sha256


def test_the_hash_is_the_same_in_any_language(world: World) -> None:
    """Recomputed here by the documented rule only: sorted keys, no whitespace, UTF-8."""
    with db.writing(world.session):
        entry = audit.record(world.session, CONSOLE, DURING, "test.åction", None, zebra="ž", apple=1)
    last = entries(world)[-1]
    text = (
        f'{{"action":"test.åction","actor":"console","at":"2026-03-10T12:00:00+00:00",'
        f'"details":{{"apple":1,"zebra":"ž"}},"number":{last.number},"previous":"{last.previous}","task":null}}'
    )
    assert entry.sha256 == hashlib.sha256(text.encode()).hexdigest()


def test_two_writers_cannot_fork_the_chain(world: World) -> None:
    last = entries(world)[-1]
    twin = AuditEntry(
        number=last.number, at=DURING, actor="console", action="x", details={}, previous="", sha256="f"
    )
    world.session.expunge(last)
    with pytest.raises(IntegrityError), db.writing(world.session):
        world.session.add(twin)


def test_audit_entries_name_people_by_number_and_contain_no_secrets(world: World) -> None:
    submission = story(world)
    world.session.refresh(submission)
    log_text = json.dumps(
        [[entry.actor, entry.action, entry.details, entry.at.isoformat()] for entry in entries(world)]
    )
    secrets = [value for values in GOLD.values() for value in values]
    secrets += ["@example.org", '"ada"', '"bo"', '"cy"', '"dee"', "birch", "alder"]
    secrets += [world.link(), submission.filename, "secret sauce", "0.5\\n", "a public reason"]
    assert [secret for secret in secrets if secret in log_text] == []
    assert {entry.actor for entry in entries(world)} == {
        "console",
        "worker",  # made the key
        *(world.actor(name).label for name in ("ada", "bo", "cy", "dee")),
    }


def test_audit_entry_is_written_in_the_transaction_of_its_action(world: World) -> None:
    count = len(entries(world))
    with pytest.raises(IntegrityError), db.writing(world.session):
        write_and_fail(world)
    assert len(entries(world)) == count


def write_and_fail(world: World) -> None:
    audit.record(world.session, CONSOLE, DURING, "test.nothing")
    world.session.connection().exec_driver_sql("INSERT INTO membership VALUES (0, 0, 0, '2026-01-01')")
