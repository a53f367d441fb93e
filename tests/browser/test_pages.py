"""Every page of the demo, in the roles that see it, wide and narrow, keeps what we promise.

axe-core finds nothing, in light and dark, wide and narrow in turn; at 360, 768, 1280 and 1440 px only what is
marked for it scrolls sideways, and a leaderboard of four levels does not on a screen; the policy is held and
nothing else is complained of; the HTML is valid; a page without charts brings less than 150 kB.
"""

import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle, product
from pathlib import Path

import pytest
from axe_playwright_python.base import AXE_SCRIPT  # type: ignore[import-untyped]
from click.testing import CliRunner
from playwright.sync_api import Browser, Page, Response, ViewportSize, expect
from sqlalchemy.orm import Session

from server.annotation.models import RoundFigures
from server.cli.__main__ import main
from server.core import db
from server.releases.models import Inference, Release
from server.submissions.models import Rejection
from server.tasks.models import Task, TaskFile
from server.teams.models import Membership
from tests.browser.looking import NARROW, WIDE, Theme, glance_at, validate
from tests.browser.pages import ADDRESSES, EXAMPLES, PAGES, TASK, demo, signed_in

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("demo")]

THEMES: tuple[Theme, ...] = ("light", "dark")
MOST = 150_000
"""Bytes of a page without charts, styles and scripts included, nothing in the cache, behind our nginx."""


@dataclass(frozen=True)
class Tour:
    """Where the demo is, its data, and where the HTML of its pages is kept."""

    base: str
    data: Path
    folder: Path


@pytest.fixture(scope="module")
def tour(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tour]:
    data = tmp_path_factory.mktemp("demo")
    with demo(data) as base:
        yield Tour(base, data, tmp_path_factory.mktemp("pages"))


class Watch:
    """A page with all that it loads and complains of."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        self.loaded: list[Response] = []
        self.static_weights: dict[str, int] = {}
        self.answer: Response | None = None
        page.add_init_script(AXE_SCRIPT)  # takes half the work of evaluating it on each page
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("response", self._note)
        protocol = page.context.new_cdp_session(page)
        protocol.send("Network.enable")
        protocol.send("Network.setCacheDisabled", {"cacheDisabled": True})

    def _note(self, response: Response) -> None:
        if response.request.is_navigation_request() and response.request.frame == self.page.main_frame:
            self.answer, self.loaded = response, []
        self.loaded.append(response)

    def faults(self, theme: Theme, size: ViewportSize) -> list[str]:
        """What is wrong with the page that was opened."""
        self.page.wait_for_load_state("load")
        faults = [f"console: {text}" for text in self.complaints if "status of 4" not in text]
        if self.answer is not None and self.answer.status == 404 and not self.page.url.endswith("/nowhere"):
            faults.append("is not found")
        weight = sum(map(self._weigh, self.loaded))
        if weight > MOST and not self.page.locator("figure.chart").count():
            faults.append(f"{weight} bytes")
        faults += glance_at(self.page, theme, size)
        self.complaints.clear()
        return faults

    def _weigh(self, response: Response) -> int:
        """Bytes of an answer behind our nginx: static files and what needs no cookie are compressed."""
        if "/static/" not in response.url:
            body = response.body()
            return len(body if "cookie" in response.request.all_headers() else gzip.compress(body))
        if response.url not in self.static_weights:
            self.static_weights[response.url] = len(gzip.compress(response.body()))
        return self.static_weights[response.url]


def test_demo_is_created_once_with_runs_a_late_file_a_rejected_file_and_boards(tour: Tour) -> None:
    again = CliRunner().invoke(main, ["demo", "--data", str(tour.data), "--load-only"])
    assert (again.exit_code, again.stderr) == (0, "")
    assert "ada@demo.example     organizes both tasks\n" in again.stdout
    assert "The site is not served." in again.stdout
    assert not re.search("127.0.0.1:8000/$|printed here", again.stdout, re.MULTILINE)

    engine = db.open_engine(f"sqlite:///{tour.data / 'assay.sqlite'}")
    with Session(engine) as session:
        over, live, release = session.query(Release).order_by(Release.id)
        assert (live.feedback, release.feedback) == ("scores", None)
        assert (over.feedback, over.opens_gold, over.files is None) == (None, True, False)
        board = json.loads(release.board)
        assert [len(board[rows]) for rows in ("official", "late", "baselines")] == [6, 1, 3]
        board = json.loads(over.board)
        assert [len(board[rows]) for rows in ("official", "late", "baselines")] == [24, 2, 3]
        assert all(row.made_at for row in session.query(Inference))
        assert session.query(RoundFigures).count() == 1
        assert len({member.team_id for member in session.query(Membership)}) == 15
        (rejection,) = session.query(Rejection).all()
        assert [problem["line"] for problem in rejection.problems] == [None, 7, 12, 18, 25, 31]
        assert [task.logo for task in session.query(Task).order_by(Task.id)] == [
            "island.png",
            "lighthouse.png",
        ]
        kits = session.query(TaskFile).filter(TaskFile.width.is_(None))
        assert [file.name for file in kits] == ["word_overlap.py", "word_overlap.py"]
    engine.dispose()


@pytest.mark.parametrize("who", [None, *ADDRESSES])
def test_each_demo_page_meets_accessibility_and_layout_promises(
    tour: Tour, chromium: Browser, who: str | None
) -> None:
    found: dict[str, list[str]] = {}
    with signed_in(chromium, tour.base, who, WIDE["width"], "light") as page:
        watch = Watch(page)
        looks = cycle(product(THEMES, (WIDE, NARROW)))
        names = {name for name, _role, _go in PAGES}
        for name, role, go in PAGES:
            if role == who and f"{name}-faults" not in names:  # the same form, and more
                go(page, tour.base)
                assert watch.answer is not None
                (tour.folder / f"{name}.html").write_text(watch.answer.text(), encoding="utf-8")
                found[name] = watch.faults(*next(looks))
    assert {name: faults for name, faults in found.items() if faults} == {}


def test_new_demo_accepts_uploads(tour: Tour, chromium: Browser) -> None:
    """Workers that are forked after the store has started its threads hang in about half of the uploads."""
    with signed_in(chromium, tour.base, "bo", WIDE["width"], "light") as page:
        page.goto(f"{tour.base}{TASK}/team/")
        practice = page.content().split('id="practice"')[1]
        links = re.findall(rf"{TASK}/runs/\d+/\w+/upload", practice)[:4]
        for link in links:
            page.goto(tour.base + link)
            page.set_input_files("input[type=file]", EXAMPLES / f"{link.split('/')[-2]}.trial.tsv")
            page.click("main button[type=submit]")
            expect(page.locator("main")).to_contain_text("Pearson")
    assert len(links) == 4


def test_demo_html_is_valid(tour: Tour) -> None:
    if not any(tour.folder.iterdir()):
        pytest.skip("missed: no page was opened before; run the whole file")
    assert validate(tour.folder) == []
