import re
from dataclasses import replace
from datetime import timedelta
from email.message import EmailMessage
from textwrap import shorten

import pytest
from markupsafe import escape

from server.access import admins
from server.core import db
from server.core.actors import CONSOLE
from server.core.mailer import Mailer, MailFailed, OutgoingMail
from server.jobs import service as jobs, table_queue
from server.jobs.models import Job
from server.mail.models import Mail
from server.questions import service as questions
from server.releases import inferences
from server.submissions.follow_up_jobs import CONFIRMATION_DELAY
from server.submissions.models import Receipt
from server.web import context
from tests.server.job_runs import presume_dead, run_job
from tests.server.mail_sink import Sink
from tests.server.small_task import variant
from tests.server.visitors import words
from tests.server.world import CLOSES, DURING, LATE, World

CONFIRMED_AT = DURING + CONFIRMATION_DELAY
"""When a file of `DURING` is confirmed."""


def parts(mail: EmailMessage) -> tuple[str, str]:
    """An email as plain text and as HTML."""
    text, html = mail.get_body(("plain",)), mail.get_body(("html",))
    assert text is not None
    assert html is not None
    return text.get_content(), html.get_content()


def only_mail(world: World) -> Mail:
    world.session.rollback()
    return world.session.query(Mail).one()


def test_accepted_file_is_confirmed_once_to_its_uploader_without_a_score(world: World, sink: Sink) -> None:
    sent = world.upload(world.run("<b>one</b>"), "p2s")
    world.upload(world.run("<b>one</b>"), "p2s")  # the same bytes: the same submission
    sha256, link = sent.sha256, f"https://assay.test/tasks/small/submissions/{sent.id}"
    world.work(CONFIRMED_AT)
    world.work(CONFIRMED_AT + timedelta(days=2))
    (mail,) = sink.mails
    assert (mail["To"], mail["From"]) == ("bo@example.org", "A small task via Assay <assay@assay.test>")
    assert mail["Subject"].startswith("Accepted: ")
    assert mail["Message-ID"] == only_mail(world).message_id
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    text, html = parts(mail)
    for part in (text, html):
        assert all(words in part for words in ("was accepted and counts.", sha256, "run.tsv", "birch", link))
        assert "10 Mar 2026, 12:00:00 UTC (10 Mar 2026, 00:00:00 AoE)" in part
        prose = part.replace("scorer verify", "")
        assert not any(word in prose.lower() for word in ("score", "pearson", "gold"))
        assert mail["List-Unsubscribe"].strip("<>") in part
    assert "<b>one</b>" in text
    assert "&lt;b&gt;one&lt;/b&gt;" in html
    assert 'name="color-scheme" content="light dark"' in html
    assert "src=" not in html
    assert (only_mail(world).state, only_mail(world).attempts) == ("sent", 1)
    (attached,) = mail.iter_attachments()
    assert (attached.get_content_type(), attached.get_filename()) == (
        "application/json",
        f"receipt-{sent.id}.json",
    )
    assert attached.get_content().decode() == world.session.get_one(Receipt, sent.id).text


def test_a_late_file_is_confirmed_as_late(world: World, sink: Sink) -> None:
    world.upload(world.run(), "p2s", at=LATE)
    world.work(LATE + CONFIRMATION_DELAY)
    text, _ = parts(sink.mails[0])
    assert sink.mails[0]["Subject"].startswith("Accepted (late): ")
    assert "never ranked" in text
    assert "It counts" not in text


def test_replaced_file_is_not_confirmed_as_counting(world: World, sink: Sink) -> None:
    """Two uploads at once: the one that arrived first may be the one that is stored last."""
    world.upload(world.run(), "p2s", at=DURING + timedelta(seconds=2))
    world.upload(world.run(), "p2s", variant(1), at=DURING)
    world.work(CONFIRMED_AT + timedelta(seconds=2))
    (mail,) = sink.mails
    states = re.findall(r"^- .*: (.*)\r$", parts(mail)[0], re.MULTILINE)
    assert states == ["A newer submission counts instead.", "It counts."]


