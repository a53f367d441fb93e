"""Annotators in a real browser: by keyboard, by touch at 360 px, without script, and on a bad line."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Response, Route, ViewportSize, expect

from scorer.campaigns.config import CampaignConfig, GoldRule
from scorer.campaigns.reader import read_campaign
from server.access import tasks
from server.accounts.models import User
from server.annotation.models import Annotator, AnswerText, Campaign, Decision, Step, UnitAnswer
from server.core.actors import Actor
from server.core.site_resources import Site
from tests.browser.conftest import ADA, PASSWORD, LastingSite
from tests.browser.looking import look_at, resize
from tests.scorer.small_campaign import write_chain
from tests.scorer.stages_campaign import write_stages
from tests.server.annotation.small_campaign import configure, make_campaign, make_links

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("site")]
HEBREW = ("הספינה עזבה את הנמל. " * 60, "סירה הפליגה.")
SIDEWAYS = "() => document.documentElement.scrollWidth > document.documentElement.clientWidth"
NOT_SAVED = "Not saved yet"
SMALL_PHONE = ViewportSize(width=360, height=640)
HIDDEN = """() => [...document.querySelectorAll("main button, main label, main a")].filter(choice => {
    choice.scrollIntoView({block: "nearest"});
    const {left, top, width, height} = choice.getBoundingClientRect();
    const seen = document.elementFromPoint(left + width / 2, top + height / 2);
    const takesTaps = choice.checkVisibility() && width && getComputedStyle(choice).pointerEvents !== "none";
    return takesTaps && !choice.contains(seen);
}).map(choice => `hidden: ${choice.outerHTML}`)"""
"""What cannot be tapped because something else is over it."""
HIDE_KEYS = "document.querySelectorAll('.point kbd').forEach(key => key.hidden = true)"
PLACES = """() => [...document.querySelectorAll(
    ".answering button, .ruler, .candidate label, .long:not(:has(.ruler)) label"
)].map(choice => JSON.stringify(choice.getBoundingClientRect()))"""
SENTENCE = "The ship left the harbour before the storm came, and nobody saw it again. "


def look(page: Page) -> list[str]:
    """What is wrong with an annotators' page, in light and dark and on small phones."""
    faults = look_at(page, "light", "dark")
    for height in (640, 740):
        resize(page, ViewportSize(width=360, height=height))
        faults += page.evaluate(HIDDEN)
    return faults


@pytest.fixture
def site(lasting_site: LastingSite) -> str:
    """The address of a site to which each test adds a campaign of its own."""
    return lasting_site.address


def add(rows: Site, config: CampaignConfig) -> str:
    """The path of the personal link of the only annotator of a new campaign."""
    return add_links(rows, config, 1)[0]


def add_links(rows: Site, config: CampaignConfig, count: int) -> list[str]:
    """The paths of the personal links of a new campaign."""
    session, now = rows.session(), datetime.now(UTC)
    actor = Actor(user_id=session.query(User).filter_by(email=ADA).one().id)
    task = tasks.get_task(session, "harbour-2026")
    own_slug = f"{config.slug}-{session.query(Campaign).count()}"
    campaign_id = make_campaign(rows, actor, task, replace(config, slug=own_slug), now)
    return [f"/a/me/{key}" for key in make_links(rows, actor, campaign_id, count, now)]


def list_answers(rows: Site) -> list[UnitAnswer]:
    """The answers to the newest campaign."""
    rows.session.remove()
    session = rows.session()
    newest = session.query(Campaign.id).order_by(Campaign.id.desc()).limit(1).scalar_subquery()
    answers = session.query(UnitAnswer).join(Step).join(Annotator).filter(Annotator.campaign_id == newest)
    return answers.order_by(UnitAnswer.id).all()


def keep(response: Response, folder: Path) -> None:
    """Keep the HTML of a page."""
    if response.request.is_navigation_request() and response.status == 200:
        (folder / f"{len(list(folder.iterdir()))}.html").write_text(response.text(), encoding="utf-8")


