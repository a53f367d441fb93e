import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest

from server.annotation.answers import tickets
from server.annotation.answers.receive import receive_answer
from server.annotation.answers.rules import GivenAnswer
from server.annotation.campaigns import people, personal_links, service as campaigns
from server.annotation.models import Annotator, AnswerText, Consent, UnitAnswer
from server.core import db
from tests.server.annotation.small_campaign import (
    Hand,
    add_campaign,
    add_links,
    begin,
    close_round,
    configure,
    get_round,
    list_answers,
)
from tests.server.visitors import words
from tests.server.world import DURING, World, max_queries

pytestmark = pytest.mark.one_database


def values(world: World) -> list[tuple[float | None, str]]:
    return [(answer.value, answer.standing) for answer in list_answers(world)]


def test_annotator_consents_answers_everything_and_hands_in(world: World) -> None:
    add_campaign(world, configure())
    hand = Hand(world, add_links(world)[0])
    page = hand.get(f"/a/me/{hand.key}")
    assert "<strong>published</strong>" in page.text
    assert world.session.query(Consent).count() == 0
    page = hand.enter()
    assert page.request.path == "/a/1/"
    page = hand.send("Begin")
    seen = set()
    for number, value in enumerate((6, 0, 3), 1):
        assert f"{number} of 3" in words(page)
        assert "secret" not in page.text  # a column that the round does not show
        seen.add(re.search(r"harbour\. (\d)", page.text)[1])
        page = hand.answer(value)
    assert len(seen) == 3
    assert "Everything is answered" in words(page)
    assert "Thank you" in words(hand.send("Hand in"))
    assert values(world) == [(6, "counts"), (0, "counts"), (3, "counts")]
    assert "handed in" in words(hand.get("/a/1/"))
    log = words(world.client("ada").get("/tasks/small/organize/log"))
    assert "Annotator A001 of alike handed in assignment 1 of plan 1" in log


def test_double_click_reload_and_retry_add_no_row(world: World) -> None:
    hand = begin(world)
    first = hand.page
    pages = set()
    for _ in range(3):
        hand.page = first
        pages.add(hand.answer(4).request.path)
    assert values(world) == [(4, "counts")]
    assert len(pages) == 1


@pytest.mark.both_databases
def test_twenty_equal_posts_at_once_add_one_row(world: World) -> None:
    hand, start = begin(world), Barrier(20)
    address, form = hand.form_address("ticket"), {**hand.hidden("ticket"), "value": "4"}

    def post(_number: int) -> tuple[int, str]:
        start.wait()
        sent = world.client().open(address, method="POST", data=form)
        return sent.status_code, sent.headers["Location"]

    world.site.session.remove()
    with ThreadPoolExecutor(20) as pool:
        assert set(pool.map(post, range(20))) == {(303, "/a/1/assignments/1/next?saved=yes")}
    assert values(world) == [(4, "counts")]


@pytest.mark.both_databases
def test_two_tabs_that_send_different_values_at_once_keep_both(world: World) -> None:
    hand, start = begin(world), Barrier(2)
    address = hand.form_address("ticket")
    forms = [{**hand.hidden("ticket"), "value": "4"}]
    hand.get(hand.page.request.path)
    forms.append({**hand.hidden("ticket"), "value": "2"})

    def post(form: dict[str, str]) -> int:
        start.wait()
        return world.client().open(address, method="POST", data=form).status_code

    world.site.session.remove()
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(post, forms)) == [303, 303]
    first, second = list_answers(world)
    assert {first.value, second.value} == {2, 4}
    assert (first.supersedes_id, second.supersedes_id) == (None, first.id)


@pytest.mark.both_databases
def test_server_that_dies_before_the_commit_stores_nothing_and_the_form_can_be_sent_again(
    world: World,
) -> None:
    hand = begin(world)
    ticket = tickets.read_ticket(world.site.config.secret_key, hand.hidden("ticket")["ticket"], DURING)
    db.begin_writing(world.session)
    receive_answer(world.session, ticket, GivenAnswer(4.0), DURING)
    world.session.rollback()  # as the database does once the connection is lost
    assert values(world) == []
    hand.answer(4)
    assert values(world) == [(4, "counts")]


