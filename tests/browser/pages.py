"""Every page of the site in the demo: who goes there, and how; for pictures and for checks by machine."""

import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, FilePayload, Page

CHROMIUM = "/usr/bin/chromium-headless-shell"
PASSWORD = "assay-demo"
ADDRESSES = {
    "ada": "ada@demo.example",
    "bo": "bo@demo.example",
    "cy": "cy@demo.example",
    "dee": "dee@demo.example",
}
TASK = "/tasks/harbour-2026"
CAMPAIGN = f"{TASK}/organize/campaigns/sentences-and-phrases"
ISLAND = "/tasks/island-2025/boards/evaluation/releases/1"
EXAMPLES = Path(__file__).parents[2] / "server" / "demo" / "harbour-2026" / "examples"

Go = Callable[[Page, str], None]


def to(path: str) -> Go:
    """A page by its address."""

    def go(page: Page, base: str) -> None:
        page.goto(base + path)

    return go


LINK = """async ([url, selector, at]) => {
    const page = new DOMParser().parseFromString(await (await fetch(url)).text(), "text/html");
    return page.querySelectorAll(selector)[at].getAttribute("href");
}"""


def by_link(path: str, selector: str, at: int = 0) -> Go:
    """A page behind a link of another one, which is fetched and not shown."""

    def go(page: Page, base: str) -> None:
        page.goto(base + page.evaluate(LINK, [base + path, selector, at]))

    return go


def by_button(path: str, selector: str) -> Go:
    """What the first such button of a page shows."""

    def go(page: Page, base: str) -> None:
        page.goto(base + path)
        page.locator(selector).first.click()

    return go


UNFOLD = "() => document.querySelectorAll('details').forEach(folded => folded.open = true)"


def all_open(path: str) -> Go:
    """A page with everything on it unfolded."""

    def go(page: Page, base: str) -> None:
        page.goto(base + path)
        page.evaluate(UNFOLD)

    return go


def refused(page: Page, base: str) -> None:
    """The answer to a file with many kinds of bad lines."""
    by_link(f"{TASK}/team/", "a[href$='/upload']")(page, base)
    page.set_input_files("input[type=file]", EXAMPLES / "broken.trial.tsv")
    page.click("main button[type=submit]")
    page.locator("h2", has_text="Rejected").wait_for()


def rejection(page: Page, base: str) -> None:
    """Open a rejected file from the page of its run."""
    page.goto(f"{base}{TASK}/team/")
    page.goto(
        base + str(page.locator("a[href$='#uploads']:has-text('rejected')").first.get_attribute("href"))
    )
    page.goto(base + str(page.locator("a[href*='/rejections/']").first.get_attribute("href")))


def whole_run(page: Page, base: str) -> None:
    """The page for all files of a run, and what is wrong with those that were sent."""
    page.goto(f"{base}{TASK}/team/")
    first = str(page.locator("a[href$='/upload']").first.get_attribute("href"))
    page.goto(base + "/".join(first.split("/")[:5]) + "/upload")
    page.set_input_files("input[type=file]", [EXAMPLES / "broken.trial.tsv"])
    page.click("main form.upload button[type=submit]:not([formaction])")
    page.locator("h2", has_text="Rejected").wait_for()


def announced(page: Page, base: str) -> None:
    """An announcement before it is sent."""
    page.goto(f"{base}{TASK}/organize/announcements/new")
    page.fill("[name=title]", "Two items of word to sense")
    page.fill("[name=text]", "Items **17** and 40 are the same:\n\n- both count\n- nothing else changes")
    page.click(".rendered button")
    page.locator(".rendered strong").wait_for()
    page.click("button[value=preview]")


def from_table(page: Page, base: str) -> None:
    """The page that asks what a table does not say about its campaign; one pair of the table is bad."""
    rows = [
        f"p-{n}\tThe boat number {n} leaves the harbour before the storm.\tIt leaves.\t{n}\n"
        for n in range(9)
    ]
    text = "".join(["id\tleft\tright\tscore\n", *rows, rows[0]])
    page.goto(f"{base}{TASK}/organize/campaigns/new")
    table = FilePayload(name="pairs.tsv", mimeType="text/plain", buffer=text.encode())
    page.set_input_files("input[type=file]", files=[table])
    page.click("main button[type=submit]")


def from_table_with_faults(page: Page, base: str) -> None:
    """The same page after it was sent without a title and with the wrong columns."""
    from_table(page, base)
    page.fill("[name=title]", "")
    page.select_option("[name=roles-3]", "id")
    page.click("main button[type=submit]")


