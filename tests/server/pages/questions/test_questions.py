import re
from datetime import timedelta

import pytest

from server.audit.models import AuditEntry
from server.core import db
from server.mail.models import Mail
from server.questions import service as questions
from server.questions.models import Answer, Question
from tests.server.mail_sink import Sink
from tests.server.programs import Program
from tests.server.visitors import words
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database

PAGE = "/tasks/small/questions"
ORGANIZE = "/tasks/small/organize/questions"
TEXT = "May we use the *ornithology* corpus?"
PUBLIC_ANSWER = {
    "text": "Yes.",
    "readers": "everyone",
    "public_question": "Which corpora are allowed?",
    "known_answers": "0",
}


def ask(world: World, name: str = "bo", text: str = TEXT) -> int:
    """Ask by the page, and return the question's id."""
    assert world.client(name).post(PAGE, {"text": text}).status_code == 302
    world.session.rollback()
    return world.session.query(Question.id).order_by(Question.id.desc()).limit(1).scalar()


def recipients(sink: Sink) -> list[str]:
    return sorted(mail["To"].split("@")[0] for mail in sink.mails)


def test_question_reaches_organizers_and_private_answer_reaches_the_team(world: World, sink: Sink) -> None:
    world.found_team("dee", "alder")
    question_id = ask(world)
    world.work(DURING)
    assert recipients(sink) == ["ada"]
    mail = sink.mails[0]
    assert mail["Subject"] == "Question of birch"
    text = mail.get_body(("plain",)).get_content()
    assert TEXT in text
    assert f"{ORGANIZE}/{question_id}" in text

    ada = world.client("ada")
    assert "1 question waits for an answer." in words(ada.get("/tasks/small/organize/"))
    form = ada.get(f"{ORGANIZE}/{question_id}")
    assert "ornithology" in form.text
    assert TEXT not in form.text  # the team's words are no suggestion for what is published
    sent = ada.post(
        f"{ORGANIZE}/{question_id}",
        {"text": "Yes, **all** of it.", "readers": "team", "known_answers": "0"},
        follow_redirects=True,
    )
    assert "The answer was sent to the team." in words(sent)
    assert "wait" not in words(ada.get("/tasks/small/organize/")).split("To do")[1].split("Phases")[0]
    sink.mails.clear()
    world.work(DURING + timedelta(minutes=1))
    assert recipients(sink) == ["bo", "cy"]
    text = sink.mails[0].get_body(("plain",)).get_content()
    assert "Yes, **all** of it." in text
    assert f"{PAGE}#question-{question_id}" in text
    for name, sees in ((None, False), ("dee", False), ("bo", True), ("cy", True)):
        page = world.client(name).get(PAGE).text
        assert ("ornithology" in page) is sees
        assert ("<strong>all</strong>" in page) is sees
        if name is not None:
            listed = Program(world, name, "read").get(PAGE).json
            assert [question["text"] for question in listed["questions"]] == [TEXT] * sees
            assert listed["public_answers"] == []


def test_public_answer_shows_the_question_in_the_words_of_the_organizers(world: World) -> None:
    question_id = ask(world)
    assert world.client("ada").post(f"{ORGANIZE}/{question_id}", PUBLIC_ANSWER).status_code == 302
    for name in (None, "dee"):
        page = world.client(name).get(PAGE)
        assert "Which corpora are allowed?" in words(page)
        assert "ornithology" not in page.text
        assert "birch" not in page.text
    assert "ornithology" in world.client("bo").get(PAGE).text


def test_public_answer_needs_a_public_question(world: World) -> None:
    question_id = ask(world)
    sent = {"text": "Yes.", "readers": "everyone", "public_question": " "}
    refused = world.client("ada").post(f"{ORGANIZE}/{question_id}", sent)
    assert refused.status_code == 422
    assert "Enter the question as everyone will read it." in words(refused)
    assert world.session.query(Answer).count() == 0


def test_second_click_asks_and_answers_once(world: World, sink: Sink) -> None:
    question_id = ask(world)
    ask(world)
    for _ in range(2):
        world.client("ada").post(f"{ORGANIZE}/{question_id}", {"text": "Yes.", "readers": "team"})
    assert (world.session.query(Question).count(), world.session.query(Answer).count()) == (1, 1)
    world.work(DURING)
    assert recipients(sink) == ["ada", "bo", "cy"]