def begin(page: Page, link: str) -> None:
    page.goto(link)
    page.get_by_role("button", name="I consent").click()
    page.get_by_role("button", name="Begin").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("1 of ")


def sign_in(page: Page) -> None:
    """Sign in as the organizer."""
    page.emulate_media(reduced_motion="reduce")
    page.goto("/sign-in")
    page.get_by_label("Email").fill(ADA)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").last.click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()


def expect_step(page: Page, number: int, of: int) -> None:
    """The page of a step, on which keys work by now."""
    expect(page.get_by_role("heading", level=1)).to_have_text(f"{number} of {of}")
    expect(page.get_by_text("Keys: a number")).to_be_visible()


def test_units_are_rated_by_keyboard_alone(visitor: Callable[[], Page], rows: Site) -> None:
    page = visitor()
    page.goto(add(rows, configure(7, answers=1, assignment=7)))
    page.get_by_role("button", name="I consent").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Begin").focus()
    page.keyboard.press("Enter")
    for number in range(1, 8):
        expect_step(page, number, 7)
        page.keyboard.press(str(number % 7))
    expect(page.get_by_role("heading", level=1)).to_have_text("Everything is answered")
    page.wait_for_timeout(300)
    page.keyboard.press("u")
    expect_step(page, 7, 7)
    expect(page.get_by_role("button", name="(your answer)")).to_contain_text("0")
    page.keyboard.press("5")
    expect(page.get_by_role("heading", level=1)).to_have_text("Everything is answered")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Thank you")
    answers = list_answers(rows)
    assert [answer.value for answer in answers] == [1, 2, 3, 4, 5, 6, 0, 5]
    assert {answer.input for answer in answers} == {"key"}
    for answer in answers:
        elapsed = (answer.arrived_at - answer.shown_at).total_seconds()
        assert answer.visible_ms is not None
        assert 0 < answer.visible_ms / 1000 <= elapsed + 0.2


def test_answers_on_a_bad_line_are_stored_once_without_help(visitor: Callable[[], Page], rows: Site) -> None:
    page, sent = visitor(), list[str]()
    begin(page, add(rows, configure(6, answers=1, assignment=6)))

    def pass_on(route: Route) -> None:
        """Every fifth reply is lost after the server stored the answer, every seventh request before."""
        if route.request.method != "POST":
            route.continue_()
            return
        sent.append(route.request.url)
        if len(sent) % 7 == 0:
            route.abort()
        elif len(sent) % 5 == 0:
            route.fetch()
            route.abort()
        else:
            route.continue_()

    page.route("**/steps/*", pass_on)
    for number in range(1, 7):
        expect_step(page, number, 6)
        page.keyboard.press(str(number))
    expect(page.get_by_role("heading", level=1)).to_have_text("Everything is answered")
    assert len(sent) > 7
    assert [answer.value for answer in list_answers(rows)] == [1, 2, 3, 4, 5, 6]


def test_what_was_entered_survives_a_lost_connection_and_a_reload(
    visitor: Callable[[], Page], rows: Site
) -> None:
    page = visitor()
    begin(page, add(rows, configure(2, answers=1, assignment=2, comment=True, scale=(0, 4, 0.25))))
    page.route(
        "**/steps/*", lambda route: route.abort() if route.request.method == "POST" else route.continue_()
    )
    page.get_by_text("Write a comment").click()
    page.get_by_label("Comment (optional)").fill("An odd pair")
    page.locator("input[value='1.25']").evaluate("radio => radio.click()")
    page.get_by_role("button", name="Next").click()
    expect(page.locator("form .saving")).to_contain_text(NOT_SAVED)
    assert list_answers(rows) == []
    page.on("dialog", lambda dialog: dialog.accept())
    page.reload()
    expect(page.locator("form .saving")).to_contain_text("filled in again")
    expect(page.get_by_label("Comment (optional)")).to_have_value("An odd pair")
    expect(page.locator("input[value='1.25']")).to_be_checked()
    page.get_by_role("button", name="Next").click()
    expect(page.locator("form .saving")).to_contain_text(NOT_SAVED)
    page.unroute("**/steps/*")
    expect(page.get_by_role("heading", level=1)).to_have_text("2 of 2")
    assert [answer.value for answer in list_answers(rows)] == [1.25]
    expect(page.get_by_label("Comment (optional)")).to_have_value("")