def test_own_answer_can_be_changed_and_both_answers_stay(world: World) -> None:
    hand = begin(world)
    first = hand.page.request.path
    hand.answer(4)
    page = hand.get(first)
    assert re.search(r'value="4"[^>]*aria-current="true"', page.text)
    page = hand.answer(5)
    assert "2 of 3" in words(page)
    assert "another window" not in words(page)
    answers = list_answers(world)
    assert [(answer.value, answer.supersedes_id) for answer in answers] == [(4, None), (5, answers[0].id)]


def test_confirming_the_own_answer_adds_no_row(world: World) -> None:
    hand = begin(world)
    first = hand.page.request.path
    hand.answer(4)
    hand.get(first)
    hand.answer(4)
    assert values(world) == [(4, "counts")]


def begin_in_two_tabs(world: World) -> Hand:
    """One tab has sent 4, and the other still shows the question."""
    hand = begin(world)
    tab = hand.page
    other_tab = hand.get(tab.request.path)
    hand.page = tab
    hand.answer(4)
    hand.page = other_tab
    return hand


def test_same_value_of_another_tab_adds_no_row(world: World) -> None:
    hand = begin_in_two_tabs(world)
    assert "another window" not in words(hand.answer(4))
    assert values(world) == [(4, "counts")]


def test_other_value_of_another_tab_supersedes_it_and_the_page_shows_both(world: World) -> None:
    hand = begin_in_two_tabs(world)
    question, page = hand.page.request.path, hand.answer(2)
    assert "You had answered this question in another window: 4. Now your answer is 2." in words(page)
    answers = list_answers(world)
    assert [(answer.value, answer.supersedes_id) for answer in answers] == [(4, None), (2, answers[0].id)]
    back = re.search(r'href="([^"]*)">Change it', page.text)
    assert back is not None
    assert back[1] == question
    hand.get(back[1])
    hand.answer(4)
    assert [value for value, _standing in values(world)] == [4, 2, 4]


def test_form_that_the_browser_shows_again_as_it_was_sent_can_change_the_answer(world: World) -> None:
    hand = begin(world)
    first = hand.page
    hand.answer(4)
    hand.page = first  # by the button Back, without a request
    assert "another window" not in words(hand.answer(1))
    hand.page = first
    hand.answer(1)
    assert values(world) == [(4, "counts"), (1, "counts")]
    hand.page = first
    hand.answer(4)  # a late retry of the first request
    assert values(world) == [(4, "counts"), (1, "counts")]


def test_answer_after_the_round_closed_is_kept_as_late_and_the_page_says_so(world: World) -> None:
    hand = begin(world)
    step = hand.page
    hand.answer(4)
    hand.page = step
    close_round(world)
    page = hand.answer(2)
    assert values(world) == [(4, "counts"), (2, "late")]
    assert list_answers(world)[1].supersedes_id is None
    assert "came too late" in words(page)
    assert "This annotation is closed." in words(page)
    hand.page = step
    hand.answer(2)
    assert len(values(world)) == 2


def test_answer_after_handing_in_is_late(world: World) -> None:
    hand = begin(world, n_units=1, assignment=1)
    step = hand.page
    hand.answer(4)
    hand.send("Hand in")
    hand.page = step
    assert "came too late" in words(hand.answer(2))
    assert values(world) == [(4, "counts"), (2, "late")]


def test_answer_to_a_slot_that_was_reassigned_counts(world: World, set_clock) -> None:
    hand = begin(world, n_units=2, assignment=2, answers=1)
    step = hand.page
    later = DURING + timedelta(hours=337)
    set_clock(later)
    other = Hand(world, add_links(world)[0])
    other.begin()
    for value in (1, 2):
        other.answer(value)
    assert len(values(world)) == 2
    hand.page = step
    hand.answer(5)
    assert values(world) == [(1, "counts"), (2, "counts"), (5, "counts")]


def test_answer_without_the_cookie_is_stored_and_then_the_link_is_asked_for(world: World) -> None:
    hand = begin(world)
    hand.visitor = world.client()
    page = hand.answer(4)
    assert values(world) == [(4, "counts")]
    assert page.status_code == 403
    assert "Your answer was saved." in words(page)
    assert "Open the personal link" in words(page)


