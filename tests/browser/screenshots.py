"""Pictures of every page, wide and narrow, light and dark: `make screenshots`.

Takes the address of a running `assay demo`, or starts one of its own. Signs in with the demo's accounts, does
what a picture needs (sends a broken file, say), and writes `screenshots/<page>.<width>.<theme>.png`. It says
which page scrolls sideways and which one writes to the console (a Content-Security-Policy that was not held
does), and ends with 1 if any did.
"""

import argparse
import contextlib
import itertools
import sys
from pathlib import Path

from playwright.sync_api import ConsoleMessage, Page, sync_playwright

from tests.browser.pages import ADDRESSES, CHROMIUM, PAGES, Go, demo, signed_in

WIDTHS = {"wide": 1280, "narrow": 360}
THEMES = ("light", "dark")
TASK = "/tasks/harbour-2026"
EXAMPLES = Path(__file__).parents[2] / "server" / "demo" / "harbour-2026" / "examples"

Go = Callable[[Page, str], None]


def to(path: str) -> Go:
    """A page by its address."""

    def go(page: Page, base: str) -> None:
        page.goto(base + path)

    return go


def by_link(path: str, selector: str, at: int = 0) -> Go:
    """A page behind a link of another one."""

    def go(page: Page, base: str) -> None:
        page.goto(base + path)
        page.goto(base + str(page.locator(selector).nth(at).get_attribute("href")))

    return go


def all_open(path: str) -> Go:
    """A page with everything on it unfolded."""

    def go(page: Page, base: str) -> None:
        page.goto(base + path)
        folded = page.locator("details:not([open]) > summary")
        while folded.count():
            folded.first.click()

    return go


def refused(page: Page, base: str) -> None:
    """The answer to a file with many kinds of bad lines."""
    by_link(f"{TASK}/team/", "a[href$='/upload']")(page, base)
    page.set_input_files("input[type=file]", EXAMPLES / "broken.trial.tsv")
    page.click("main button[type=submit]")


def announced(page: Page, base: str) -> None:
    """An announcement before it is sent."""
    page.goto(f"{base}{TASK}/organize/announcements/new")
    page.fill("[name=title]", "Two items of word to sense")
    page.fill("[name=text]", "Items **17** and 40 are the same:\n\n- both count\n- nothing else changes")
    page.click("button[value=preview]")


def without_input(path: str) -> Go:
    """A form that was sent with nothing in it."""

    def go(page: Page, base: str) -> None:
        page.goto(base + path)
        page.click("main button[type=submit]")

    return go


def by_button(path: str, name: str = "setup") -> Go:
    """What a page shows once its button was pressed."""

    def go(page: Page, base: str) -> None:
        page.goto(base + path)
        page.click(f"main button[name={name}]")

    return go


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
            page.get_by_role("button", name="Make a link").click()

    return go


def take_role(page: Page, base: str) -> None:
    """What somebody reads who opens a link that gives a role: its maker, here, has one already."""
    with_link(f"{TASK}/organize/people")(page, base)
    page.goto(page.locator(".invitation input.mono").first.input_value())


def release_without_time(page: Page, base: str) -> None:
    """A release that is planned, with no time given."""
    page.goto(f"{base}{TASK}/organize/boards/evaluation")
    page.check("[name=when][value=at]")
    page.click("section.release button[type=submit]")


