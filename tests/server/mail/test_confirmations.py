"""One email confirms all files that a person uploads in a task within a minute."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from email.message import EmailMessage
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from server import bundles
from server.access import admins, tasks
from server.core import db
from server.core.actors import CONSOLE
from server.core.site_resources import Site
from server.jobs import service as jobs
from server.jobs.models import Job
from server.mail import confirmations
from server.mail.models import Mail
from server.personal_data import erasure
from server.runs import service as runs, withdrawals as run_withdrawals
from server.submissions.follow_up_jobs import CONFIRMATION_DELAY, CONFIRMATION_JOB
from server.submissions.models import Receipt
from server.teams import service as teams
from tests.server.job_runs import run_job
from tests.server.mail_sink import Sink
from tests.server.programs import Program
from tests.server.small_task import GOOD, TASK, variant, write_bundle
from tests.server.watching import plans
from tests.server.world import DURING, LATE, OPENS, World

CONSTANT = (
    "The file has 1 warning: run.tsv: every score is 2: a run whose scores are all the same has no "
    "correlation, and a leaderboard shows a dash; write scores that differ."
)
SECOND = timedelta(seconds=1)
FATE = re.compile(r"^- (.*?): (.*)$", re.MULTILINE)


def confirmed_ids(mail: EmailMessage) -> list[int]:
    """The files of which an email has receipts, after checking what it says about them."""
    names = [part.get_filename() or "" for part in mail.iter_attachments()]
    found = [int(name.removeprefix("receipt-").removesuffix(".json")) for name in names]
    for part in ("plain", "html"):
        content = content_of(mail, part)
        linked = re.findall(r"https://assay\.test/tasks/\w+/submissions/(\d+)", content)
        assert sorted(map(int, linked)) == sorted(found), content
    return found


def content_of(mail: EmailMessage, part: str) -> str:
    body = mail.get_body((part,))
    assert body is not None
    return body.get_content().replace("\r\n", "\n")


def fates(mail: EmailMessage) -> list[tuple[str, ...]]:
    """What an email about several files says about each; its HTML version says the same."""
    listed, page = FATE.findall(content_of(mail, "plain")), content_of(mail, "html")
    for level, fate in listed:
        assert f"<strong>{level}</strong></a>: {fate}<br>" in page
    return listed


def of_kind(world: World, kind: str) -> list[Job]:
    world.session.rollback()
    return world.session.query(Job).filter_by(kind=kind).order_by(Job.id).all()


def test_four_files_within_a_minute_are_confirmed_in_one_email_with_four_receipts(
    world: World, sink: Sink
) -> None:
    places = (("two", "s2p"), ("<b>one</b>", "p2s"), ("two", "p2s"), ("<b>one</b>", "s2p"))
    sent = [
        world.upload(world.run(name), level, at=DURING + number * 14 * SECOND)
        for number, (name, level) in enumerate(places)
    ]
    ids, hashes = [one.id for one in sent], [one.sha256 for one in sent]
    world.work(DURING + CONFIRMATION_DELAY - SECOND)
    assert sink.mails == []
    world.work(DURING + CONFIRMATION_DELAY)
    (mail,) = sink.mails
    assert (mail["To"], mail["Subject"]) == ("bo@example.org", "Accepted: 4 files")
    assert confirmed_ids(mail) == ids
    for part in mail.iter_attachments():
        receipt = world.session.get_one(Receipt, int(re.findall(r"\d+", part.get_filename() or "")[0]))
        assert part.get_content().decode() == receipt.text
    text, page = content_of(mail, "plain"), content_of(mail, "html")
    assert re.findall(r"^Run (.*) of birch, (.*)$", text, re.MULTILINE) == [
        ("two", "Evaluation"),
        ("<b>one</b>", "Evaluation"),
    ]
    assert page.count("Run &lt;b&gt;one&lt;/b&gt; of birch, Evaluation</h2>") == 1
    levels = ["Paragraph to sentence", "Sentence to phrase"] * 2
    assert fates(mail) == [(level, "It counts.") for level in levels]
    for part_of_it in (text, page):
        assert "4 of your submissions to A small task were accepted." in part_of_it
        assert [part_of_it.count(sha256) for sha256 in hashes] == [4] * 4
        assert "10 Mar 2026, 12:00:42 UTC (10 Mar 2026, 00:00:42 AoE)" in part_of_it
        prose = part_of_it.replace("scorer verify", "").lower()
        assert not any(word in prose for word in ("score", "pearson", "gold"))

    later = world.upload(world.run("two"), "p2s", variant(1), at=DURING + CONFIRMATION_DELAY).id
    world.work(DURING + 2 * CONFIRMATION_DELAY)
    assert [confirmed_ids(mail) for mail in sink.mails] == [ids, [later]]


def test_each_person_gets_one_email_per_task(world: World, sink: Sink, tmp_path: Path) -> None:
    toml = TASK.replace('slug = "small"', 'slug = "other"').replace("A small task", "Another task")
    plan, session = bundles.plan_import(write_bundle(tmp_path / "other", toml)), world.session
    with db.writing(session):
        other = bundles.import_task(session, CONSOLE, plan, [world.user("ada")], OPENS, published=True)
        team = teams.create_team(session, world.actor("bo"), other, "oak", OPENS)
        phase = tasks.get_phase(session, other, "evaluation")
        elsewhere = runs.add_run(session, team, phase, "one", "", DURING)
    first = world.upload(world.run(), "p2s").id
    there = world.upload(elsewhere, "p2s").id
    of_cy = world.upload(world.run(), "s2p", by="cy").id
    second = world.upload(world.run(), "s2p", variant(1)).id
    world.work(DURING + CONFIRMATION_DELAY)
    found = {(mail["To"].split("@")[0], *confirmed_ids(mail)) for mail in sink.mails}
    assert found == {("bo", first, second), ("bo", there), ("cy", of_cy)}
    assert len(sink.mails) == 3


def test_whole_run_uploaded_by_token_is_one_email_to_the_token_owner(world: World, sink: Sink) -> None:
    files = [(BytesIO(GOOD), "p2s.tsv"), (BytesIO(GOOD), "s2p.tsv")]
    where = f"/runs/{world.run().id}/files"
    answer = Program(world, "cy").open(where, "POST", data={"file": files})
    assert answer.status_code == 201
    world.work(DURING + CONFIRMATION_DELAY)
    (mail,) = sink.mails
    assert mail["To"] == "cy@example.org"
    assert confirmed_ids(mail) == [file["submission"]["id"] for file in answer.json["files"]]


@pytest.mark.one_database
def test_files_of_an_email_are_found_by_index_however_many_the_task_has(world: World) -> None:
    """They are looked for behind the site's write lock, and each upload waits for it."""
    world.upload(world.run(), "p2s")
    (job,) = of_kind(world, CONFIRMATION_JOB)
    with plans(world, "JOIN receipt") as found:
        confirmations.write_confirmation(world.site, job.payload, DURING + CONFIRMATION_DELAY)
    assert found
    for plan in found:
        assert plan[0].endswith("INDEX ix_submission_submitted_by_id (submitted_by=? AND id>?)"), plan


