"""A file is dropped, checked, mended, sent and its result read without a reload; also without script."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.test_story import BROKEN, LEVELS, RUN, add_run, found_team, sign_up
from tests.server.mail_sink import Sink

pytestmark = pytest.mark.browser
GOOD = RUN / "paragraph2sentence.tsv"
DROP = """async ([name, text, times]) => {
  const all = new DataTransfer();
  for (let i = 0; i < times; i += 1) all.items.add(new File([text], name));
  document.querySelector("h1").dispatchEvent(
    new DragEvent("drop", { dataTransfer: all, bubbles: true, cancelable: true }));
}"""
SAME = r"list => list.innerHTML.replace(/>\s+</g, '><').replace(/\s*\n\s*/g, '')"


def enter(page: Page, sink: Sink) -> None:
    sign_up(page, sink, "Bo", "bo@example.org")
    found_team(page, "birch")
    add_run(page, "overlap")


def open_upload(page: Page, level: str) -> None:
    page.goto("/tasks/harbour-2026/team/")
    page.get_by_role("link", name=f"Upload {level}").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Upload {level}")


def drop(page: Page, path: Path, times: int = 1) -> None:
    expect(page.get_by_text("Drop a file anywhere on this page")).to_be_visible()
    page.evaluate(DROP, [path.name, path.read_text(encoding="utf-8"), times])


def test_a_dropped_file_is_checked_mended_sent_and_its_result_read_without_a_reload(
    visitor: Callable[[], Page], sink: Sink
) -> None:
    page = visitor()
    enter(page, sink)
    open_upload(page, LEVELS[0])
    address, loads = page.url, list[str]()
    page.on("framenavigated", lambda frame: loads.append(frame.url))
    page.evaluate("window.stayed = true")

    drop(page, GOOD, times=2)
    expect(page.get_by_role("status")).to_contain_text("Drop one file here")
    drop(page, BROKEN)
    expect(page.get_by_role("status")).to_contain_text(f"{BROKEN.name}: 6 problems")
    in_browser = page.locator("ol.problems").evaluate(SAME)
    page.get_by_role("button", name="Send it anyway").click()
    expect(page.get_by_role("heading", name="Refused:")).to_be_focused()
    assert page.locator("ol.problems").evaluate(SAME) == in_browser

    drop(page, GOOD)
    expect(page.get_by_role("status")).to_contain_text(f"{GOOD.name}: 40 lines, all good")
    expect(page.locator("ol.problems")).to_have_count(0)
    page.route("**/upload", lambda route: route.abort())
    page.get_by_role("button", name=f"Upload {LEVELS[0]}").click()
    expect(page.get_by_role("status")).to_contain_text("What you chose is still here")
    page.unroute("**/upload")
    page.route("**/upload", without_session)
    page.get_by_role("button", name=f"Upload {LEVELS[0]}").click()
    expect(page.get_by_role("status")).to_contain_text("You are signed out by now")
    page.unroute("**/upload")
    page.get_by_role("button", name=f"Upload {LEVELS[0]}").click()

    expect(page.get_by_role("heading", level=1)).to_have_text(f"{LEVELS[0]}: stored")
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    expect(page.locator("main")).to_contain_text(hashlib.sha256(GOOD.read_bytes()).hexdigest())
    assert "/submissions/" in page.url
    assert page.evaluate("window.stayed")
    assert set(loads) == {page.url}  # the address that was pushed, and no page
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Upload {LEVELS[0]}")
    assert page.url == address


def without_session(route: Route) -> None:
    headers = {name: value for name, value in route.request.headers.items() if name != "cookie"}
    if route.request.method == "POST":
        route.fulfill(status=302, headers={"Location": "/sign-in"})
    else:
        route.continue_(headers=headers)


@pytest.mark.parametrize("script", [False])
def test_the_same_form_works_without_script(visitor: Callable[[], Page], sink: Sink) -> None:
    page = visitor()
    enter(page, sink)
    for path, heading in ((BROKEN, f"Upload {LEVELS[0]}"), (GOOD, f"{LEVELS[0]}: stored")):
        open_upload(page, LEVELS[0])
        page.get_by_label("Run file").set_input_files(path)
        page.get_by_role("button", name=f"Upload {LEVELS[0]}").click()
        expect(page.get_by_role("heading", level=1)).to_have_text(heading)