def test_email_is_retried_for_hours_while_the_server_is_down_and_then_fails(world: World, sink: Sink) -> None:
    world.upload(world.run(), "p2s")
    at = CONFIRMED_AT
    with sink.down():
        for attempt, rest in enumerate((*jobs.BACK_OFF, timedelta(0)), start=1):
            world.work(at)
            assert (only_mail(world).attempts, len(sink.mails)) == (attempt, 0)
            at += rest
    assert only_mail(world).state == "failed"
    assert "did not take it" in str(only_mail(world).error)
    world.set_clock(at)
    ada = world.client("ada")
    assert "did not take it" in ada.get("/tasks/small/organize/mails").text
    again = f"/tasks/small/organize/mails/{only_mail(world).id}/again"
    assert ada.post(again).status_code == 302
    world.work(at)
    assert (only_mail(world).state, len(sink.mails)) == ("sent", 1)
    assert "may have been sent in the meantime" in ada.post(again, follow_redirects=True).text


def test_email_is_delivered_once_the_email_server_is_back(world: World, sink: Sink) -> None:
    world.upload(world.run(), "p2s")
    with sink.down():
        world.work(CONFIRMED_AT)
    world.set_clock(CONFIRMED_AT)
    world.work(CONFIRMED_AT + jobs.BACK_OFF[0])
    assert (only_mail(world).state, only_mail(world).attempts, len(sink.mails)) == ("sent", 2, 1)


def test_waiting_emails_are_listed_with_the_reason_and_can_be_retried_at_once(
    world: World, sink: Sink
) -> None:
    world.upload(world.run(), "p2s")
    world.upload(world.run(), "s2p", by="cy")
    with sink.down():
        for rest in (timedelta(0), *jobs.BACK_OFF[:4]):
            at = CONFIRMED_AT + rest * 2
            world.work(at)
    world.set_clock(at)
    ada = world.client("ada")
    page = words(ada.get("/tasks/small/organize/mails"))
    assert page.count("retrying") == 2
    assert "refused" in page
    assert "All emails were handed to the mail server." not in page
    path = "/tasks/small/organize/mails/again"
    assert "2 emails are being retried." in words(ada.post(path, follow_redirects=True))
    world.work(at)
    assert len(sink.mails) == 2
    assert "There are no emails to retry. They may have been sent in the meantime." in words(
        ada.post(path, follow_redirects=True)
    )
    assert "All emails were handed to the mail server." in words(ada.get("/tasks/small/organize/mails"))


def test_unknown_address_fails_at_once_and_is_not_shown_to_organizers(world: World, sink: Sink) -> None:
    sink.refused.add("bo@example.org")
    world.upload(world.run(), "p2s")
    world.work(CONFIRMED_AT)
    assert (only_mail(world).state, only_mail(world).attempts) == ("failed", 1)
    assert only_mail(world).error == "The mail server said 550: no mailbox <(the address)> here"