def test_answer_after_29_days_is_stored_and_after_31_days_what_was_typed_is_repeated(
    world: World, set_clock
) -> None:
    hand = begin(world, comment=True)
    step = hand.page
    set_clock(DURING + timedelta(days=29))
    hand.answer(4)
    set_clock(DURING + timedelta(days=31))
    hand.page = step
    page = hand.answer(2, comment="An *odd* pair")
    assert page.status_code == 400
    assert "An *odd* pair" in words(page)
    assert f'href="{step.request.path}"' in page.text
    assert values(world) == [(4, "counts")]


@pytest.mark.parametrize("damage", ["", "nonsense", "reversed", "of another step", "of another key"])
def test_forged_ticket_stores_nothing(world: World, damage: str) -> None:
    hand = begin(world)
    address, ticket = hand.form_address("ticket"), hand.hidden("ticket")["ticket"]
    if damage == "of another step":
        hand.answer(1)
        address = hand.form_address("ticket")
    elif damage == "of another key":
        key = personal_links.hash_key(hand.key)
        forged = tickets.make_ticket(key, int(address.rpartition("/")[2]), None, DURING)
        ticket = tickets.sign_ticket("u" * 32, forged)
    sent = {"reversed": ticket[::-1], "nonsense": "nonsense", "": ""}.get(damage, ticket)
    page = hand.visitor.open(address, method="POST", data={"ticket": sent, "value": "3"})
    assert page.status_code == 400
    assert "The answer was not saved" in words(page)
    assert len(values(world)) == (damage == "of another step")


def test_form_without_a_value_shows_every_problem_and_what_was_typed(world: World) -> None:
    hand = begin(world, comment=True, cannot_judge=True)
    page = hand.answer("7", comment="c" * 2001)
    assert page.status_code == 422
    assert "Choose an answer." in words(page)
    assert "The comment can have at most 2000 characters." in words(page)
    assert "c" * 2001 in page.text
    assert values(world) == []
    hand.answer("6", comment="short")
    assert values(world) == [(6, "counts")]


def test_comment_and_inability_to_judge_are_kept_apart_from_the_answer(world: World) -> None:
    hand = begin(world, comment=True, cannot_judge=True)
    first = hand.page.request.path
    hand.answer("cannot", reason=" Not English.\r\nAt all. ", comment="Odd")
    answer = list_answers(world)[0]
    text = world.session.query(AnswerText).one()
    assert (answer.value, answer.standing) == (None, "counts")
    assert (text.comment, text.reason) == ("Odd", "Not English.\nAt all.")
    assert len(answer.texts_sha256 or "") == 64
    page = hand.get(first)
    assert "Odd</textarea>" in page.text
    assert re.search(r'value="cannot"[^>]* aria-current="true"', page.text)
    hand.answer("2", reason="Not English.")
    newest = list_answers(world)[1]
    assert (newest.value, newest.texts_sha256) == (2, None)


def test_clocks_are_of_the_server_and_untrue_times_of_the_page_are_dropped(world: World, set_clock) -> None:
    hand = begin(world)
    set_clock(DURING + timedelta(seconds=10))
    hand.answer(1, visible_ms="11500", input="touch")
    set_clock(DURING + timedelta(seconds=20))
    hand.answer(2, visible_ms="12500", input="tapped")
    hand.answer(3, visible_ms="-5")
    first, second, third = list_answers(world)
    assert (first.shown_at, first.arrived_at) == (DURING, DURING + timedelta(seconds=10))
    assert (first.visible_ms, first.input) == (11500, "touch")
    assert (second.visible_ms, second.input) == (None, "none")
    assert third.visible_ms is None


def test_withdrawing_ends_the_work_and_nothing_more_is_stored(world: World) -> None:
    hand = begin(world)
    step = hand.page
    hand.get("/a/1/withdraw")
    assert "You have withdrawn your consent" in words(hand.send("Withdraw consent"))
    hand.page = step
    assert hand.answer(4).status_code == 409
    assert values(world) == []
    assert "You have withdrawn your consent" in words(hand.get("/a/1/"))
    assert "You have withdrawn your consent" in words(hand.get(f"/a/me/{hand.key}"))


