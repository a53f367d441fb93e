"""Invented annotators of the bench of campaigns, who answer through the site's pages."""

import html
import random
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from time import perf_counter
from typing import NamedTuple

from werkzeug.test import TestResponse

from scorer.bundles.bundle import ScaleSpec
from tests.server.annotation.small_campaign import Hand
from tests.server.world import World

SECOND, HOUR = timedelta(seconds=1), timedelta(hours=1)
CANNOT = 0.05
"""The share of tuples that an annotator cannot judge, and of texts for which they find no word."""
N_SENTENCES = 4
"""The first sentences of the reports tell an incident from others with the same sentence in the summary."""
CARELESS, FORGETS, CHANGES_BROWSER, COMES_BACK = 0.45, 0.1, 0.04, 0.5
"""The shares of a crowd that answer anyhow, do not hand in, change the browser at a page, and return."""
WORTH = 2.0
"""From this similarity on, a pair is "rather similar" for the linguist."""


class Given(NamedTuple):
    """An acknowledged answer: what it is about, by texts, and its value.

    `reading` is 2 in a pass that shows the context. `said` is a rating, the chosen texts, or the written one.
    """

    round: str
    reading: int
    annotator: str
    unit: tuple[str, ...]
    said: tuple[str, ...]


@dataclass
class Crowd:
    """What the annotators share: how similar texts are, words to write, and the acknowledged answers.

    `words` are by the given text and the wanted rating.
    """

    world: World
    similarity: Callable[[str, str], float]
    scale: ScaleSpec
    words: Mapping[str, Mapping[str, Collection[str]]] = field(default_factory=dict)
    given: list[Given] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    """How long each answer took, with the redirects to the next page."""
    seen_elsewhere: int = 0
    """How often a page led to an answer that had been given in another browser."""

    def truth(self, left: str, right: str) -> float:
        lot = random.Random(f"truth {left} {right}")  # noqa: S311  (a simulation)
        return self.similarity(left, right) + lot.gauss(0, 0.6)

    def shift(self, left: str, right: str) -> float:
        """What the context adds to the rating of a pair."""
        return random.Random(f"shift {left} {right}").gauss(0.27, 0.35)  # noqa: S311

    def round(self, felt: float) -> str:
        """The point of the scale that is next to what an annotator feels."""
        low, step = self.scale.min, self.scale.step or 1
        return f"{min(self.scale.max, max(low, low + round((felt - low) / step) * step)):g}"

    def list_counted(self, round_slug: str, answers: int) -> dict[tuple[int, tuple[str, ...]], list[Given]]:
        """The first answers to each unit in each reading, by different annotators, without blanks."""
        counted: dict[tuple[int, tuple[str, ...]], list[Given]] = {}
        for given in self.given:
            if given.round == round_slug and given.said != ("cannot",):
                known = counted.setdefault((given.reading, given.unit), [])
                if len(known) < answers and given.annotator not in {each.annotator for each in known}:
                    known.append(given)
        return counted


