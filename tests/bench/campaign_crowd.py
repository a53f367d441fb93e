"""Invented annotators of the bench of campaigns, who answer through the site's pages."""

import html
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from time import perf_counter

from tests.server.annotation.small_campaign import Hand
from tests.server.world import World

SECOND, HOUR = timedelta(seconds=1), timedelta(hours=1)
CANNOT = 0.05
"""The share of tuples that an annotator cannot judge."""
TRUTHS = dict(zip("abcde123456", (4.8, 2.7, 1.0, 0.6, 0.2, 6, 5, 4, 2, 1, 0), strict=True))
"""The mean similarity of a pair by the last sign of its key."""
WORTH = 2.0
"""From this similarity on, a pair is "rather similar" for the linguist."""
Given = tuple[str, str, str, str]
"""An acknowledged answer: its round, annotator, unit and value; of a tuple, the keys of its items."""


@dataclass
class Crowd:
    """What the annotators share: pairs by their texts, the truth, and the acknowledged answers."""

    world: World
    pairs: Mapping[tuple[str, str], str]
    given: Counter[Given] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    """How long each answer took, with the redirects to the next page."""

    def truth(self, key: str) -> float:
        return TRUTHS[key[-1]] + random.Random(f"truth {key}").gauss(0, 0.6)  # noqa: S311  (a simulation)

    def shift(self, key: str) -> float:
        """What the context adds to the rating of a pair."""
        return random.Random(f"shift {key}").gauss(0.27, 0.35)  # noqa: S311


class Worker(Hand):
    """An annotator with habits of their own: severe or mild, quick or slow."""

    def __init__(self, crowd: Crowd, name: str, key: str) -> None:
        super().__init__(crowd.world, key)
        self.crowd, self.name, self.rng = crowd, name, random.Random(name)  # noqa: S311
        self.said = ""
        self.bias, self.pace = self.rng.gauss(0, 0.35), self.rng.gauss(2.3, 0.3)

    def work(self, round_slug: str, parts: int, stops_after: int | None = None) -> Iterator[timedelta]:
        """Open the link for each part and answer all of it; yield how long to wait before each request.

        `stops_after`: the number of answers after which the annotator stays away.
        """
        n_answers = 0
        for _ in range(parts):
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
            yield self.rng.choice((73, 80, 100, 200)) * HOUR

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
        """Answer the page, and remember it if the site acknowledged the answer."""
        unit, fields = self.choose()
        start = perf_counter()
        page = self.send("data-annotate", visible_ms=str(int(think / SECOND * 1000)), **fields)
        self.crowd.seconds.append(perf_counter() - start)
        if page.history and page.history[0].status_code == 303:
            value = fields.get("value") or self.said
            self.crowd.given[round_slug, self.name, unit, value] += 1

    def choose(self) -> tuple[str, dict[str, str]]:
        """Return the unit of the page, and what the annotator fills in."""
        page = self.page.text
        if 'name="best"' in page:
            candidates = re.findall(r'<p class="lines" id="candidate\d"[^>]*>(.*?)</p>', page)
            left = html.unescape(re.findall(r'<li class="lines"[^>]*><mark>(.*?)</mark>', page)[-1])
            keys = [self.crowd.pairs[left, html.unescape(text)] for text in candidates]
            if self.rng.random() < CANNOT:
                return " ".join(sorted(keys)), {"value": "cannot"}
            felt = {key: self.crowd.truth(key) + self.rng.gauss(0, 0.4) for key in keys}
            order = sorted(keys, key=felt.__getitem__)
            best, worst = (str(keys.index(key) + 1) for key in (order[-1], order[0]))
            self.said = f"{order[-1]} {order[0]}"
            return " ".join(sorted(keys)), {"best": best, "worst": worst}
        turns = re.findall(r'<li class="lines"[^>]*><mark>(.*?)</mark>', page)
        texts = re.findall(r'<p class="lines"[^>]*>(.*?)</p>', page)
        marked = [re.search("<mark>(.*?)</mark>", text) for text in texts]
        shown = [*turns, *(mark[1] if mark else text for mark, text in zip(marked, texts, strict=True))]
        left, right = map(html.unescape, shown)
        key = self.crowd.pairs[left, right]
        truth = self.crowd.truth(key)
        if turns:
            return key, {"value": str(int(truth > WORTH))}
        context = self.crowd.shift(key) if all(marked) else 0.0
        rating = round(truth + context + self.bias + self.rng.gauss(0, 0.75))
        return key, {"value": str(min(6, max(0, rating)))}