def test_stopping_leaves_the_rest_to_others_and_the_annotator_can_come_back(world: World) -> None:
    hand = begin(world, n_units=3, assignment=3, answers=1)
    hand.answer(4)
    hand.get("/a/1/")
    page = hand.send("leave the rest to others")
    assert "1 of 3 answered" in words(page)
    assert "2 of 3" in words(hand.send("Continue"))
    hand.answer(2)
    assert len(values(world)) == 2


def test_annotators_see_only_their_own_pages(world: World) -> None:
    hand = begin(world)
    other = Hand(world, add_links(world)[0])
    other.enter()
    step = hand.page.request.path
    assert other.get(step).status_code == 404
    assert other.get("/a/1/assignments/1/end").status_code == 404
    assert world.client().get(step).status_code == 403
    hand.get("/a/1/")
    token = hand.hidden("leave the rest")["csrf_token"]
    stop = other.visitor.open("/a/1/assignments/1/stop", method="POST", data={"csrf_token": token})
    assert stop.status_code == 400


def test_replaced_link_ends_the_work_of_its_browsers(world: World) -> None:
    hand = begin(world)
    with db.writing(world.session):
        annotator = world.session.query(Annotator).one()
        people.replace_link(world.session, world.actor("ada"), annotator, DURING)
    assert hand.get("/a/1/").status_code == 403
    assert hand.get(f"/a/me/{hand.key}").status_code == 410


OWN, FOREIGN = "http://localhost", "https://other.example"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 303),
        ({"Sec-Fetch-Site": "same-origin", "Origin": "null"}, 303),
        ({"Origin": OWN}, 303),
        ({"Origin": FOREIGN}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Origin": OWN}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
    ],
)
def test_another_website_cannot_put_a_browser_under_another_pseudonym(
    world: World, headers: dict[str, str], status: int
) -> None:
    hand = begin(world)
    other = Hand(world, add_links(world)[0])
    other.get(f"/a/me/{other.key}")
    address, form = f"/a/me/{other.key}", other.hidden("I consent")
    sent = hand.visitor.open(address, method="POST", data=form, headers=headers)
    assert sent.status_code == status
    assert (hand.get("/a/1/steps/1").status_code == 200) is (status == 403)
    assert (world.session.query(Consent).count() == 1) is (status == 403)


def test_opening_pages_writes_nothing(world: World) -> None:
    hand = begin(world)
    hand.answer(3)
    before = world.session.query(UnitAnswer).count(), world.session.query(Consent).count()
    for path in (
        f"/a/me/{hand.key}",
        "/a/1/",
        "/a/1/assignments/1/next",
        "/a/1/withdraw",
        hand.page.request.path,
    ):
        assert hand.visitor.get(path).status_code in (200, 302)
    assert (world.session.query(UnitAnswer).count(), world.session.query(Consent).count()) == before


def test_page_of_a_link_tells_its_path_to_nobody(world: World) -> None:
    hand = begin(world)
    for path in (f"/a/me/{hand.key}", "/reset-password/x", "/tasks/small/join/x", "/tasks/small/roles/x"):
        response = hand.visitor.get(path)
        assert response.headers.getlist("Referrer-Policy") == ["strict-origin"]
        assert response.headers["Cache-Control"] == "no-store"


def test_rating_takes_two_requests_and_the_same_few_queries_in_long_assignments(world: World) -> None:
    hand = begin(world, n_units=40, assignment=40, answers=1)
    for number in range(30):
        hand.answer(number % 7)
    address, form = hand.form_address("ticket"), {**hand.hidden("ticket"), "value": "4"}
    with max_queries(world, 13):
        answer = hand.visitor.open(address, method="POST", data=form)
    assert answer.status_code == 303
    with max_queries(world, 8):
        page = hand.visitor.get(answer.location)
    assert page.status_code == 200
    assert "32 of 40" in page.text
    script = hand.visitor.open(address, method="POST", data=form, headers={"Accept": "application/json"})
    assert script.get_json() == {"location": answer.location}
    assert len(list_answers(world)) == 31


def test_answer_is_followed_by_the_own_page_if_the_annotator_cannot_work_any_more(world: World) -> None:
    hand = begin(world)
    with db.writing(world.session):
        campaigns.pause_round(world.session, world.actor("ada"), get_round(world), DURING)
    hand.answer(3)
    assert (hand.page.status_code, hand.page.request.path) == (200, "/a/1/")
    assert len(list_answers(world)) == 1