def test_worker_that_dies_before_recording_the_delivery_sends_the_same_email_again(
    world: World, sink: Sink, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.upload(world.run(), "p2s")
    deliver = Mailer.deliver

    def deliver_and_die(mailer: Mailer, mail: OutgoingMail) -> None:
        deliver(mailer, mail)
        raise KeyError("the worker dies")

    with monkeypatch.context() as patch:
        patch.setattr(Mailer, "deliver", deliver_and_die)
        world.work(CONFIRMED_AT)
    world.set_clock(CONFIRMED_AT)
    world.work(CONFIRMED_AT + jobs.BACK_OFF[0])
    first, second = sink.mails
    assert (first["Message-ID"], parts(first)) == (second["Message-ID"], parts(second))
    assert only_mail(world).state == "sent"


@pytest.mark.both_databases
def test_worker_that_was_frozen_before_the_transmission_does_not_send_the_email_again(
    world: World, sink: Sink
) -> None:
    world.upload(world.run(), "p2s")
    world.work(CONFIRMED_AT, but=[inferences.INFERENCE_JOB, "mail.send"])
    (job_id,) = table_queue.list_due_jobs(world.session, CONFIRMED_AT, only=["mail.send"])
    world.session.rollback()
    later = CONFIRMED_AT + table_queue.LEASE + timedelta(seconds=1)

    def send_by_another_worker() -> None:
        world.set_clock(later)
        presume_dead(world.site, job_id)
        assert run_job(world.site, job_id)
        world.site.session.remove()

    sink.before_next = send_by_another_worker
    run_job(world.site, job_id)
    assert len(sink.mails) == 1
    assert (only_mail(world).state, only_mail(world).attempts, only_mail(world).sent_at) == ("sent", 1, later)


HOSTILE = [
    "=?utf-8?q?=0AReply-To:attacker@evil.example?=",
    "=?utf-8?q?=0D=0A=0D=0AThe_body_begins?=",
    "=?utf-8?b?CkJjYzogYUBldmlsLmV4YW1wbGU=?= é",
    "=\u200b=?utf-8?q?x?= " * 3 + "naïve",
    "a" * 80,
]


@pytest.mark.both_databases
@pytest.mark.parametrize("name", HOSTILE)
def test_names_of_team_and_task_add_no_header_to_an_email_and_are_read_as_they_are(
    world: World, sink: Sink, name: str
) -> None:
    team = world.found_team("dee", name)
    with db.writing(world.session):
        world.task.title, world.task.contact = f'"{name}", <a@evil.example>', "ada@example.org"
        questions.ask_question(world.session, world.actor("dee"), world.task, "May we?", DURING)
    world.work(DURING)
    (mail,) = sink.mails
    assert mail["Subject"] == f"Question of {team.name}"
    (sender,) = mail["From"].addresses
    shown = f"{shorten(world.task.title, 60, placeholder='…')} via Assay"
    assert (sender.display_name.replace(" ", ""), sender.addr_spec) == (
        shown.replace(" ", ""),
        "assay@assay.test",
    )
    assert mail["Reply-To"] == "ada@example.org"
    assert [header for header in mail if not header.startswith("Content-")] == [
        "From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "Reply-To", "List-Unsubscribe",
        "List-Unsubscribe-Post", "MIME-Version",
    ]  # fmt: skip
    assert f"you organize {world.task.title}." in parts(mail)[0]
    assert f"you organize {escape(world.task.title)}." in parts(mail)[1]


@pytest.mark.parametrize("value", ["\r\nBcc: a@evil.example", "\n\n", "\x0b\x00\u2028\u202e", "\ud800"])
def test_control_characters_add_no_header_to_an_email_and_are_not_sent(
    world: World, sink: Sink, value: str
) -> None:
    text = f"One{value}\nTwo."
    world.site.mailer.deliver(OutgoingMail("bo@example.org", f"A{value}b", text, "<1.2@assay.test>", text))
    (mail,) = sink.mails
    assert mail["Subject"] in ("A b", "A Bcc: a@evil.exampleb")
    assert mail["Bcc"] is None
    assert all(re.fullmatch(r"One(\s+Bcc: a@evil.example)?\s+Two.\s+", part) for part in parts(mail))


@pytest.mark.parametrize("recipient", ["=?utf-8?q?=0ABcc:x?=@evil.example", "bo@a.example, x@evil.example"])
def test_email_that_would_not_arrive_as_written_fails_for_good_and_is_logged(
    world: World, sink: Sink, recipient: str, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(MailFailed, match="It was not sent") as failure:
        world.site.mailer.deliver(OutgoingMail(recipient, "Hello", "One.", "<1.2@assay.test>"))
    assert failure.value.final
    assert "The email <1.2@assay.test> was not sent" in caplog.text
    assert sink.mails == []


def test_person_who_opted_out_gets_no_email_even_if_already_queued(world: World, sink: Sink) -> None:
    world.upload(world.run(), "p2s")
    with sink.down():
        world.work(CONFIRMED_AT)
    world.set_clock(DURING)
    link = str(only_mail(world).text).rsplit("https://assay.test", 1)[1].strip()
    stranger = world.client()
    page = stranger.get(link)
    assert "Unsubscribe from confirmations of accepted submissions?" in page.text
    assert world.user("bo").mail_confirmations  # a look changes nothing
    # The unsubscribe button of an email program: no cookie and no CSRF token.
    done = stranger.open(link, method="POST", data={"List-Unsubscribe": "One-Click"})
    assert "You are unsubscribed from confirmations of accepted submissions" in done.text
    world.upload(world.run(), "p2s", variant(1))
    world.work(DURING + timedelta(days=1))
    assert sink.mails == []
    assert only_mail(world).error == "The recipient unsubscribed before it was sent."

    world.set_clock(DURING)
    bo = world.client("bo")
    assert bo.post("/account/mails", {"confirmation": "y"}).status_code == 302
    world.session.rollback()
    person = world.user("bo")
    assert (person.mail_confirmations, person.mail_announcements, person.mail_reminders) == (
        True,
        False,
        False,
    )
    world.upload(world.run(), "p2s", variant(2), by="bo")
    world.work(CONFIRMED_AT + timedelta(days=1))
    (mail,) = sink.mails
    assert len(list(mail.iter_attachments())) == 1, "files confirmed before are not confirmed again"


def test_only_a_signed_link_opts_out(world: World) -> None:
    for token in ("nonsense", "WzEsImNvbmZpcm1hdGlvbiJd.x", "WzEsImNvbmZpcm1hdGlvbiJd"):
        assert world.client().open(f"/mails/stop/{token}", method="POST").status_code == 404


def test_site_admin_sees_failed_emails_without_recipient_or_content(world: World, sink: Sink) -> None:
    sink.refused.add("bo@example.org")
    run = world.run("secret-name")
    world.upload(run, "p2s")
    world.work(CONFIRMED_AT)
    with db.writing(world.session):
        admins.add_admin(world.session, CONSOLE, world.user("dee"), DURING)
    dee = world.client("dee")
    page = dee.get("/mails/").text
    assert "confirmation" in page
    assert not any(word in page for word in ("secret-name", "bo@example.org", ">bo<", "Accepted"))
    assert 'href="/mails/"' in dee.get("/account/").text
    sink.refused.clear()
    assert dee.post(f"/mails/{only_mail(world).id}/again").status_code == 302
    world.work(CONFIRMED_AT)
    assert len(sink.mails) == 1


def test_upload_writes_one_row_for_its_confirmation(world: World) -> None:
    world.upload(world.run(), "p2s", at=CLOSES)
    world.session.rollback()
    assert world.session.query(Mail).count() == 0
    kinds = [job.kind for job in world.session.query(Job)]
    assert (kinds.count("mail.confirm"), kinds.count("mail.send")) == (1, 0)


def test_emails_page_says_that_nobody_receives_emails_without_a_mail_server(world: World) -> None:
    site = context.site_of(world.app)
    world.app.extensions[context.EXTENSION] = replace(site, mailer=Mailer("log:", site.config.mail_from))
    world.upload(world.run(), "p2s")
    world.work(CONFIRMED_AT)
    page = words(world.client("ada").get("/tasks/small/organize/mails"))
    assert "1 email written to the server’s log." in page
    assert "This site has no mail server, so nobody receives emails." in page
    assert "email sent" not in page
    assert "handed to the mail server" not in page


def test_emails_page_says_all_were_handed_over_only_if_emails_were_sent_and_none_waits(
    world: World, sink: Sink
) -> None:
    ada, path = world.client("ada"), "/tasks/small/organize/mails"
    page = words(ada.get(path))
    assert "No emails yet." in page
    assert "0 emails" not in page
    world.upload(world.run(), "p2s")
    world.work(CONFIRMED_AT)
    assert len(sink.mails) == 1
    assert "1 email sent." in words(ada.get(path))
    assert "All emails were handed to the mail server." in words(ada.get(path))
    mail = only_mail(world)
    with db.writing(world.session):
        mail.state, mail.attempts = "waiting", 0
    world.set_clock(CONFIRMED_AT)
    page = words(ada.get(path))
    assert "1 is being sent." in page
    assert "All emails were handed to the mail server." not in page