def without_input(path: str) -> Go:
    """A form that was sent with nothing in it."""

    def go(page: Page, base: str) -> None:
        page.goto(base + path)
        page.click("main button[type=submit]")

    return go


def with_password(path: str, button: str | None = None) -> Go:
    """A page that asks for the password first, or what it shows once its button was pressed."""

    def go(page: Page, base: str) -> None:
        page.goto(base + path)
        if "/verify" in page.url:
            page.fill("#password", PASSWORD)
            page.click("main button[type=submit]")
        if button is not None:
            page.click(f"main button[name={button}]")

    return go


def token_made(page: Page, base: str) -> None:
    """The page that shows a token once."""
    with_password("/account/tokens/new")(page, base)
    page.fill("[name=name]", "Laptop")
    page.click("main button[type=submit]")


def twice_signed_in(page: Page, base: str) -> None:
    """An account that another browser has signed in to as well."""
    other = page.context.browser
    assert other is not None
    elsewhere = other.new_page()
    elsewhere.goto(f"{base}/sign-in")
    elsewhere.fill("#email", ADDRESSES["cy"])
    elsewhere.fill("#password", PASSWORD)
    elsewhere.click("main button[type=submit]")
    elsewhere.close()
    page.goto(f"{base}/account/")


def withdraw(page: Page, base: str) -> None:
    """The page that says what will count once a file is withdrawn."""
    by_link(f"{TASK}/team/", "section:has(#practice) a[href*='/submissions/']")(page, base)
    page.goto(page.url + "/withdraw")


def with_link(path: str) -> Go:
    """A page with invitation links, of which one is made if there is none."""

    def go(page: Page, base: str) -> None:
        page.goto(base + path)
        if page.locator(".invitation").count() == 0:
            page.get_by_role("button", name="Create link").click()

    return go


def take_role(page: Page, base: str) -> None:
    """Open a role link as its creator, who has a role already."""
    with_link(f"{TASK}/organize/people")(page, base)
    page.goto(page.locator(".invitation input.mono").first.input_value())


def release_without_time(page: Page, base: str) -> None:
    """Schedule a release without giving a time."""
    page.goto(f"{base}{TASK}/organize/boards/evaluation")
    page.check("[name=when][value=at]")
    page.click("section.release button[type=submit]")


def release_asks(page: Page, base: str) -> None:
    """What the organizer reads before results are released."""
    page.goto(f"{base}{TASK}/organize/boards/evaluation")
    page.click("section.release button[type=submit]")
    page.wait_for_selector("button[name=sure]")


def dry_run(page: Page, base: str) -> None:
    """What the organizer reads of a file that is not entered."""
    page.goto(f"{base}{TASK}/organize/dry-run")
    page.select_option("#target", "paragraph2sentence.trial")
    page.set_input_files("input[type=file]", EXAMPLES / "paragraph2sentence.trial.tsv")
    page.click("main button[type=submit]")
    page.locator("h2", has_text="paragraph2sentence").wait_for()


FIXED = "server/demo/harbour-2026/gold/test/phrase2word.tsv"


def candidate(page: Page, base: str) -> None:
    """A gold that may be published: three labels of the demo's own, the other way round."""
    page.goto(f"{base}{TASK}/organize/gold")
    there = page.locator("section:has(#versions) tr:has-text('candidate') th a").first
    if there.count() == 0:
        lines = (Path(__file__).parents[2] / FIXED).read_text(encoding="utf-8").splitlines()
        lines[:3] = ["4", "0", "4"]
        page.goto(f"{base}{TASK}/organize/gold")
        page.select_option("#target", "phrase2word.test")
        fixed = FilePayload(name="fixed.tsv", mimeType="text/plain", buffer="\n".join(lines).encode())
        page.set_input_files("input[type=file]", files=[fixed])
        page.fill("[name=reason]", "Three labels were mistyped")
        page.click("#upload button[type=submit]:not([formaction])")
        page.wait_for_selector("#publish", timeout=60_000)
    else:
        page.goto(base + str(there.get_attribute("href")))
    page.evaluate(UNFOLD)


ITEMS = EXAMPLES.parent / "data" / "trial" / "sentence2phrase.tsv"


def set_up(path: str) -> Go:
    """A page of a task that ada is setting up, whose level has items, and gold with two problems."""

    def go(page: Page, base: str) -> None:
        home = page.request.get(f"{base}/").text()
        begun = re.search(r'href="([^"]*)"[^>]*>Tides and words<', home)
        page.goto(f"{base}{begun[1]}organize/{path}" if begun else f"{base}/new-task")
        if not begun:
            begin_task(page)
            page.goto(page.url + path)

    return go


