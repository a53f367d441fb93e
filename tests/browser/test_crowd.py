"""The pages of a crowd: with and without script, by axe and Nu, on a small phone, in each language."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from server.access import tasks
from server.accounts.models import User
from server.annotation.campaigns import crowd
from server.annotation.models import Campaign
from server.core.actors import Actor
from server.core.site_resources import Site
from tests.browser.conftest import ADA, LastingSite
from tests.browser.test_annotating import keep, look, sign_in
from tests.server.annotation.small_campaign import make_campaign
from tests.server.pages.annotation.test_gate import configure_gate

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("site")]


@pytest.fixture
def site(lasting_site: LastingSite) -> str:
    """The address of a site to which each test adds a campaign of its own."""
    return lasting_site.address


def add(rows: Site, **options: object) -> str:
    """The path of the link of a new campaign for a crowd, in three languages."""
    session, now = rows.session(), datetime.now(UTC)
    actor = Actor(user_id=session.query(User).filter_by(email=ADA).one().id)
    config = configure_gate(n_units=2, assignment=2, languages=("en", "cs", "de"), **options)
    config = replace(config, slug=f"crowd-{session.query(Campaign).count()}")
    task = tasks.get_task(session, "harbour-2026")
    campaign = session.get_one(Campaign, make_campaign(rows, actor, task, config, now))
    return crowd.path_of(session, campaign.entries[0])


def press(page: Page, *values: int) -> None:
    heading = page.get_by_role("heading", level=1)
    for value in values:
        before = heading.inner_text()
        page.locator(f"button[name=value][value='{value}']").click()
        expect(heading).not_to_have_text(before)


def test_pages_of_a_crowd_are_accessible_valid_and_fit_a_small_phone(
    visitor: Callable[[], Page], rows: Site, pages: Path
) -> None:
    link, faults = add(rows, tries=2, feedback=True), {}
    page, other = visitor(), visitor()
    page.on("response", lambda response: keep(response, pages))
    for each in (page, other):
        each.emulate_media(reduced_motion="reduce")  # axe-core reads colours while they change
    page.goto(f"{link}?PID=")
    faults["no id"] = look(page)
    page.goto(f"{link}?PID=heron")
    faults["consent"] = look(page)
    page.get_by_role("button", name="I consent").click()
    page.get_by_role("button", name="Begin").click()
    press(page, 0, 0)
    expect(page.get_by_role("heading", level=1)).to_have_text("Please try once more")
    faults["again"] = look(page)
    page.get_by_role("link", name="Try again").click()
    press(page, 2, 4)
    expect(page.get_by_role("heading", level=1)).to_have_text("You can go on")
    page.get_by_role("link", name="Continue").click()
    press(page, 3, 3)
    page.get_by_role("button", name="Hand in").click()
    expect(page.get_by_text("C1DONE")).to_be_visible()
    faults["code"] = look(page)
    page.goto(f"{link}?PID=heron")
    expect(page.get_by_role("link", name="Go back to the platform")).to_be_visible()
    faults["own page"] = look(page)
    other.goto(f"{link}?PID=heron")
    other.get_by_role("button", name="I consent").click()
    expect(other.get_by_text("in another browser or on another device")).to_be_visible()
    faults["elsewhere"] = look(other)
    assert {name: found for name, found in faults.items() if found} == {}


def test_organizers_see_the_address_on_any_screen(visitor: Callable[[], Page], rows: Site) -> None:
    link, page = add(rows, tries=2), visitor()
    sign_in(page)
    campaign = rows.session().query(Campaign).order_by(Campaign.id.desc()).first()
    assert campaign is not None
    page.goto(f"/tasks/harbour-2026/organize/campaigns/{campaign.slug}/")
    expect(page.get_by_text(f"{link}?PID=")).to_be_visible()
    assert look(page) == []


def test_code_is_copied_by_a_button(chromium: Browser, site: str, rows: Site) -> None:
    link = add(rows)
    context = chromium.new_context(base_url=site, permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(f"{link}?PID=heron")
    page.get_by_role("button", name="I consent").click()
    page.get_by_role("button", name="Begin").click()
    press(page, 0, 0)
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("status")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == "C2GATE"
    context.close()


def test_crowd_works_without_script_in_czech(chromium: Browser, site: str, rows: Site) -> None:
    link = add(rows)
    context = chromium.new_context(base_url=site, java_script_enabled=False, locale="cs-CZ")
    page = context.new_page()
    page.goto(f"{link}?PID=heron")
    page.get_by_role("button", name="Deutsch").click()
    assert "heron" not in page.url
    page.get_by_role("button", name="Čeština").click()
    page.get_by_role("button", name="Souhlasím").click()
    page.get_by_role("button", name="Začít").click()
    press(page, 2, 4, 3, 3)
    page.get_by_role("button", name="Odevzdat").click()
    expect(page.get_by_text("C1DONE")).to_be_visible()
    expect(page.get_by_role("button", name="Kopírovat")).not_to_be_visible()
    assert page.get_by_role("link", name="Zpět na platformu").get_attribute("href") == (
        "https://platform.example/complete?cc=C1DONE"
    )
    context.close()