def dry_run(page: Page, base: str) -> None:
    """What the organizer reads of a file that is not entered."""
    page.goto(f"{base}{TASK}/organize/dry-run")
    page.select_option("#target", "paragraph2sentence.trial")
    page.set_input_files("input[type=file]", EXAMPLES / "paragraph2sentence.trial.tsv")
    page.click("main button[type=submit]")


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
        page.click("#upload button[type=submit]")
        page.wait_for_selector("#publish", timeout=60_000)
    else:
        page.goto(base + str(there.get_attribute("href")))
    folded = page.locator("details:not([open]) > summary")
    while folded.count():
        folded.first.click()


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
    ("change-email", "cy", to("/account/email")),
    ("second-factor", "cy", to("/account/second-factor")),
    ("second-factor-key", "cy", by_button("/account/second-factor")),
    ("recovery-codes", "cy", by_button("/account/recovery-codes", "generate_new_codes")),
    ("confirm-member", "ada", to(f"{TASK}/organize/confirm")),
    ("board", None, all_open(f"{TASK}/boards/evaluation")),
    ("release", None, all_open(f"{TASK}/boards/evaluation/releases/1")),
    ("board-closed", None, to(f"{TASK}/boards/practice")),
    ("team-none", "dee", to(f"{TASK}/team/")),
    ("team-new", "dee", to(f"{TASK}/teams/new")),
    ("team-new-faults", "dee", without_input(f"{TASK}/teams/new")),
    ("team", "bo", to(f"{TASK}/team/")),
    ("counts", "bo", to(f"{TASK}/counts")),
    ("run", "bo", by_link(f"{TASK}/team/", "article.run h3 a")),
    ("run-edit", "bo", by_link(f"{TASK}/team/", "a[href$='/edit'][href*='/runs/']")),
    ("run-withdraw", "bo", by_link(f"{TASK}/team/", "a[href$='/withdraw'][href*='/runs/']")),
    ("team-open", "bo", all_open(f"{TASK}/team/")),
    ("team-members", "bo", with_link(f"{TASK}/team/members")),
    ("team-edit", "bo", to(f"{TASK}/team/edit")),
    ("team-leave-refused", "bo", to(f"{TASK}/team/leave")),
    ("team-hand-over", "bo", by_link(f"{TASK}/team/members", "a[href$='/captain']")),
    ("run-new", "bo", to(f"{TASK}/phases/practice/runs/new")),
    ("upload", "bo", by_link(f"{TASK}/team/", "a[href$='/upload']")),
    ("upload-refused", "bo", refused),
    ("refusal", "bo", by_link(f"{TASK}/team/", "a[href*='/refusals/']")),
    ("submission-scored", "bo", by_link(f"{TASK}/team/", "section:has(#practice) a[href*='/submissions/']")),
    (
        "submission-stored",
        "bo",
        by_link(f"{TASK}/team/", "section:has(#evaluation) a[href*='/submissions/']"),
    ),
    ("withdraw", "bo", withdraw),
    ("organize", "ada", to(f"{TASK}/organize/")),
    ("organize-open", "ada", all_open(f"{TASK}/organize/?phase=practice")),
    ("organize-team", "ada", by_link(f"{TASK}/organize/", "table.desk th a")),
    ("dry-run", "ada", dry_run),
    ("systems", "ada", to(f"{TASK}/organize/systems")),
    ("organize-files", "ada", to(f"{TASK}/organize/files")),
    ("preview", "ada", to(f"{TASK}/organize/boards/evaluation")),
    ("preview-without-time", "ada", release_without_time),
    ("phase-new-after", "ada", to(f"{TASK}/organize/phases/new?after=evaluation")),
    ("preview-practice", "ada", to(f"{TASK}/organize/boards/practice")),
    ("gold", "ada", to(f"{TASK}/organize/gold")),
    ("gold-faults", "ada", without_input(f"{TASK}/organize/gold")),
    ("gold-candidate", "ada", candidate),
    ("gold-in-force", "ada", by_link(f"{TASK}/organize/gold", "section:has(#versions) th a")),
    ("announcements", "ada", to(f"{TASK}/organize/announcements")),
    ("announce", "ada", to(f"{TASK}/organize/announcements/new")),
    ("announce-preview", "ada", announced),
    ("mails", "ada", to(f"{TASK}/organize/mails")),
    ("organize-teams", "ada", to(f"{TASK}/organize/teams")),
    ("people", "ada", with_link(f"{TASK}/organize/people")),
    ("person", "ada", by_link(f"{TASK}/organize/people", "ul.rows a")),
    ("role-taken", "ada", take_role),
    ("edit-texts", "ada", to(f"{TASK}/organize/edit")),
    ("edit-phase", "ada", to(f"{TASK}/organize/phases/evaluation/edit")),
    ("import", "ada", to("/import")),
    ("import-faults", "ada", without_input("/import")),
    ("organizer-team", "ada", to(f"{TASK}/team/")),
    ("submission-organizer", "ada", by_link(f"{TASK}/organize/", "a[href*='/submissions/']")),
    ("forbidden", "bo", to(f"{TASK}/organize/")),
    ("not-found", None, to("/nowhere")),
)


@contextmanager
def signed_in(browser: Browser, base: str, who: str | None, width: int, theme: str) -> Iterator[Page]:
    """A page of a fresh browser context, signed in as one of the demo's people."""
    scheme = {"color_scheme": theme, "viewport": {"width": width, "height": 800}}
    browsing = browser.new_context(java_script_enabled=True, **scheme)  # type: ignore[arg-type]  # words
    page = browsing.new_page()
    if who is not None:
        page.goto(f"{base}/sign-in")
        page.fill("#email", ADDRESSES[who])
        page.fill("#password", PASSWORD)
        page.click("main button[type=submit]")
    yield page
    browsing.close()


def main() -> int:
    """Take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base", nargs="?", help="the address of a running `assay demo`; by default a new one")
    parser.add_argument("--out", type=Path, default=Path("screenshots"))
    parser.add_argument("--only", nargs="*", help="names of pages")
    parser.add_argument("--fast", action="store_true", help="narrow dark and wide light only")
    options = parser.parse_args()
    options.out.mkdir(exist_ok=True)
    with contextlib.nullcontext(options.base) if options.base else demo() as base:
        faults = take_all(options, base.rstrip("/"))
    print("\n".join(faults) or "no page scrolls sideways, none writes to the console")
    return 1 if faults else 0


def take_all(options: argparse.Namespace, base: str) -> list[str]:
    """Take the pictures; what is wrong with the pages."""
    faults: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for size, theme in itertools.product(WIDTHS, THEMES):
            if options.fast and (size, theme) not in (("wide", "light"), ("narrow", "dark")):
                continue
            for who in (None, *ADDRESSES):
                chosen = [(name, go) for name, role, go in PAGES if role == who]
                if options.only:
                    chosen = [(name, go) for name, go in chosen if name in options.only]
                if chosen:
                    with signed_in(browser, base, who, WIDTHS[size], theme) as page:
                        faults += _take(page, base, options.out, chosen, (size, theme))
        browser.close()
    return faults


def _take(page: Page, base: str, out: Path, chosen: list[tuple[str, Go]], look: tuple[str, str]) -> list[str]:
    faults: list[str] = []
    name = ""
    size, theme = look

    def note(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and "Failed to load resource" not in message.text:
            faults.append(f"{name} ({size}, {theme}): console: {message.text}")

    page.on("console", note)
    for name, go in chosen:
        go(page, base)
        width = page.evaluate("document.documentElement.scrollWidth")
        if width > WIDTHS[size]:
            faults.append(f"{name} ({size}, {theme}): {width} px wide, so it scrolls sideways")
        page.screenshot(path=out / f"{name}.{size}.{theme}.png", full_page=True)
        print(f"{name}.{size}.{theme}.png")
    return faults


if __name__ == "__main__":
    sys.exit(main())