def begin_task(page: Page) -> None:
    """Begin a task with a scale and one level."""
    page.fill("[name=title]", "Tides and words")
    page.click("main form button")
    overview = page.url
    page.goto(f"{overview}scoring")
    page.fill("[name=low]", "0")
    page.fill("[name=high]", "4")
    page.click("main form button")
    page.goto(f"{overview}levels/new")
    for name, text in (("title", "Sentence to phrase"), ("left", "sentence"), ("right", "phrase")):
        page.fill(f"[name={name}]", text)
    page.click("main form button")
    page.set_input_files("#test-items", ITEMS)
    gold = FilePayload(name="gold.tsv", mimeType="text/plain", buffer=b"1\nn/a\n9\n")
    page.set_input_files("#test-gold", files=[gold])
    page.click("main form[enctype='multipart/form-data'] button[type=submit]")
    page.goto(overview)


PAGES: tuple[tuple[str, str | None, Go], ...] = (
    ("tasks", None, to("/")),
    ("task", None, to(f"{TASK}/")),
    ("rules", None, to(f"{TASK}/rules")),
    ("task-no-team", "dee", to(f"{TASK}/")),
    ("task-team", "bo", to(f"{TASK}/")),
    ("task-organizer", "ada", to(f"{TASK}/")),
    ("sign-in", None, to("/sign-in")),
    ("sign-in-faults", None, without_input("/sign-in")),
    ("sign-up", None, to("/sign-up")),
    ("sign-up-faults", None, without_input("/sign-up")),
    ("verify", "bo", to("/verify")),
    ("forgot-password", None, to("/reset-password")),
    ("confirm", None, to("/confirm")),
    ("account", "cy", twice_signed_in),
    ("change-password", "cy", to("/account/password")),
    ("help-api", None, to("/help/api")),
    ("tokens", "cy", to("/account/tokens/")),
    ("make-token", "cy", with_password("/account/tokens/new")),
    ("token-made", "cy", token_made),
    ("change-password-with-token", "cy", to("/account/password")),
    ("change-email", "cy", with_password("/account/email")),
    ("second-factor", "cy", with_password("/account/second-factor")),
    ("second-factor-key", "cy", with_password("/account/second-factor", "setup")),
    ("recovery-codes", "cy", with_password("/account/recovery-codes", "generate_new_codes")),
    ("board", None, all_open(f"{TASK}/boards/evaluation")),
    ("board-of-24", None, to(ISLAND)),
    ("board-level", None, to(f"{TASK}/boards/evaluation?level=phrase2word&sort=overall&q=e")),
    ("board-genres", None, to(f"{ISLAND}?view=genres")),
    ("release", None, all_open(f"{TASK}/boards/evaluation/releases/1")),
    ("system", None, to(f"{ISLAND}/system?of=official/cove/encoder")),
    (
        "system-of-the-own-team",
        "bo",
        to(f"{TASK}/boards/evaluation/releases/1/system?of=official/quay/cross-encoder"),
    ),
    (
        "system-with-gold",
        "ada",
        all_open(f"{TASK}/boards/evaluation/releases/1/system?of=late/tern/string-feats"),
    ),
    (
        "compare",
        None,
        to(f"{ISLAND}/compare?of=official/cove/encoder&of=official/auk/encoder&of=baseline/organizers/LCS"),
    ),
    ("compare-choose", None, to(f"{ISLAND}/compare")),
    ("stability", None, to(f"{ISLAND}/stability")),
    ("release-paper", None, to(f"{ISLAND}/paper")),
    ("statistics", None, all_open("/tasks/island-2025/statistics")),
    ("statistics-of-trial-items", None, to(f"{TASK}/statistics?split=trial")),
    ("board-closed", None, to(f"{TASK}/boards/practice")),
    ("team-none", "dee", to(f"{TASK}/team/")),
    ("team-new", "dee", to(f"{TASK}/teams/new")),
    ("team-new-faults", "dee", without_input(f"{TASK}/teams/new")),
    ("team", "bo", to(f"{TASK}/team/")),
    ("counts", "bo", to(f"{TASK}/counts")),
    ("run", "bo", by_link(f"{TASK}/team/", "article.run h3 a")),
    ("run-against-gold", "bo", by_link(f"{TASK}/team/", "section:has(#practice) article.run h3 a")),
    ("run-edit", "bo", by_link(f"{TASK}/team/", "a[href$='/edit'][href*='/runs/']")),
    ("run-withdraw", "bo", by_link(f"{TASK}/team/", "a[href$='/withdraw'][href*='/runs/']")),
    ("team-members", "bo", with_link(f"{TASK}/team/members")),
    ("team-edit", "bo", to(f"{TASK}/team/edit")),
    ("team-leave-refused", "bo", to(f"{TASK}/team/leave")),
    ("team-hand-over", "bo", by_link(f"{TASK}/team/members", "a[href$='/captain']")),
    ("run-new", "bo", to(f"{TASK}/phases/practice/runs/new")),
    ("upload", "bo", by_link(f"{TASK}/team/", "a[href$='/upload']")),
    ("upload-refused", "bo", refused),
    ("upload-run-refused", "bo", whole_run),
    ("rejection", "bo", rejection),
    ("submission-scored", "bo", by_link(f"{TASK}/team/", "section:has(#practice) a[href*='/submissions/']")),
    (
        "submission-stored",
        "bo",
        by_link(f"{TASK}/team/", "section:has(#evaluation) a[href*='/submissions/']"),
    ),
    ("withdraw", "bo", withdraw),
    ("organize", "ada", to(f"{TASK}/organize/")),
    ("organize-open", "ada", all_open(f"{TASK}/organize/?phase=practice")),
    ("organize-team", "ada", by_link(f"{TASK}/organize/", "table.desk tbody th a")),
    ("dry-run", "ada", dry_run),
    ("baselines", "ada", to(f"{TASK}/organize/baselines")),
    ("baselines-own", "ada", to(f"{TASK}/organize/baselines/evaluation/own")),
    ("systems", "ada", to(f"{TASK}/organize/systems")),
    ("organize-paper", "ada", to(f"{TASK}/organize/paper")),
    ("organize-files", "ada", to(f"{TASK}/organize/files")),
    ("preview", "ada", to(f"{TASK}/organize/boards/evaluation")),
    ("preview-without-time", "ada", release_without_time),
    ("release-asks", "ada", release_asks),
    ("withdraw-release", "ada", to(f"{TASK}/organize/boards/evaluation/withdraw")),
    ("withdraw-release-faults", "ada", without_input(f"{TASK}/organize/boards/evaluation/withdraw")),
    ("phase-new-after", "ada", to(f"{TASK}/organize/phases/new?after=evaluation")),
    ("preview-practice", "ada", to(f"{TASK}/organize/boards/practice")),
    ("gold", "ada", to(f"{TASK}/organize/gold")),
    ("gold-faults", "ada", without_input(f"{TASK}/organize/gold")),
    ("gold-candidate", "ada", candidate),
    ("gold-in-force", "ada", by_link(f"{TASK}/organize/gold", "section:has(#versions) th a")),
    ("pictures", "ada", to(f"{TASK}/organize/task-files")),
    ("kit-file-delete", "ada", to(f"{TASK}/organize/task-files/word_overlap.py/delete")),
    ("announcements", "ada", to(f"{TASK}/organize/announcements")),
    ("announce", "ada", to(f"{TASK}/organize/announcements/new")),
    ("announce-preview", "ada", announced),
    ("questions", None, to(f"{TASK}/questions")),
    ("questions-of-the-own-team", "bo", to(f"{TASK}/questions")),
    ("organize-questions", "ada", to(f"{TASK}/organize/questions")),
    ("answer", "ada", by_link(f"{TASK}/organize/questions", "a[href*='/organize/questions/']")),
    ("campaigns", "ada", to(f"{TASK}/organize/campaigns/")),
    ("campaign-new-faults", "ada", without_input(f"{TASK}/organize/campaigns/new")),
    ("campaign-from-table", "ada", from_table),
    ("campaign-from-table-faults", "ada", from_table_with_faults),
    ("campaign", "ada", all_open(f"{CAMPAIGN}/")),
    ("campaign-texts", "ada", to(f"{CAMPAIGN}/texts")),
    ("campaign-people", "ada", to(f"{CAMPAIGN}/people")),
    ("campaign-names", "ada", by_button(f"{CAMPAIGN}/people", "form[action$='/names'] button")),
    ("campaign-answers", "ada", by_button(f"{CAMPAIGN}/people", "form[action$='/answers'] button")),
    ("campaign-consent", "ada", to(f"{CAMPAIGN}/consent")),
    ("campaign-results", "ada", all_open(f"{CAMPAIGN}/results")),
    ("campaign-dataset", "ada", to(f"{CAMPAIGN}/results/dataset")),
    ("campaign-close", "ada", by_link(f"{CAMPAIGN}/", "a[href*='/close']")),
    ("mails", "ada", to(f"{TASK}/organize/mails")),
    ("organize-teams", "ada", to(f"{TASK}/organize/teams")),
    ("people", "ada", with_link(f"{TASK}/organize/people")),
    ("person", "ada", by_link(f"{TASK}/organize/people", "ul.rows a")),
    ("role-taken", "ada", take_role),
    ("edit-texts", "ada", to(f"{TASK}/organize/edit")),
    ("edit-phase", "ada", to(f"{TASK}/organize/phases/evaluation/edit")),
    ("phase-faults", "ada", without_input(f"{TASK}/organize/phases/new")),
    ("extend", "ada", to(f"{TASK}/organize/phases/evaluation/extend")),
    ("extend-faults", "ada", without_input(f"{TASK}/organize/phases/evaluation/extend")),
    ("public-items", "ada", to(f"{TASK}/organize/phases/afterwards/public-items")),
    ("log", "ada", to(f"{TASK}/organize/log")),
    ("log-team", "bo", to(f"{TASK}/team/log")),
    ("organize-only", "ada", to(f"{TASK}/organize/?phase=evaluation&only=missing")),
    ("import", "ada", to("/import")),
    ("import-faults", "ada", without_input("/import")),
    ("task-new", "ada", to("/new-task")),
    ("draft", "ada", set_up("")),
    ("draft-publish", "ada", set_up("state/published")),
    ("draft-scoring", "ada", set_up("scoring")),
    ("draft-levels", "ada", set_up("levels/")),
    ("draft-level", "ada", set_up("levels/sentence-to-phrase/")),
    ("draft-level-new", "ada", set_up("levels/new")),
    ("level", "ada", all_open(f"{TASK}/organize/levels/phrase2word/")),
    ("organizer-team", "ada", to(f"{TASK}/team/")),
    ("submission-organizer", "ada", by_link(f"{TASK}/organize/files", "a[href*='/submissions/']")),
    ("forbidden", "bo", to(f"{TASK}/organize/")),
    ("help", None, to("/help/")),
    ("help-teams", None, to("/help/teams")),
    ("help-organizers", None, to("/help/organizers")),
    ("help-readers", None, to("/help/readers")),
    ("help-statistics", None, to("/help/statistics")),
    ("help-baselines", None, to("/help/baselines")),
    ("help-paper", None, to("/help/paper")),
    ("help-python", None, to("/help/python")),
    ("help-annotation", None, all_open("/help/annotation")),
    ("help-bundles", None, all_open("/help/bundles")),
    ("keys", None, to("/keys")),
    ("privacy", None, to("/privacy")),
    ("delete-account", "cy", to("/account/delete")),
    ("packages", None, to("/packages/")),
    ("not-found", None, to("/nowhere")),
)


