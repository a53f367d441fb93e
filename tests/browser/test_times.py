"""Times on a page in a real browser: in its zone, and countdowns that go by the server's clock."""

import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import ADA, LastingSite, served
from tests.browser.test_story import Mouse, sign_in
from tests.server.jobs.test_worker import wait_for
from tests.server.mail_sink import Sink

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("site")]
TASK = "/tasks/harbour-2026/"


def test_local_time_is_shown_beside_utc_and_countdowns_follow_the_server_clock(
    chromium: Browser, lasting_site: LastingSite
) -> None:
    site = lasting_site.address
    page = chromium.new_context(base_url=site, timezone_id="Asia/Kathmandu").new_page()
    page.goto(TASK)
    expect(page.locator(".now .local").first).to_have_text(re.compile(r"^ · .*\d\d:\d\d.* GMT\+5:45$"))
    assert "GMT+5:45" in (page.locator("table.dates time").first.get_attribute("title") or "")
    closes = page.locator(".now [data-until]").first
    expect(closes).to_have_text(re.compile(r"in 2[34] h \d+ min"))

    # This browser's clock is ten hours slow, and its countdown is right all the same.
    slow = chromium.new_context(base_url=site, timezone_id="Asia/Kathmandu").new_page()
    slow.add_init_script(
        "const now = Date.now; Date.now = () => now() - 36e6;"
        "Object.defineProperty(performance, 'timeOrigin', { value: performance.timeOrigin - 36e6 });"
    )
    slow.goto(TASK)
    ticking = slow.locator(".now [data-until]").first
    wait_for(lambda: ticking.inner_text() == closes.inner_text())  # but at the turn of a minute
    soon = "new Date(Date.now() + 36e6 + 65500).toISOString()"
    slow.evaluate(f"document.querySelector('.now [data-until]').dataset.until = {soon}")
    expect(ticking).to_have_text(re.compile(r"in 1 min \d s"))
    expect(ticking).not_to_have_text(ticking.inner_text())
    page.context.close()
    slow.context.close()

    plain = chromium.new_context(base_url=site, java_script_enabled=False).new_page()
    plain.goto(TASK)
    line = plain.locator(".now").inner_text()
    assert re.search(r"Evaluation is open and closes in 2[34] h \d+ min: .* UTC \(.* AoE\)", line), line
    plain.context.close()


def test_time_in_the_zone_of_the_browser_replaces_that_in_the_zone_of_the_site(
    chromium: Browser, filled: Path, tmp_path: Path, sink: Sink
) -> None:
    shutil.copytree(filled, tmp_path, dirs_exist_ok=True)
    address = f"sqlite:///{tmp_path / 'assay.sqlite'}"
    with served(tmp_path, address, sink, ASSAY_TIME_ZONE="Asia/Tokyo") as site:
        for script, zone in ((False, "JST"), (True, "GMT+5:45")):
            context = chromium.new_context(
                base_url=site, timezone_id="Asia/Kathmandu", java_script_enabled=script
            )
            page = context.new_page()
            page.goto(TASK)
            expect(page.locator(".now .local").first).to_contain_text(zone)
            titles = [time.get_attribute("title") or "" for time in page.locator("time").all()]
            assert titles
            assert all(title.endswith(zone) for title in titles)
            assert page.locator(".now .when").first.locator(".local").count() == 1
            context.close()


def test_picked_time_fills_the_text_field_in_utc_in_the_zone_that_is_chosen_once(
    chromium: Browser, lasting_site: LastingSite
) -> None:
    page = chromium.new_context(base_url=lasting_site.address, timezone_id="Asia/Kathmandu").new_page()
    sign_in(Mouse(), page, ADA)
    page.goto(f"{TASK}organize/phases/evaluation/edit")
    text, pick = page.get_by_label("Closes", exact=True), page.get_by_label("Pick a date and time: Closes")
    for zone, utc in (("utc", "2998-06-30 12:00"), ("aoe", "2998-07-01 00:00"), ("own", "2998-06-30 06:15")):
        page.get_by_label("Time zone of the picked time: Closes").select_option(zone)
        pick.fill("2998-06-30T12:00")
        expect(text).to_have_value(utc)
    page.reload()
    expect(page.get_by_label("Time zone of the picked time: Opens")).to_have_value("own")
    text.fill("2998-06-30 23:59 AoE")
    text.blur()
    expect(pick).to_have_value("2998-07-01T17:44")
    page.context.close()