def test_press_on_a_ruler_answers_where_steps_are_wide_and_moves_the_pointer_where_they_are_narrow(
    visitor: Callable[[], Page], rows: Site
) -> None:
    page, long = visitor(), ("The ship left the harbour. " * 30, "A boat sailed off.")
    begin(page, add(rows, configure(3, answers=1, assignment=3, scale=(0, 4, 0.25), texts=long)))
    value, button = page.locator(".track output"), page.get_by_role("button", name="Next")
    expect(value).to_be_hidden()
    button.click()  # nothing is chosen, so the browser says so
    assert list_answers(rows) == []
    page.wait_for_timeout(500)
    page.locator(".track").click()
    expect_step(page, 2, 3)
    page.keyboard.press("4")
    page.keyboard.press("ArrowRight")  # there is no point after the last one
    expect(value).to_have_text("4")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect_step(page, 3, 3)
    page.set_viewport_size(SMALL_PHONE)
    expect(button).to_be_in_viewport(ratio=1)
    page.wait_for_timeout(500)
    page.locator(".track").click()
    expect(value).to_have_text("2")
    page.get_by_role("button", name="One step less").click()
    expect(value).to_have_text("1.75")
    button.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Everything is answered")
    assert [answer.value for answer in list_answers(rows)] == [2, 3.75, 1.75]


def configure_lengths(config: CampaignConfig, kind: str) -> CampaignConfig:
    """A campaign of the first round of a kind, with texts of one word and of 300 words."""
    round_ = next(each for each in config.rounds if each.kind == kind)
    units = tuple(
        replace(
            unit,
            texts=dict.fromkeys(unit.texts, text),
            candidates=unit.candidates and tuple(replace(each, text=text) for each in unit.candidates),
        )
        for unit, n_words in zip(round_.units, (1, 300), strict=False)
        for text in [" ".join((SENTENCE * 30).split()[:n_words])]
    )
    alone = replace(round_, units=units, answers=1, assignment=2, groups="free", order="given")
    return replace(config, rounds=(alone,), gold=None)


@pytest.mark.parametrize("script", [True, False])
def test_buttons_keep_their_places_whatever_the_length_of_the_texts(
    visitor: Callable[[], Page], rows: Site, tmp_path: Path
) -> None:
    chain = read_campaign(write_chain(tmp_path))
    rating = [configure(2, scale=scale, cannot_judge=True) for scale in ((0, 8, 1), (0, 4, 0.25))]
    for config in (*(configure_lengths(each, "rate") for each in rating), configure_lengths(chain, "bws")):
        page, places = visitor(), []
        begin(page, add(rows, config))
        for number in (1, 2):
            expect(page.get_by_role("heading", level=1)).to_have_text(f"{number} of 2")
            for size in (ViewportSize(width=1280, height=800), SMALL_PHONE):
                page.set_viewport_size(size)
                page.wait_for_timeout(100)
                places.append(page.evaluate(PLACES))
                page.evaluate(HIDE_KEYS)
                assert page.evaluate(PLACES) == places[-1], "the hints of keys appear later"
            page.locator(".reading").press("End")
            for name in ("[name=best][value='1']", "[name=worst][value='2']", ".long [value='1']"):
                page.locator(name).evaluate_all("radios => radios.map(radio => radio.click())")
            page.wait_for_timeout(500)
            below = page.locator(".reading").evaluate("texts => texts.scrollTop")
            page.locator(".answering [type=submit]").first.click()
        assert places == places[:2] * 2
        assert len(places[0]) > 3
        assert below > 0


