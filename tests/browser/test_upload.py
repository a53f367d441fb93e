"""A file and a whole run are dropped, checked, fixed, uploaded and scored without a reload."""

import hashlib
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import LastingSite
from tests.browser.test_story import BROKEN, FILES, LEVELS, RUN, Mouse, add_run, found_team, sign_up
from tests.server.mail_sink import Sink

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("site")]
GOOD = RUN / "paragraph2sentence.tsv"
DROP = """async ([name, text, times]) => {
  const all = new DataTransfer();
  for (let i = 0; i < times; i += 1) all.items.add(new File([text], name));
  document.querySelector("h1").dispatchEvent(
    new DragEvent("drop", { dataTransfer: all, bubbles: true, cancelable: true }));
}"""
SAME = r"list => list.innerHTML.replace(/>\s+</g, '><').replace(/\s*\n\s*/g, '')"


@pytest.fixture
def site(lasting_site: LastingSite) -> str:
    """The address of a site on which no other test has a team."""
    return lasting_site.address


def enter(page: Page, sink: Sink) -> None:
    sign_up(Mouse(), page, sink, "Bo", "bo@example.org")
    found_team(Mouse(), page, "birch")
    add_run(Mouse(), page, "overlap")


def open_upload(page: Page, level: str) -> None:
    page.goto("/tasks/harbour-2026/team/")
    page.get_by_role("link", name=re.compile(f"Upload.*{level}")).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Upload {level}")


def drop(page: Page, path: Path, times: int = 1) -> None:
    expect(page.get_by_text("Drop a file anywhere on this page")).to_be_visible()
    page.evaluate(DROP, [path.name, path.read_text(encoding="utf-8"), times])


def drop_constant(page: Page) -> None:
    page.evaluate(DROP, ["constant.tsv", "2\n" * 40, 1])
    expect(page.get_by_role("status")).to_contain_text("constant.tsv: 40 lines, no errors")
    expect(page.locator("#findings")).to_contain_text("1 warning. You can upload the file as it is.")
    expect(page.locator("#findings")).to_contain_text("Every score is 2: a run whose scores")


def test_dropped_files_are_checked_fixed_uploaded_and_scored_without_a_reload(
    visitor: Callable[[], Page], lasting_site: LastingSite
) -> None:
    page = visitor()
    enter(page, lasting_site.sink)
    open_upload(page, LEVELS[0])
    address, loads = page.url, list[str]()
    page.on("framenavigated", lambda frame: loads.append(frame.url))
    page.evaluate("window.stayed = true")

    drop(page, GOOD, times=2)
    expect(page.get_by_role("status")).to_contain_text("Drop one file here")
    expect(page.get_by_role("link", name="Upload the whole run at once")).to_have_count(2)
    drop(page, BROKEN)
    expect(page.get_by_role("status")).to_contain_text(f"{BROKEN.name} has 6 problems")
    expect(page.locator("#findings")).to_contain_text("This was only a check: nothing was uploaded.")
    checked = page.locator("ol.problems").evaluate(SAME)
    page.get_by_role("button", name=f"Upload {LEVELS[0]}").click()
    expect(page.get_by_role("heading", name="Rejected:")).to_be_focused()
    assert page.locator("ol.problems").evaluate(SAME) == checked

    drop_constant(page)
    drop(page, GOOD)
    expect(page.get_by_role("status")).to_contain_text(f"{GOOD.name}: 40 lines, no errors")
    expect(page.locator("ol.problems")).to_have_count(0)
    page.route("**/upload", lambda route: route.abort())
    page.get_by_role("button", name=f"Upload {LEVELS[0]}").click()
    expect(page.get_by_role("status")).to_contain_text("Your selection is still here.")
    page.unroute("**/upload")
    cookies = page.context.cookies()
    page.context.clear_cookies()
    page.get_by_role("button", name=f"Upload {LEVELS[0]}").click()
    expect(page.get_by_role("status")).to_contain_text("You are signed out.")
    page.context.add_cookies(cookies)
    page.get_by_role("button", name=f"Upload {LEVELS[0]}").click()

    expect(page.get_by_role("heading", level=1)).to_have_text(f"{LEVELS[0]}: accepted")
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    expect(page.locator("main")).to_contain_text(hashlib.sha256(GOOD.read_bytes()).hexdigest())
    assert "/submissions/" in page.url
    assert page.evaluate("window.stayed")
    assert set(loads) == {page.url}  # the address that was pushed, and no page
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Upload {LEVELS[0]}")
    assert page.url == address
    send_a_whole_run(page)


def send_a_whole_run(page: Page) -> None:
    page.get_by_role("link", name="Upload the whole run at once").click()
    files = [RUN / f"{name}.tsv" for name in FILES]
    status = page.get_by_role("status")
    expect(page.get_by_text("Drop the files anywhere on this page")).to_be_visible()
    page.get_by_label("Run files").set_input_files([BROKEN, *files[1:]])
    findings = page.locator("#findings")
    expect(findings.get_by_role("heading", name=f"{BROKEN.name} → {LEVELS[0]}")).to_be_visible()
    expect(findings).to_contain_text(f"No errors in: {FILES[1]}.tsv")
    page.get_by_role("button", name="Upload the files").click()
    expect(page.get_by_role("heading", name="Rejected: 1 file")).to_be_focused()
    page.get_by_label("Run files").set_input_files([*files, files[0]])
    expect(findings).to_contain_text(
        f"everal files are for Paragraph to sentence: {files[0].name}, {files[0].name}. Send one."
    )
    page.get_by_label("Run files").set_input_files(files)
    expect(status).to_contain_text("4 files, no errors")
    page.evaluate("window.stayed = true")
    page.get_by_role("button", name="Upload the files").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("overlap: 3 files accepted")
    assert page.evaluate("window.stayed")
    for path in files:
        expect(page.locator("main")).to_contain_text(hashlib.sha256(path.read_bytes()).hexdigest()[:10])