class Worker(Hand):
    """An annotator with habits of their own: severe or mild, quick or slow."""

    def __init__(self, crowd: Crowd, name: str, key: str) -> None:
        super().__init__(crowd.world, key)
        self.crowd, self.name, self.rng = crowd, name, random.Random(name)  # noqa: S311
        self.bias, self.pace = self.rng.gauss(0, 0.35), self.rng.gauss(2.3, 0.3)

    def work(self, round_slug: str, parts: int, stops_after: int | None = None) -> Iterator[timedelta]:
        """Open the link for each part and answer all of it; yield how long to wait before each request.

        `stops_after`: the number of answers after which the annotator stays away.
        """
        n_answers = 0
        for part in range(parts):
            if part:
                yield self.rng.choice((73, 80, 100, 200)) * HOUR
            self.open_part(round_slug)
            while "data-annotate" in self.page.text:
                if n_answers == stops_after:
                    return
                think = self.rng.lognormvariate(self.pace, 0.5) * SECOND
                yield think
                self.answer_page(round_slug, think)
                n_answers += 1
                yield (900 if self.rng.random() < 0.01 else 1) * SECOND
            if "/hand-in" in self.page.text:
                self.send("/hand-in")

    def open_part(self, round_slug: str) -> None:
        """Open the personal link, consent if that is asked, and begin or continue a part of a round."""
        self.get(f"/a/me/{self.key}")
        self.send('type="hidden" name="language"')
        button = f'name="round" value="{round_slug}"'
        if button in self.page.text:
            self.send(button)
        if step := re.search(r'<a class="button" href="(/a/\d+/steps/\d+)"', self.page.text):
            self.get(step[1])  # the second pass

    def answer_page(self, round_slug: str, think: timedelta) -> None:
        """Answer the page, twice if it has a doubt, and remember it if the site acknowledged the answer."""
        reading, unit, said, fields = self.choose()
        start = perf_counter()
        for _ in range(2):
            page = self.send("data-annotate", visible_ms=str(int(think / SECOND * 1000)), **fields)
            if page.status_code != 422:
                break
        self.crowd.seconds.append(perf_counter() - start)
        if page.history and page.history[0].status_code == 303:
            self.crowd.given.append(Given(round_slug, reading, self.name, unit, said))

    def choose(self) -> tuple[int, tuple[str, ...], tuple[str, ...], dict[str, str]]:
        """Return the reading, the unit and the value of an answer to the page, and what to fill in."""
        page = self.page.text
        turns = _list_texts(re.findall(r'<li class="lines"[^>]*>(<mark>.*?</mark>)', page))
        texts = re.findall(r'<p class="lines"[^>]*>(.*?)</p>', page)
        marked = [re.search("<mark>.*?</mark>", text) for text in texts]
        shown = _list_texts(mark[0] if mark else text for mark, text in zip(marked, texts, strict=True))
        if 'name="best"' in page:
            return 1, *self.compare(turns[-1], shown)
        if 'name="A"' in page:
            return 1, *self.pick(shown[0])
        if 'name="written"' in page:
            return 1, (shown[0],), *self.write(shown[0])
        left, right = *turns, *shown
        if turns:
            value = str(int(self.crowd.truth(left, right) > WORTH))
            return 1, (left, right), (value,), {"value": value}
        is_second = all(marked)
        shift = self.crowd.shift(left, right) if is_second else 0.0
        value = self.crowd.round(self.feel(left, right) + shift)
        return 1 + is_second, (left, right), (value,), {"value": value}

    def feel(self, left: str, right: str) -> float:
        """How similar the annotator finds two texts."""
        return self.crowd.truth(left, right) + self.bias + self.rng.gauss(0, 0.125) * self.crowd.scale.max

    def compare(
        self, left: str, rights: list[str]
    ) -> tuple[tuple[str, ...], tuple[str, ...], dict[str, str]]:
        """Choose the best and the worst text of a tuple."""
        unit = left, *sorted(rights)
        if self.rng.random() < CANNOT:
            return unit, ("cannot",), {"value": "cannot"}
        felt = {right: self.crowd.truth(left, right) + self.rng.gauss(0, 0.4) for right in rights}
        worst, *_others, best = sorted(rights, key=felt.__getitem__)
        places = {name: str(rights.index(text) + 1) for name, text in (("best", best), ("worst", worst))}
        return unit, (best, worst), places

    def pick(self, left: str) -> tuple[tuple[str, ...], tuple[str, ...], dict[str, str]]:
        """Choose the most similar sentence, one in the middle and the least similar one, and rate them."""
        found = re.findall(r'<p id="sentence(\d+)"[^>]*>(.*?)</p>', self.page.text)
        places = dict(
            zip(_list_texts(text for _place, text in found), (place for place, _ in found), strict=True)
        )
        felt = {text: self.crowd.truth(left, text) + self.rng.gauss(0, 0.4) for text in places}
        worst, *others, best = sorted(places, key=felt.__getitem__)
        middle = min(others, key=lambda text: abs(felt[text] - (felt[best] + felt[worst]) / 2))
        said: list[str] = []
        fields = {}
        for slot, text in zip("ABC", (best, middle, worst), strict=True):
            rating = self.crowd.round(felt[text] + self.bias)
            fields |= {slot: places[text], f"{slot}_rating": rating}
            said += slot, text, rating
        return (left, *list(places)[:N_SENTENCES]), tuple(said), fields

    def write(self, left: str) -> tuple[tuple[str, ...], dict[str, str]]:
        """Write a word for the wanted rating, or leave it blank."""
        if self.rng.random() < CANNOT:
            return ("cannot",), {"value": "cannot"}
        wanted = re.search(r"<strong>([\d.]+)", self.page.text)
        word = self.rng.choice([*self.crowd.words[left][wanted[1] if wanted else ""]])
        return (word,), {"written": word}