@pytest.mark.parametrize("scale", [(0, 6, 1), (0, 4, 0.25)])
def test_pages_are_accessible_and_fit_a_phone_in_light_and_dark(
    visitor: Callable[[], Page], rows: Site, pages: Path, scale: tuple[float, float, float]
) -> None:
    page, link = visitor(), add(
        rows,
        configure(
            1, answers=1, assignment=1, scale=scale, comment=scale[2] < 1, cannot_judge=scale[2] < 1,
            texts=HEBREW, text_language="he",
        ),
    )  # fmt: skip
    page.on("response", lambda response: keep(response, pages))
    page.emulate_media(reduced_motion="reduce")  # axe-core reads colours while they change
    page.goto(link)
    look_around = look if scale[2] == 1 else lambda _page: []  # pages that are the same for every scale
    faults = look_around(page)
    page.get_by_role("button", name="I consent").click()
    faults += look_around(page)
    page.get_by_role("button", name="Begin").click()
    text = page.locator(".texts p").first
    assert text.get_attribute("lang") == "he"
    assert text.evaluate("element => getComputedStyle(element).direction") == "rtl"
    faults += look(page)
    resize(page, SMALL_PHONE)
    page.evaluate("scrollTo(0, 0)")
    expect(page.locator(".answering [type=submit]").last).to_be_in_viewport(ratio=1)
    if scale[2] < 1:
        page.get_by_text("Write a comment").click()
        page.get_by_label("Why you cannot judge it").fill("It is not English.")
        faults += look(page)
        page.get_by_role("button", name="I cannot judge this").click()
    else:
        page.get_by_role("button", name="identical").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Everything is answered")
    faults += look_around(page)
    page.get_by_role("link", name="Previous answer").click()
    faults += look(page)
    page.get_by_role("link", name="Stop, or take a break").click()
    page.get_by_role("link", name="Withdraw your consent").click()
    faults += look_around(page)
    assert not faults, "\n".join(faults)
    assert len(list(pages.iterdir())) >= 6


def test_tuples_and_the_pause_between_passes_are_accessible_and_answered_by_keys(
    visitor: Callable[[], Page], rows: Site, tmp_path: Path, pages: Path
) -> None:
    page = visitor()
    page.on("response", lambda response: keep(response, pages))
    page.emulate_media(reduced_motion="reduce")
    page.goto(add(rows, read_campaign(write_chain(tmp_path))))
    page.get_by_role("button", name="I consent").click()
    page.locator("form:has([value=bws]) button").click()
    expect(page.get_by_text("Keys: a number")).to_be_visible()
    faults = look(page)
    page.keyboard.press("2")
    page.keyboard.press("c")
    texts = page.locator(".candidate p").all_text_contents()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Everything is answered")
    (answer,) = list_answers(rows)
    keys = {text: key for key, text in answer.step.unit.candidates or ()}
    assert answer.picks == {"best": keys[texts[1]], "worst": keys[texts[2]]}
    page.get_by_role("link", name="Your page").click()
    page.locator("form:has([value=rate]) button").click()
    for number in range(1, 6):
        expect(page.get_by_role("heading", level=1)).to_contain_text(f"{number} of 5")
        expect(page.get_by_text("Keys: a number")).to_be_visible()
        page.keyboard.press("4")
    expect(page.get_by_role("heading", level=1)).to_have_text("The first reading is done")
    page.get_by_role("link", name="Your page").click()
    faults += look(page)
    assert not faults, "\n".join(faults)


def begin_round(page: Page, rows: Site, folder: Path, slug: str, **files: str) -> None:
    """Consent, and begin a round of the campaign of the first stages; `files` replaces some of its files."""
    page.emulate_media(reduced_motion="reduce")
    page.goto(add(rows, read_campaign(write_stages(folder, **files))))
    page.get_by_role("button", name="I consent").click()
    page.locator(f"form:has([value={slug}]) button").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("1 of ")