@contextmanager
def demo(data: Path | None = None) -> Iterator[str]:
    """The address of a demo that lives as long as it is needed, and its folder as long, if none is given."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "server.cli", "demo", "--data", str(data or folder), "--port", port]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
            try:
                address = f"http://127.0.0.1:{port}"
                for task in ("island-2025", "harbour-2026"):
                    _await(f"{address}/tasks/{task}/boards/evaluation/releases/1/inference.json")
                _await(f"{address}{ISLAND}/paper.zip")
                yield address
            finally:
                server.terminate()
                server.wait(timeout=30)


def _await(address: str) -> None:
    """Wait until the site is up, and has computed what stands on this page."""
    for _ in range(3000):
        try:
            urllib.request.urlopen(address, timeout=5).close()  # noqa: S310  (our own address)
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise SystemExit("the demo's boards were not ready within ten minutes")


@contextmanager
def signed_in(browser: Browser, base: str, who: str | None, width: int, theme: str) -> Iterator[Page]:
    """A page of a fresh browser context, signed in as one of the demo's people."""
    look = {"color_scheme": theme, "viewport": {"width": width, "height": 800}, "reduced_motion": "reduce"}
    browsing = browser.new_context(**look)  # type: ignore[arg-type]  # words
    page = browsing.new_page()
    if who is not None:
        page.goto(f"{base}/sign-in")
        page.fill("#email", ADDRESSES[who])
        page.fill("#password", PASSWORD)
        page.click("main button[type=submit]")
    yield page
    browsing.close()