class PlatformWorker(Worker):
    """A person whom a platform sends to the link of a crowd, with one browser after the other.

    `key` is the address of the link with their id; they learn their pseudonym from the site. Some answer
    anyhow; some go on in another browser; of those who stop, some return after the lease, on the same day.
    """

    def __init__(self, crowd: Crowd, person: str, address: str) -> None:
        super().__init__(crowd, person, address)
        self.is_careless = self.rng.random() < CARELESS
        self.forgets = self.rng.random() < FORGETS
        self.bias, self.n_steps, self.n_browsers = self.rng.gauss(0, 0.1), 0, 0
        self.returned, self.ratings = False, dict[tuple[str, ...], float]()
        self.answered_with = self.visitor

    @property
    def code(self) -> str | None:
        """The code that the page shows."""
        found = re.search(r'<h2 id="code">.*?<strong>(.*?)</strong>', self.page.text, re.DOTALL)
        return found and found[1]

    @property
    def is_done(self) -> bool:
        """Whether the person gave all answers of their assignment."""
        return 0 < self.n_steps == len(self.ratings)

    def work(self, round_slug: str, parts: int, stops_after: int | None = None) -> Iterator[timedelta]:
        yield from super().work(round_slug, parts, stops_after)
        if stops_after is not None and self.rng.random() < COMES_BACK:
            yield self.rng.choice((0.5, 3, 9)) * HOUR  # the lease has two hours
            self.returned = True
            yield from super().work(round_slug, parts)

    def open_part(self, round_slug: str) -> None:
        """Open the platform's link, consent if that is asked, and begin or go on."""
        self.change_browser()
        self.open_link()
        if (button := f'name="round" value="{round_slug}"') in self.page.text:
            self.send(button)

    def change_browser(self) -> None:
        self.visitor, self.n_browsers = self.crowd.world.client(), self.n_browsers + 1

    def open_link(self) -> None:
        """Open the platform's link, and consent if that is asked; remember the pseudonym."""
        self.get(self.key)
        if "I consent" in self.page.text:
            self.send("I consent")
        if named := re.search(r"under the name (\w+)", self.page.text):
            self.name = named[1]

    def answer_page(self, round_slug: str, think: timedelta) -> None:
        """Answer the page; perhaps go on in another browser, which shows nothing of this one."""
        n_given = len(self.crowd.given)
        if place := re.search(r"<h1[^>]*>\d+ of (\d+)", self.page.text):
            self.n_steps = int(place[1])
        super().answer_page(round_slug, think)
        for given in self.crowd.given[n_given:]:
            self.ratings[given.unit], self.answered_with = float(given.said[0]), self.visitor
        if "data-annotate" in self.page.text and self.rng.random() < CHANGES_BROWSER:
            self.open_part(round_slug)
            self.crowd.seen_elsewhere += "Previous answer" in self.page.text

    def feel(self, left: str, right: str) -> float:
        if self.is_careless:
            return self.rng.uniform(self.crowd.scale.min, self.crowd.scale.max)
        return self.crowd.similarity(left, right) + self.bias + self.rng.gauss(0, 0.3)

    def send(self, button: str = "", **fields: str) -> TestResponse:
        """Send a form; who forgets to hand in closes the page."""
        return self.page if self.forgets and button == "/hand-in" else super().send(button, **fields)


def _list_texts(parts: Iterable[str]) -> list[str]:
    """The texts of parts of a page, without their marks."""
    return [html.unescape(re.sub("</?mark>", "", part)) for part in parts]