def test_three_sentences_are_chosen_and_rated_by_seven_keys_or_seven_presses(
    visitor: Callable[[], Page], rows: Site, tmp_path: Path, pages: Path
) -> None:
    page = visitor()
    page.on("response", lambda response: keep(response, pages))
    begin_round(page, rows, tmp_path, "choose")
    expect(page.get_by_text("Keys: the letter")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text("Press the sentence for A.")
    page.keyboard.press("d")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text("Rate the sentence A.")
    expect(page.locator(".missing")).to_be_in_viewport()
    faults = look(page)
    resize(page, ViewportSize(width=1280, height=640))
    assert not page.evaluate(SIDEWAYS)
    for button in ("Next", "Report 2"):
        expect(page.get_by_text(button).first).to_be_in_viewport()
    for key in ("h", "4", "e", "2", "n", "f", "0", "n", "n"):  # d above: seven keys, and other reports
        page.keyboard.press(key)
    expect(page.locator(".plain mark").first).to_be_attached()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("2 of ")
    second = page.get_by_role("tab", name="Report 2")
    expect(second).to_have_attribute("aria-selected", "true")  # of the same incident
    sentences, points = page.locator("section:visible .sentence p"), page.locator(".slot.active .point")
    for sentence, point in ((0, 3), (2, 1), (1, 0)):
        sentences.nth(sentence).click()
        points.nth(point).click()
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("3 of|Everything is answered"))
    first, other = list_answers(rows)
    keys = {slot: (key.partition("-")[2], rating) for slot, (key, rating) in (first.picks or {}).items()}
    assert keys == {"A": ("first1", 4), "B": ("first2", 2), "C": ("second3", 0)}
    keys = {slot: (key.partition("-")[2], rating) for slot, (key, rating) in (other.picks or {}).items()}
    assert keys == {"A": ("second1", 3), "B": ("second3", 1), "C": ("second2", 0)}
    assert (first.input, other.input) == ("key", "pointer")
    assert not faults, "\n".join(faults)


def test_place_in_a_long_report_stays_and_letters_choose_what_is_in_view(
    visitor: Callable[[], Page], rows: Site, tmp_path: Path
) -> None:
    page = visitor()
    lines = (f"{each}-{n:02}\t{each}\tonly\tThe boat {n} left.\n" for each in "abc" for n in range(1, 61))
    reports = f"key\tgroup\treport\tsentence\n{''.join(lines)}"
    begin_round(page, rows, tmp_path, "choose", reports=reports)
    resize(page, ViewportSize(width=1280, height=640))
    expect(page.get_by_text("Keys: the letter")).to_be_visible()
    texts = page.locator(".sentences")
    texts.evaluate("box => box.scrollTop = 900")
    expect(page.locator(".sentence kbd").first).to_be_empty()
    for key in "d4e2f0":
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("2 of ")
    expect(page.get_by_text("Keys: the letter")).to_be_visible()
    assert abs(texts.evaluate("box => box.scrollTop") - 900) < 2
    (answer,) = list_answers(rows)
    numbers = [int(key.partition("-")[2]) for key, _rating in (answer.picks or {}).values()]
    assert numbers == [*range(numbers[0], numbers[0] + 3)]
    assert numbers[0] > 15


def test_phone_chooses_sentences_by_touch(chromium: Browser, site: str, rows: Site, tmp_path: Path) -> None:
    context = chromium.new_context(base_url=site, viewport=SMALL_PHONE, has_touch=True)
    page = context.new_page()
    begin_round(page, rows, tmp_path, "choose")
    assert not page.evaluate(SIDEWAYS)
    sentences = page.locator("section:visible .sentence")
    sentences.nth(0).get_by_text("B", exact=True).tap()
    page.locator(".slot.active .point").nth(4).tap()
    expect(page.locator("[data-slot=B] :checked")).to_have_count(1)
    for sentence, slot in enumerate("CAB"):  # the first sentence moves to C, and takes no rating along
        sentences.nth(sentence).get_by_text(slot, exact=True).tap()
        page.locator(".slot.active .point").nth(sentence).tap()
    expect(page.locator(".reading")).to_be_in_viewport()
    page.get_by_role("button", name="Next").tap()
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("2 of|Everything is answered"))
    context.close()
    (answer,) = list_answers(rows)
    keys = {slot: (key.partition("-")[2], rating) for slot, (key, rating) in (answer.picks or {}).items()}
    assert keys == {"C": ("first1", 0), "A": ("first2", 1), "B": ("first3", 2)}
    assert answer.input == "touch"


