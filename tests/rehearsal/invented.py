"""The invented task and its runs, all from one seed: texts, hidden and corrected gold, good and bad runs."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

LEVELS = ("paragraph2sentence", "sentence2phrase", "phrase2word", "word2word")
TEAMS = (
    *("alder", "ash", "aspen", "beech", "birch", "cedar", "cherry", "elder", "elm", "fir"),
    *("hazel", "holly", "juniper", "larch", "linden", "maple", "oak", "pine", "rowan", "willow"),
)
FIXED_LEVEL = "paragraph2sentence"
"""The level whose gold has labels to be corrected."""
_WORDS = (
    *("boat", "harbour", "lamp", "storm", "bread", "ferry", "rope", "tide", "quay"),
    *("gull", "anchor", "net", "mast", "crew", "salt", "fog", "wind", "bell"),
)
_GENRES = ("News", "Travel", "CQA")

HEAD = """\
[task]
slug = "rehearsal"
title = "A rehearsal"
description = "How similar are two texts? An invented task."
licence = "invented; do as you like"
organizers = "The rehearsal"
contact = "rehearsal@example.org"
scale = {{ min = 0, max = 4 }}
labels = {{ "0" = "unrelated", "4" = "the same" }}

[board]
total_needs = "all"
runs_per_team = {runs}

[[phase]]
slug = "practice"
split = "trial"
feedback = "scores"

[[phase]]
slug = "evaluation"
split = "test"
opens = {opens:%Y-%m-%dT%H:%M:%SZ}
closes = {closes:%Y-%m-%dT%H:%M:%SZ}
grace_hours = 72
feedback = "hidden"
files_per_level = {files}
runs_per_team = {runs}
runs_public = true

[[run]]
team = "organizers"
name = "LCS"
baseline = "lcs"
"""
LEVEL = """
[[level]]
slug = "{slug}"
title = "{title}"
columns = ["left", "right", "id"]
genre = "id-prefix"
test = {{ items = "items/{slug}.test.tsv", gold = "gold/{slug}.test.tsv" }}
"""
TRIAL = (
    'trial = { items = "items/SLUG.trial.tsv", gold = "gold/SLUG.trial.tsv", public_gold = true }\n'.replace(
        "SLUG", FIXED_LEVEL
    )
)


@dataclass(frozen=True)
class Run:
    """A system of a team, and its files by level; `other`: what it sends again at its first level."""

    name: str
    files: dict[str, bytes]
    other: bytes


@dataclass
class Invented:
    """A task of `n` items a level, and the runs of its teams."""

    seed: int
    n: int
    teams: int
    runs: int
    opens: datetime = field(default_factory=lambda: datetime.now(UTC) - timedelta(hours=1))

    def __post_init__(self) -> None:
        self.gold = {level: self._gold(level) for level in LEVELS}
        self.trial = tuple(f"{self._random('trial', item).uniform(0, 4):.2f}" for item in range(self.n))
        self.fixed = self._fixed()

    @property
    def labels(self) -> set[str]:
        """Every hidden label, including the corrected ones."""
        return {label for gold in (*self.gold.values(), self.fixed) for label in gold if label}

    def name(self, team: int) -> str:
        again, which = divmod(team, len(TEAMS))
        return TEAMS[which] if again == 0 else f"{TEAMS[which]} {again + 1}"

    def write(self, folder: Path) -> Path:
        """The task as a bundle, without runs."""
        for name in ("items", "gold"):
            (folder / name).mkdir(parents=True)
        closes = self.opens + timedelta(days=2)
        text = HEAD.format(opens=self.opens, closes=closes, runs=self.runs, files=2 * self.runs + 3)
        for level in LEVELS:
            text += LEVEL.format(slug=level, title=level.replace("2", " to "))
            text += TRIAL if level == FIXED_LEVEL else ""
            (folder / f"items/{level}.test.tsv").write_bytes(self._items(level))
            (folder / f"gold/{level}.test.tsv").write_bytes(lines(self.gold[level]))
        (folder / f"items/{FIXED_LEVEL}.trial.tsv").write_bytes(self._items("trial"))
        (folder / f"gold/{FIXED_LEVEL}.trial.tsv").write_bytes(lines(self.trial))
        (folder / "task.toml").write_text(text, encoding="utf-8")
        return folder

    def run(self, team: int, run: int) -> Run:
        """A run: the second of a team leaves a level out, the third two; one is constant at a level."""
        left_out = self.left_out(team, run)
        files = {level: self._file(team, run, level) for level in LEVELS if level not in left_out}
        if (team, run) == (1, 0):
            files[LEVELS[3]] = lines(["1.5"] * self.n)
        return Run(f"system-{run + 1}", files, self._file(team, run, LEVELS[0], "again"))

    def left_out(self, team: int, run: int) -> list[str]:
        """The levels that a run leaves out."""
        return [LEVELS[(team + one) % len(LEVELS)] for one in range(run % 3)]

    def late(self, team: int, level: str) -> bytes:
        """What a team sends once the deadline is over, for its second run."""
        return self._file(team, 1, level, "late")

    def practice(self, team: int) -> bytes:
        """A file for the trial items."""
        random = self._random("practice", team)
        return lines([f"{random.uniform(0, 4):.3f}" for _ in range(self.n)])

    def broken(self, team: int) -> tuple[bytes, list[int]]:
        """An invalid file, and the numbers of its bad lines."""
        good = self._file(team, 0, LEVELS[0], "broken").decode().splitlines()
        bad = sorted(self._random("broken", team).sample(range(1, self.n + 1), 3))
        for number, words in zip(bad, ("n/a", "", "4,5"), strict=True):
            good[number - 1] = words
        return lines(good), bad

    def _fixed(self) -> tuple[str, ...]:
        """The gold of the corrected level: a tenth of its labels differ."""
        random, gold = self._random("mended"), list(self.gold[FIXED_LEVEL])
        for item in random.sample(range(1, self.n), max(2, self.n // 10)):
            gold[item] = f"{random.uniform(0, 4):.5f}"
        return tuple(gold)

    def _gold(self, level: str) -> tuple[str, ...]:
        """Labels of five decimals, which nothing else here has; one item of the last level has none."""
        random = self._random("gold", level)
        gold = [f"{random.uniform(0, 4):.5f}" for _ in range(self.n)]
        if level == LEVELS[-1]:
            gold[self.n // 2] = ""
        return tuple(gold)

    def _file(self, team: int, run: int, level: str, which: str = "first") -> bytes:
        """Scores around the labels, of three decimals; the better the earlier the team stands."""
        random = self._random("file", team, run, level, which)
        noise = 0.4 + 0.08 * team + 0.05 * run
        scores = (float(label or 2) + random.gauss(0, noise) for label in self.gold[level])
        sure = run % 2 == 1
        return lines(
            [
                f"{min(4.0, max(0.0, score)):.3f}" + (f"\t{random.random():.2f}" if sure else "")
                for score in scores
            ]
        )

    def _items(self, which: str) -> bytes:
        random = self._random("items", which)
        texts = [[" ".join(random.choices(_WORDS, k=k)) for k in (9, 4)] for _ in range(self.n)]
        ids = [f"{_GENRES[item % 3]}-{item + 1}" for item in range(self.n)]
        return lines(["\t".join([*sides, name]) for sides, name in zip(texts, ids, strict=True)])

    def _random(self, *purpose: object) -> Random:
        return Random(f"{self.seed} {purpose}")  # noqa: S311  (an invented task)


def lines(values: list[str] | tuple[str, ...]) -> bytes:
    """A file with a value a line."""
    return "".join(f"{value}\n" for value in values).encode()