def test_confirmation_job_run_twice_writes_one_email(world: World, sink: Sink) -> None:
    world.upload(world.run(), "p2s")
    world.upload(world.run(), "s2p")
    (job,) = of_kind(world, CONFIRMATION_JOB)
    for _ in range(2):
        confirmations.write_confirmation(world.site, job.payload, DURING + CONFIRMATION_DELAY)
    world.work(DURING + CONFIRMATION_DELAY)
    assert [len(confirmed_ids(mail)) for mail in sink.mails] == [2]


@pytest.mark.both_databases
def test_file_uploaded_while_the_email_is_written_is_confirmed_once(world: World, sink: Sink) -> None:
    first = world.upload(world.run(), "p2s").id
    (job,) = of_kind(world, CONFIRMATION_JOB)
    files = [first]

    def upload_and_confirm(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
        files.append(world.upload(world.run(), "s2p", at=now).id)
        assert [one.state for one in of_kind(world, CONFIRMATION_JOB)] == ["running", "waiting"]
        confirmations.write_confirmation(site, payload, now)

    world.set_clock(DURING + CONFIRMATION_DELAY)
    assert run_job(world.site, job.id, {CONFIRMATION_JOB: upload_and_confirm})
    world.work(DURING + 2 * CONFIRMATION_DELAY)
    assert [confirmed_ids(mail) for mail in sink.mails] == [files]
    assert [one.state for one in of_kind(world, CONFIRMATION_JOB)] == ["done", "done"]


def test_jobs_of_versions_that_sent_one_email_per_file_are_still_confirmed(world: World, sink: Sink) -> None:
    sent = [world.upload(world.run(), level).id for level in ("p2s", "s2p")]
    with db.writing(world.session):
        jobs.delete_kinds(world.session, CONFIRMATION_JOB)
        for submission_id in sent:
            jobs.add_job(
                world.session, CONFIRMATION_JOB, {"submission": submission_id, "counts": True}, DURING
            )
    world.work(DURING)
    assert [confirmed_ids(mail) for mail in sink.mails] == [sent]
    assert [one.state for one in of_kind(world, CONFIRMATION_JOB)] == ["done", "done"]


def test_email_says_what_happened_to_each_file_since_its_upload(world: World, sink: Sink) -> None:
    run, gone = world.run(), world.run("gone")
    world.upload(run, "p2s")
    world.upload(run, "p2s", b"2\n2\n2\n2\n")
    world.withdraw(world.upload(run, "s2p"))
    world.upload(gone, "p2s")
    with db.writing(world.session):
        run_withdrawals.withdraw_run(world.session, world.actor("bo"), gone, DURING)
    world.work(DURING + CONFIRMATION_DELAY)
    (mail,) = sink.mails
    assert fates(mail) == [
        ("Paragraph to sentence", "A newer submission counts instead."),
        ("Paragraph to sentence", f"It counts. {CONSTANT}"),
        ("Sentence to phrase", "It has been withdrawn since then and does not count."),
        ("Paragraph to sentence", "It has been withdrawn since then and does not count."),
    ]
    world.withdraw(world.upload(run, "s2p", b"2\n2\n2\n2\n"))
    world.work(DURING + 2 * CONFIRMATION_DELAY)
    text = " ".join(content_of(sink.mails[1], "plain").split())
    assert "was accepted. It has been withdrawn since then and does not count." in text
    assert CONSTANT in text


def test_late_files_are_listed_as_late(world: World, sink: Sink) -> None:
    run, closes = world.run(), LATE - timedelta(hours=1)
    world.upload(run, "p2s", at=closes - SECOND)
    world.upload(run, "s2p", at=closes + SECOND)
    world.work(closes + CONFIRMATION_DELAY)
    for level in ("p2s", "s2p"):
        world.upload(run, level, variant(1), at=LATE)
    world.work(LATE + CONFIRMATION_DELAY)
    late = "It is late, so it is shown separately and never ranked."
    assert [mail["Subject"] for mail in sink.mails] == [
        "Accepted: 2 files, 1 of them late",
        "Accepted (late): 2 files",
    ]
    assert [[fate for _, fate in fates(mail)] for mail in sink.mails] == [
        ["It counts.", late],
        [late, late],
    ]


def test_receipts_beyond_the_limit_go_into_another_email(
    world: World, sink: Sink, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(confirmations, "MAX_RECEIPTS", 2)
    run = world.run()
    sent = [world.upload(run, "p2s", variant(number)).id for number in range(3)]
    world.work(DURING + CONFIRMATION_DELAY)
    assert [confirmed_ids(mail) for mail in sink.mails] == [sent[:2], sent[2:]]


def test_person_removed_or_opted_out_within_the_minute_gets_no_email(world: World, sink: Sink) -> None:
    world.upload(world.run(), "p2s")
    world.upload(world.run(), "s2p", by="cy")
    with db.writing(world.session):
        admins.add_admin(world.session, CONSOLE, world.user("dee"), DURING)
        world.user("bo").mail_confirmations = False
        erasure.erase_person(world.session, world.actor("dee"), world.user("cy"), DURING)
    world.work(DURING + CONFIRMATION_DELAY)
    assert sink.mails == []
    assert world.session.query(Mail).count() == 0
    assert [one.state for one in of_kind(world, CONFIRMATION_JOB)] == ["done", "done"]