def configure_writing(folder: Path, slug: str) -> CampaignConfig:
    """A campaign of one of the rounds in which annotators write, all in one assignment."""
    config = read_campaign(write_stages(folder))
    round_ = next(each for each in config.rounds if each.slug == slug)
    return replace(config, rounds=(replace(round_, assignment=len(round_.units)),))


def test_words_are_written_by_keyboard_and_kept_until_they_are_sent(
    visitor: Callable[[], Page], rows: Site, tmp_path: Path, pages: Path
) -> None:
    page = visitor()
    page.on("response", lambda response: keep(response, pages))
    page.emulate_media(reduced_motion="reduce")
    begin(page, add(rows, configure_writing(tmp_path, "write")))
    field, hint = page.get_by_role("textbox", name="word"), page.get_by_text("Keys: Enter sends")
    expect(field).to_be_focused()
    faults = look(page)
    page.keyboard.type("busy ferry")
    expect(page.locator("#words")).to_have_text("Number of words: 1 (now 2)")
    page.reload()
    expect(field).to_have_value("busy ferry")
    expect(field).to_be_focused()
    page.keyboard.press("Enter")  # too soon: a double press on the page before ends here
    expect(hint).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Number of words: 2 instead of 1.")).to_be_visible()
    expect(field).to_have_value("busy ferry")
    expect(field).to_be_focused()
    assert list_answers(rows) == []
    faults += look(page)
    expect(hint).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("2 of 4")
    expect(hint).to_be_visible()
    page.keyboard.type("hull")  # the key u goes back outside the field alone
    for keys in ("ControlOrMeta+a", "ControlOrMeta+x", "ControlOrMeta+v", "Enter"):
        page.keyboard.press(keys)
    expect(page.get_by_role("heading", level=1)).to_have_text("3 of 4")
    page.get_by_text("Say why you leave it blank").click()
    page.get_by_label("Why you leave it blank (optional)").fill("I know none.")
    page.get_by_role("button", name="Leave it blank").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("4 of 4")
    expect(hint).to_be_visible()
    page.locator(".reading").press("u")
    expect(page.get_by_role("button", name="Leave it blank (your answer)")).to_be_visible()
    assert [answer.input for answer in list_answers(rows)] == ["key", "paste", "pointer"]
    texts = rows.session().query(AnswerText).order_by(AnswerText.answer_id.desc()).limit(3)
    assert [(text.written, text.reason) for text in texts] == [
        (None, "I know none."), ("hull", None), ("busy ferry", None),
    ]  # fmt: skip
    assert not faults, "\n".join(faults)


def test_definitions_are_chosen_by_keys_and_listed_for_organizers(
    visitor: Callable[[], Page], rows: Site, tmp_path: Path, pages: Path
) -> None:
    page = visitor()
    page.on("response", lambda response: keep(response, pages))
    page.emulate_media(reduced_motion="reduce")
    begin(page, add(rows, configure_writing(tmp_path, "senses")))
    faults = look(page)
    shown = page.locator("label.point span").all_text_contents()
    page.keyboard.press("1")
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    expect_step(page, 2, 2)
    page.keyboard.press("u")
    expect_step(page, 1, 2)
    (answer,) = list_answers(rows)
    assert dict(answer.step.unit.candidates or ())[(answer.picks or {})["sense"]] == shown[1]
    organizer, slug = visitor(), answer.step.assignment.plan.round.campaign.slug
    organizer.on("response", lambda response: keep(response, pages))
    sign_in(organizer)
    organizer.goto(f"/tasks/harbour-2026/organize/campaigns/{slug}/results")
    faults += look_at(organizer, "light", "dark")
    organizer.get_by_role("link", name="Chosen definitions").click()
    expect(organizer.get_by_role("cell", name=shown[1])).to_be_visible()
    faults += look_at(organizer, "light", "dark")
    assert not faults, "\n".join(faults)