def test_later_answer_is_added_below_the_first_one(world: World) -> None:
    question_id = ask(world)
    for number, text in enumerate(("Yes.", "No, we were wrong.")):
        sent = {"text": text, "readers": "team", "known_answers": str(number)}
        world.client("ada").post(f"{ORGANIZE}/{question_id}", sent)
    page = words(world.client("bo").get(PAGE))
    assert page.index("Yes.") < page.index("No, we were wrong.")


def test_team_with_ten_unanswered_questions_has_to_wait(world: World) -> None:
    for number in range(questions.MAX_UNANSWERED):
        ask(world, text=f"Question {number}?")
    refused = world.client("bo").post(PAGE, {"text": "One more?"}, follow_redirects=True)
    assert "10 questions of your team wait for an answer." in words(refused)
    assert world.session.query(Question).count() == questions.MAX_UNANSWERED


def test_archived_task_takes_no_questions(world: World) -> None:
    with db.writing(world.session):
        world.task.state = "archived"
    refused = world.client("bo").post(PAGE, {"text": TEXT}, follow_redirects=True)
    assert "questions are closed" in words(refused)
    assert "Send question" not in refused.text
    assert world.session.query(Question).count() == 0


def test_questions_can_be_asked_and_answered_by_api(world: World) -> None:
    asked = Program(world, "bo", "submit").post("/tasks/small/questions", {"text": TEXT})
    assert asked.status_code == 201
    question_id = asked.json["id"]
    ada, path = Program(world, "ada", "read", "organize"), f"/tasks/small/questions/{question_id}/answers"
    assert ada.post(path, {"text": "Yes.", "public_question": "Which corpora?"}).status_code == 201
    (question,) = ada.get("/tasks/small/questions").json["questions"]
    assert (question["team"], question["answers"][0]["text"]) == ("birch", "Yes.")
    (public,) = world.client().get("/api/v1/tasks/small/questions").json["public_answers"]
    assert (public["public_question"], public["text"]) == ("Which corpora?", "Yes.")


def test_person_who_opted_out_gets_no_email_about_questions(world: World, sink: Sink) -> None:
    world.client("ada").post("/account/mails", {"announcement": "y"})
    ask(world)
    world.work(DURING)
    assert sink.mails == []
    assert world.session.query(Mail).count() == 0


def test_audit_log_has_numbers_and_no_texts(world: World) -> None:
    question_id = ask(world)
    world.client("ada").post(f"{ORGANIZE}/{question_id}", {"text": "Yes.", "readers": "team"})
    entries = world.session.query(AuditEntry).filter(AuditEntry.action.like("question.%")).all()
    assert [entry.action for entry in entries] == ["question.ask", "question.answer"]
    assert not re.search("ornithology|Yes", str([entry.details for entry in entries]))
    log = words(world.client("ada").get("/tasks/small/organize/log"))
    assert f"answered question {question_id} of birch" in log


def test_log_of_a_team_has_its_questions_for_organizers(world: World) -> None:
    question_id, other_id = ask(world), world.found_team("dee", "alder").id
    world.client("ada").post(f"{ORGANIZE}/{question_id}", {"text": "Yes.", "readers": "team"})
    log = words(world.client("ada").get(f"/tasks/small/organize/log?team={world.team.id}"))
    assert f"asked question {question_id} for birch" in log
    assert f"answered question {question_id} of birch" in log
    assert "question" not in words(world.client("ada").get(f"/tasks/small/organize/log?team={other_id}"))


def test_second_organizer_sees_the_answer_of_the_first_before_sending_another(world: World) -> None:
    question_id = ask(world)
    page, ada = f"{ORGANIZE}/{question_id}", world.client("ada")
    assert ada.post(page, {"text": "Yes.", "readers": "team", "known_answers": "0"}).status_code == 302
    late = ada.post(page, {"text": "No.", "readers": "team", "known_answers": "0"})
    assert late.status_code == 422
    assert "Someone else has answered this question in the meantime." in words(late)
    assert "Yes." in words(late)
    assert "No." in late.text
    assert world.session.query(Answer).count() == 1
    assert ada.post(page, {"text": "No.", "readers": "team", "known_answers": "1"}).status_code == 302


def test_public_answer_tells_the_team_how_the_question_was_reworded(world: World, sink: Sink) -> None:
    question_id = ask(world)
    shown = words(world.client("ada").post(f"{ORGANIZE}/{question_id}", PUBLIC_ANSWER, follow_redirects=True))
    assert "everyone can read it on the page Questions" in shown
    world.work(DURING)
    text = next(mail for mail in sink.mails if mail["Subject"].startswith("Answer"))
    assert "Which corpora are allowed?" in text.get_body(("plain",)).get_content()