def test_two_experts_rate_and_organizers_decide_by_keyboard_what_the_gold_is(
    visitor: Callable[[], Page], rows: Site
) -> None:
    config = replace(
        configure(2, answers=2, assignment=2, scale=(0, 4, 0.25)), gold=GoldRule("rate", "", "mean", 2)
    )
    for link, keys in zip(add_links(rows, config, 2), ("13", "21"), strict=True):
        expert = visitor()
        begin(expert, link)
        for number, key in enumerate(keys, start=1):
            expect_step(expert, number, 2)
            expert.keyboard.press(key)
            expert.keyboard.press("Enter")
        expect(expert.get_by_role("heading", level=1)).to_have_text("Everything is answered")
    rows.session.remove()
    campaign = rows.session().query(Campaign).order_by(Campaign.id.desc()).first()
    assert campaign is not None
    page = visitor()
    sign_in(page)
    page.goto(f"/tasks/harbour-2026/organize/campaigns/{campaign.slug}/")
    expect(page.get_by_text("4 of 4 answers; 2 of 2 pairs are complete.")).to_be_visible()
    page.get_by_role("link", name="Close", exact=True).click()
    page.get_by_role("button", name="Close").click()
    page.locator("#content").get_by_role("link", name="Results").click()
    page.get_by_role("link", name="Disagreements").click()
    faults = look_at(page, "light", "dark")
    page.get_by_role("link", name="Decide on u2").click()
    expect(page.get_by_text("Keys: a number")).to_be_visible()
    faults += look_at(page, "light", "dark")
    page.keyboard.press("s")
    expect(page.get_by_role("heading", level=1)).to_have_text("Decide on u1")
    expect(page.get_by_text("Keys: a number")).to_be_visible()
    for key in ("2", "ArrowRight", "d", "Enter"):
        page.keyboard.press(key)
    expect(page.get_by_role("heading", level=1)).to_have_text("Decide on u2")
    rows.session.remove()
    (decision,) = rows.session().query(Decision)
    assert (decision.value, decision.cause, decision.note) == (2.25, "guideline", "")
    page.goto(f"/tasks/harbour-2026/organize/campaigns/{campaign.slug}/results")
    gold = page.get_by_role("region", name="The first items with their values").get_by_role("row")
    assert [row.split()[-3:] for row in gold.all_inner_texts()[1:]] == [
        ["2", "1", "2.250"], ["2", "2", "2.000"],
    ]  # fmt: skip
    assert not faults, "\n".join(faults)


def test_visible_time_leaves_out_a_minimized_window(visitor: Callable[[], Page], rows: Site) -> None:
    page = visitor()
    begin(page, add(rows, configure(2, answers=1, assignment=2)))
    expect_step(page, 1, 2)
    protocol = page.context.new_cdp_session(page)
    protocol.send("Emulation.setFocusEmulationEnabled", {"enabled": False})
    window = protocol.send("Browser.getWindowForTarget")["windowId"]
    for state, focused in (("minimized", False), ("normal", True)):
        protocol.send("Browser.setWindowBounds", {"windowId": window, "bounds": {"windowState": state}})
        page.wait_for_function("focused => document.hasFocus() === focused", arg=focused)
        page.wait_for_timeout(3000 if state == "minimized" else 0)
    page.get_by_role("button", name="identical").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("2 of 2")
    answer = list_answers(rows)[0]
    assert answer.visible_ms is not None
    elapsed = (answer.arrived_at - answer.shown_at).total_seconds()
    assert elapsed > 3
    assert 0 < answer.visible_ms / 1000 < elapsed - 2.5


def test_refused_form_shows_why_and_what_was_entered(visitor: Callable[[], Page], rows: Site) -> None:
    page = visitor()
    begin(page, add(rows, configure(1, answers=1, assignment=1)))
    page.locator("[name=ticket]").evaluate("field => { field.value = 'damaged'; }")
    page.get_by_role("button", name="identical").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("The answer was not saved")
    expect(page.get_by_role("listitem")).to_have_text("6")
    page.get_by_role("link", name="Open the page again").click()
    page.get_by_role("button", name="identical").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Everything is answered")


def test_keys_can_be_turned_off(visitor: Callable[[], Page], rows: Site) -> None:
    page = visitor()
    page.goto(add(rows, configure(1, answers=1, assignment=1)))
    page.get_by_role("button", name="I consent").click()
    page.get_by_label("Answer with the number keys").uncheck()
    page.get_by_role("button", name="Begin").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("1 of 1")
    page.wait_for_timeout(400)
    page.keyboard.press("3")
    page.get_by_role("link", name="Stop, or take a break").click()
    expect(page.get_by_label("Answer with the number keys")).not_to_be_checked()
    assert list_answers(rows) == []


def test_phone_answers_by_touch(chromium: Browser, site: str, rows: Site) -> None:
    context = chromium.new_context(base_url=site, viewport=SMALL_PHONE, has_touch=True)
    page = context.new_page()
    begin(page, add(rows, configure(5, answers=1, assignment=5)))
    for number in range(1, 6):
        expect(page.get_by_role("heading", level=1)).to_have_text(f"{number} of 5")
        assert not page.evaluate(SIDEWAYS)
        page.get_by_role("button", name=re.compile(f"^{number}")).tap()
    expect(page.get_by_role("heading", level=1)).to_have_text("Everything is answered")
    context.close()
    assert [(answer.value, answer.input) for answer in list_answers(rows)] == [
        (number, "touch") for number in range(1, 6)
    ]


@pytest.mark.parametrize(("zone", "beside"), [("UTC", ""), ("Asia/Kathmandu", r" \(.+, .+:.. .M\)")])
def test_own_page_shows_times_in_the_zone_of_the_browser_if_it_differs_from_the_site(
    chromium: Browser, site: str, rows: Site, zone: str, beside: str
) -> None:
    context = chromium.new_context(base_url=site, timezone_id=zone)
    page = context.new_page()
    begin(page, add(rows, configure(2, answers=1, assignment=2)))
    page.get_by_role("link", name="Stop, or take a break").click()
    expect(page.get_by_role("time")).to_have_text(re.compile(rf"^\d+ \w+ \d+, \d\d:\d\d UTC{beside}$"))
    context.close()


@pytest.mark.parametrize("script", [False])
def test_everything_works_without_script(visitor: Callable[[], Page], rows: Site) -> None:
    page = visitor()
    config = configure(3, answers=1, assignment=3, scale=(0, 6, 0.5), comment=True, cannot_judge=True)
    begin(page, add(rows, config))
    page.get_by_text("Write a comment").click()
    page.get_by_label("Comment (optional)").fill("Odd")
    page.get_by_label("6").check()
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("2 of 3")
    page.get_by_role("link", name="Previous answer").click()
    expect(page.get_by_label("6")).to_be_checked()
    expect(page.get_by_label("Comment (optional)")).to_have_value("Odd")
    page.locator("[value='0']").check()
    page.get_by_role("button", name="Next").click()
    for number in (2, 3):
        expect(page.get_by_role("heading", level=1)).to_have_text(f"{number} of 3")
        page.get_by_label("3", exact=True).check()  # the button wins
        page.get_by_role("button", name="I cannot judge this").click()
    page.get_by_role("button", name="Hand in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Thank you")
    answers = list_answers(rows)
    assert [answer.value for answer in answers] == [6, 0, None, None]
    assert {(answer.input, answer.visible_ms) for answer in answers} == {("none", None)}
