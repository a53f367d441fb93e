"""Play the example campaigns, from personal links to a leaderboard, and recompute their figures.

Run it as `python tests/bench/bench_campaigns.py` for a part of all campaigns; `--whole` for all of
`deploy/campaigns/`, and for 269 people in the first Czech round, or as many as `--choosers` says. Invented
annotators answer through the site's pages on a set clock. Some leave, newcomers do what is missing, and some
of those who left return. What they chose or wrote becomes the next campaign by `scorer campaign next`. The
bench exits 1 if an acknowledged answer is not in the export exactly once, a unit lacks answers, a command of
a README.md fails, the gold standard differs, a figure is not what the annotators' own answers give, or a
person of a crowd gets another code than their work deserves.
Nothing is asserted about time.
"""

import argparse
import csv
import html
import logging
import re
import shlex
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import product
from pathlib import Path
from statistics import correlation, mean, median, quantiles, variance
from time import perf_counter
from typing import Any

import pytest

sys.path.insert(0, str(ROOT := Path(__file__).parents[2]))

from deploy.campaigns import make_texts
from scorer.campaigns.assignments import plan_round
from server.app import create_app
from server.core import clock, migrate
from server.core.mailer import LOG
from server.web.context import site_of
from tests.bench.bench_site import each_database
from tests.bench.campaign_crowd import PlatformWorker
from tests.bench.campaign_player import Player, RoundPlay
from tests.server.sites import site_config
from tests.server.world import OPENS, World

CAMPAIGNS = ROOT / "deploy" / "campaigns"
SMALLER = {
    "answers = 9": "answers = 3",
    "answers = 5": "answers = 3",
    "assignment = 50": "assignment = 10",
    "assignment = 20": "assignment = 6",
    "at_least = 7": "at_least = 2",
    "at_least = 4": "at_least = 2",
}
"""What is written otherwise in a small campaign."""
GROUPS = {
    "czech-news/pilot.tsv": 9, "czech-news/pairs.tsv": 20, "clss-crowd/pairs.tsv": 15,
    "giccs/items.tsv": 6, "giccs/tuples.tsv": 6,
}  # fmt: skip
"""The number of groups of a table, or of its lines if it has none, that are left in a small campaign."""
CHOOSERS, SMALL_CHOOSERS = 269, 4
"""The people of the first Czech round, in the paper and in the bundle."""
LETTERS = 5
"""Words with these first letters in common are the same, as in the highlights of choose rounds."""
EXPECTED = {"A": 6, "B": 3, "C": 0}
"""The rating that is expected of each choice."""
TRUTHS = dict(zip("abcde", (4.8, 2.7, 1.0, 0.6, 0.2), strict=True))
"""The mean similarity of two German utterances by the last letter of their key."""
GENRE_BIAS = {"news": 0.0, "travel": 0.1, "forum": -0.2, "idiom": 0.5}
"""How much higher a crowd rates the pairs of a genre than the experts."""
Similarity = Callable[[str, str], float]
Words = Mapping[str, Mapping[str, Collection[str]]]
Figures = Mapping[str, Mapping[str, Any]]
Choice = tuple[str, str, str, float]


class MailCounter(logging.Filter):
    """Counts the emails that a site without a mail server logs, and keeps them out of the output."""

    count = 0

    def filter(self, record: logging.LogRecord) -> bool:  # noqa: ARG002
        self.count += 1
        return False


def make_smaller(folder: Path) -> None:
    """Leave a small part of a campaign: its first groups, with fewer answers."""
    toml = (folder / "annotation.toml").read_text(encoding="utf-8")
    for before, after in SMALLER.items():
        toml = toml.replace(before, after)
    (folder / "annotation.toml").write_text(toml, encoding="utf-8")
    for path in folder.glob("*.tsv"):
        if n_groups := GROUPS.get(f"{folder.name}/{path.name}"):
            header, *lines = path.read_text(encoding="utf-8").splitlines()
            names = header.split("\t")
            place = names.index("group" if "group" in names else "key")
            first = dict.fromkeys(line.split("\t")[place] for line in lines)
            kept = set(list(first)[:n_groups])
            rows = [header, *(line for line in lines if line.split("\t")[place] in kept)]
            path.write_text("\n".join(rows) + "\n", encoding="utf-8")


@dataclass
class Play:
    """The campaigns of a chain, which are played one after the other."""

    world: World
    work: Path
    out: Path
    whole: bool
    choosers: int
    players: list[Player] = field(default_factory=list)

    def copy(self, name: str, *tables: Path) -> Path:
        """Copy a campaign with other tables in place of its own, or a small part of it."""
        folder = shutil.copytree(CAMPAIGNS / name, self.work / name)
        for table in tables:
            shutil.copy(table, folder)
        if not self.whole:
            make_smaller(folder)
        return folder

    def add(self, folder: Path, similarity: Similarity, words: Words | None = None) -> Player:
        """Create a campaign after the last one was over."""
        now = self.players[-1].now if self.players else OPENS
        self.players.append(player := Player(self.world, folder, self.out, similarity, words or {}, now))
        return player

    def draft_next(self, player: Player, export: Path, options: str) -> Path:
        """Make the next campaign by the commands that people use."""
        out = self.work / f"{player.config.slug}-next"
        player.run(f"scorer campaign next {shlex.quote(str(export))} --out {out} {options}", self.out)
        player.run(f"scorer campaign check {out}", self.out)
        return out

    def expect(self, what: str, found: Any, known: Any) -> None:
        """Count a fault if a figure is not what the annotators' own answers give."""
        equal = found == (pytest.approx(known) if isinstance(known, float | dict) else known)
        self.players[-1].faults += not equal
        is_many = isinstance(known, dict | set)
        shown = f"{known:.3f}" if isinstance(known, float) else len(known) if is_many else known
        print(f"  {what}: {shown}, {'equal' if equal else f'DIFFERENT: {found}'}")


def play_czech(play: Play) -> None:
    """Choices from reports, then a pilot, and the main round of two passes, of which some leave."""
    folder = play.copy("czech-choose")
    make_texts.write_incidents(folder, 6 * play.choosers)
    chooser = play.add(folder, share_words)
    people = chooser.invite("students", play.choosers)
    chooser.play_round(RoundPlay("choose", play.choosers, 1, leave=0.13, newcomers=True), people)
    chosen = chooser.export("choose")
    check_choices(play, chooser.read_figures(chosen), "choices", list_choices(chooser))
    options = "--first 50 --assignments 8" if play.whole else "--first 8 --assignments 3"
    pairs = play.draft_next(chooser, chosen, options) / "pairs.tsv"
    rater = play.add(play.copy("czech-news", pairs, chosen / "choices.tsv"), share_words)
    n_people = len(plan_round(rater.config.gold_round).assignments)
    people = rater.invite("students", n_people)
    rater.play_round(RoundPlay("pilot", n_people, 2), people)
    rater.export("pilot")
    rater.play_round(RoundPlay("rate", n_people, 2, leave=0.12, newcomers=True), people)
    folder = rater.export("rate")
    dataset, gold = rater.make_dataset(folder), rater.make_gold(folder)
    check_czech(play, chooser, rater, rater.read_figures(dataset), gold)
    rater.compete(gold)


def check_czech(play: Play, chooser: Player, rater: Player, figures: Figures, gold: list[str]) -> None:
    """Compare the figures of the data set with the annotators' own answers in both rounds."""
    rounds: dict[int, dict[tuple[str, ...], dict[str, float]]] = {1: {}, 2: {}}
    for (reading, pair), of_pair in rater.list_counted("rate").items():
        rounds[reading][pair] = {each.annotator: float(each.said[0]) for each in of_pair}
    free, dependent = rounds[1], rounds[2]
    items = [(unit.texts["left"], unit.texts["right"]) for unit in rater.config.gold_round.items]
    values = {pair: float(value) for pair, value in zip(items, gold, strict=True) if pair in free}
    play.expect("gold", values, {pair: mean(ratings.values()) for pair, ratings in free.items()})
    choices = list_choices(chooser)
    tested = {*items}
    check_choices(play, figures, "train", [each for each in choices if each[:2] not in tested])
    changed = sum(is_significant(free[pair], dependent[pair]) for pair in free)
    play.expect("pairs with p <= .05 (figure 9)", figures["significance.paired.0.05"]["p <= x"], changed)
    first = {(left, right): rating for left, right, _choice, rating in choices}
    both = [(first[pair], value) for pair, value in values.items()]
    play.expect("r of both rounds", figures["first.free"]["pearson"], correlation(*zip(*both, strict=True)))


def list_choices(chooser: Player) -> list[Choice]:
    """What annotators chose: both sentences, the choice and the rating."""
    return [
        (unit[0], text, choice, float(rating))
        for (_reading, unit), (answer,) in chooser.list_counted("choose").items()
        for choice, text, rating in zip(*[iter(answer.said)] * 3, strict=True)
    ]


def check_choices(play: Play, figures: Figures, name: str, choices: Sequence[Choice]) -> None:
    """Compare the figures of a table of choices with what was chosen."""
    for width in (1, 2):
        near = sum(abs(rating - EXPECTED[choice]) <= width for *_pair, choice, rating in choices)
        found = figures[f"kept.{name}.N{width}"]["pairs"]
        play.expect(f"pairs of N{width} (of {len(choices)})", found, near)
    rows = [row for code, row in figures.items() if code.startswith(f"sorted.{name}.")]
    pairs = {(choice, row["rating"]): row[f"pairs {choice}"] for row in rows for choice in EXPECTED}
    counts = Counter(each[2:] for each in choices)
    play.expect("pairs by choice and rating (figure 10)", pairs, {place: counts[place] for place in pairs})
    play.expect("pairs in all", sum(pairs.values()), len(choices))


def is_significant(free: Mapping[str, float], dependent: Mapping[str, float]) -> bool:
    """Whether the ratings of a pair by the same annotators differ; a change that all agree on has p = 0."""
    from scipy.stats import ttest_rel  # noqa: PLC0415  (every process that tests imports this module)

    both = [(free[name], dependent[name]) for name in free if name in dependent]
    changes = {after - before for before, after in both}
    if len(changes) == 1:
        return changes != {0.0}
    return bool(ttest_rel(*zip(*both, strict=True)).pvalue <= 0.05)


def play_clss(play: Play) -> None:
    """Words for phrases, which two experts rate; their disagreements are decided."""
    words: dict[str, dict[str, list[str]]] = {}
    for genre, thing, phrase in make_texts.make_phrases():
        by_rating = make_texts.THINGS[genre][thing].split()
        words[phrase] = {str(4 - n): of_rating.split("/") for n, of_rating in enumerate(by_rating)}
    ratings = {
        (phrase, word): float(rating)
        for phrase, by_rating in words.items()
        for rating, of_rating in by_rating.items()
        for word in of_rating
    }

    def compare(left: str, right: str) -> float:
        return ratings.get((left, right), 0.0)

    writer = play.add(play.copy("clss-write"), compare, words)
    n_people = len(plan_round(writer.config.rounds[0]).assignments)
    writer.play_round(RoundPlay("write", n_people, 1, newcomers=True), writer.invite("writers", n_people))
    written = writer.export("write")
    folder = play.draft_next(writer, written, "--zeros 0.2 --seed 7")
    shutil.copy(written / "written.tsv", folder)
    rater = play.add(folder, compare)
    n_parts = len(plan_round(rater.config.gold_round).assignments)
    rater.play_round(RoundPlay("rate", 2, n_parts), rater.invite("experts", 2))
    decided = decide(rater)
    folder = rater.export("rate")
    rater.make_dataset(folder)
    gold = rater.make_gold(folder)
    check_written(play, writer, writer.read_figures(written))
    check_clss(play, decided, rater.read_figures(folder), gold)
    rater.compete(gold)


def decide(rater: Player) -> dict[tuple[str, ...], float]:
    """Decide on each pair of the list of disagreements by what is true; the decisions."""
    ada, decided = rater.world.client("ada"), dict[tuple[str, ...], float]()
    page = ada.get(f"{rater.pages}/disagreements").text
    for address in {*map(html.unescape, re.findall(r'href="([^"]*/disagreements/\d+[^"]*)"', page))}:
        texts = re.findall(r'<p class="lines"[^>]*>(.*?)</p>', ada.get(address).text)
        left, right = map(html.unescape, texts)
        value = rater.crowd.round(rater.crowd.truth(left, right))
        ada.post(address, {"value": value, "cause": "overlooked"})
        decided[left, right] = float(value)
    return decided


def list_wanted(writer: Player) -> dict[str, str]:
    """The wanted rating of each phrase."""
    return {unit.texts["left"]: unit.texts["wanted"] for unit in writer.config.rounds[0].units}


def check_written(play: Play, writer: Player, figures: Figures) -> None:
    """Compare the figures of the written words with what was written and left blank."""
    wanted = list_wanted(writer)
    for name, said in (("n", False), ("blank", True)):
        counts = Counter(
            wanted[given.unit[0]] for given in writer.crowd.given if (given.said == ("cannot",)) == said
        )
        found = {rating: figures[f"written.{rating}"][name] for rating in "1234"}
        play.expect(
            f"written words by wanted rating, {name}", found, {rating: counts[rating] for rating in "1234"}
        )


def check_clss(
    play: Play, decided: Mapping[tuple[str, ...], float], figures: Figures, gold: list[str]
) -> None:
    """Compare gold and figures with what annotators wrote and rated."""
    writer, rater = play.players
    pairs = [(unit.texts["left"], unit.texts["right"]) for unit in rater.config.gold_round.items]
    written = {(unit[0], answer.said[0]) for (_, unit), (answer,) in writer.list_counted("write").items()}
    play.expect("written pairs", len(written & {*pairs}), len(writer.config.rounds[0].units))
    play.expect("random pairs", len({*pairs} - written), round(len(written) / 4))
    ratings = {
        pair: [float(each.said[0]) for each in of_pair]
        for (_reading, pair), of_pair in rater.list_counted("rate").items()
    }
    far = {pair for pair, values in ratings.items() if max(values) - min(values) >= 1}
    play.expect("disagreements", {*decided}, far)
    known = {pair: decided.get(pair, mean(values)) for pair, values in ratings.items()}
    play.expect("gold", dict(zip(pairs, map(float, gold), strict=True)), known)
    squares = mean((one - other) ** 2 for one, other in ratings.values())
    spread = 2 * variance([value for values in ratings.values() for value in values])
    play.expect("alpha", figures["alpha"]["alpha"], 1 - squares / spread)
    wanted = list_wanted(writer)
    for rating in "1234":
        means = [mean(ratings[left, right]) for left, right in written if wanted[left] == rating]
        play.expect(
            f"ratings of words for {rating} (figure 1)", figures[f"wanted.{rating}"]["mean"], mean(means)
        )


def play_crowd(play: Play) -> None:
    """A crowd rates the experts' pairs again, behind a gate, in several browsers, some after the lease."""
    folder = play.copy("clss-crowd")
    gold = read_known(folder / "known-gold.tsv", "unit", "gold")
    rater = play.add(folder, lambda left, right: felt[left, right])
    round_ = rater.config.gold_round
    known = {
        (unit.texts["left"], unit.texts["right"]): float(unit.texts["known"])
        for unit in round_.calibration_units
    }
    felt = known | {
        (unit.texts["left"], unit.texts["right"]): float(gold[unit.key]) + GENRE_BIAS[unit.genre or ""]
        for unit in round_.units
    }
    n_people = 2 * len(plan_round(round_).assignments)
    rater.play_round(
        RoundPlay("rate", n_people, 1, leave=0.4, newcomers=True), rater.invite("crowd", n_people)
    )
    check_codes(play, rater, known)
    figures = rater.read_figures(rater.export("rate"))
    levels = read_known(folder / "known-gold.tsv", "unit", "level")
    check_bias(play, figures, {key: float(value) for key, value in gold.items()}, levels)


def read_known(path: Path, *columns: str) -> dict[str, str]:
    """Two columns of a table, the second by the first."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t")
        return {row[columns[0]]: row[columns[1]] for row in rows}


def check_codes(play: Play, rater: Player, known: Mapping[tuple[str, ...], float]) -> None:
    """Compare the code of each person with what they did, and look for it as a stranger who has their id."""
    people = [each for each in rater.workers if isinstance(each, PlatformWorker)]
    rater.world.set_clock(rater.now)
    (entry,) = rater.config.entries
    codes, due, shown = dict[str, str | None](), dict[str, str | None](), 0
    for person in people:
        person.visitor = person.answered_with
        person.open_link()
        codes[person.name] = person.code
        near = [
            abs(person.ratings[unit] - value) <= 1 for unit, value in known.items() if unit in person.ratings
        ]
        failed = len(near) == len(known) and not all(near)
        due[person.name] = entry.failed if failed else entry.done if person.is_done else None
        person.change_browser()
        person.open_link()
        shown += person.code is not None
    play.expect("codes of people", codes, due)
    play.expect("codes that a stranger with an id sees", shown, 0)
    play.expect("answers that another browser shows", rater.crowd.seen_elsewhere, 0)
    counts = Counter(due.values())
    n_browsers = sum(person.n_browsers > 2 for person in people)
    n_returned = sum(person.returned for person in people)
    print(
        f"  {len(people)} people: {counts[entry.done]} done, {counts[entry.failed]} failed the gate, "
        f"{counts[None]} without a code; {n_browsers} used several browsers, {n_returned} returned later"
    )


def check_bias(play: Play, figures: Figures, gold: Mapping[str, float], levels: Mapping[str, str]) -> None:
    """Compare deviations from gold (figure 2) and alpha (table 7) with the ratings that the crowd gave."""
    (rater,) = play.players
    counted, units = rater.list_counted("rate"), rater.config.gold_round.units
    said = {
        unit.key: [float(given.said[0]) for given in counted[1, (unit.texts["left"], unit.texts["right"])]]
        for unit in units
    }
    for level, genre in product(("", *{*levels.values()}), ("", *GENRE_BIAS)):
        rated = [unit.key for unit in units if level in ("", levels[unit.key]) and genre in ("", unit.genre)]
        if not rated:
            continue  # a small campaign has few units
        away = [value - gold[key] for key in rated for value in said[key]]
        parts = level and f".level.{level}", genre and f".genre.{genre}"
        row = figures.get("".join(("bias", *parts)), {})
        play.expect(
            " ".join(filter(None, ("deviation from gold (figure 2)", level, genre))),
            {name: row.get(name) for name in ("n", "mean", "q1", "median", "q3", "above")},
            {
                "n": len(away),
                "mean": mean(away),
                **dict(zip(("q1", "median", "q3"), quantiles(away, n=4, method="inclusive"), strict=True)),
                "above": mean(value > 0 for value in away),
            },
        )
        values = [value for key in rated for value in said[key]]
        if not level and len({*values}) > 1:  # without disagreement by chance, alpha is undefined
            alpha = 1 - mean(variance(said[key]) for key in rated) / variance(values)
            play.expect(
                f"alpha (table 7) {genre}".rstrip(), figures["".join(("alpha", *parts))]["alpha"], alpha
            )


def share_words(left: str, right: str) -> float:
    """The similarity of two sentences: six times the share of words that they have in common."""
    ours, theirs = (
        {word.casefold()[:LETTERS] for word in re.findall(r"\w+", text)} for text in (left, right)
    )
    return 6 * 2 * len(ours & theirs) / (len(ours) + len(theirs))


def play_giccs(play: Play) -> None:
    """Best-worst scaling by many, and a linguist's check of all items."""
    folder = play.copy("giccs")
    with (folder / "items.tsv").open(encoding="utf-8", newline="") as file:
        keys = {(row["left"], row["right"]): row["key"] for row in csv.DictReader(file, delimiter="\t")}
    player = play.add(folder, lambda left, right: TRUTHS[keys[left, right][-1]])
    n_people = len(plan_round(player.config.gold_round).assignments)
    player.play_round(
        RoundPlay("compare", n_people, 1, newcomers=True), player.invite("annotators", n_people)
    )
    folder = player.export("compare")
    player.play_round(RoundPlay("expert", 1, 6), player.invite("linguist", 1))
    ratings = player.export("expert") / "ratings.csv"
    player.make_dataset(folder)
    gold = player.make_gold(folder)
    check_expert(gold, folder / "items.tsv", ratings)
    player.compete(gold)


def check_expert(gold: list[str], items: Path, ratings: Path) -> None:
    """Count the items whose score and whose expert are on different sides of the middle."""
    keys = [line.split("\t")[0] for line in items.read_text(encoding="utf-8").splitlines()[1:]]
    scores = {key: float(value) for key, value in zip(keys, gold, strict=True) if value}
    with ratings.open(encoding="utf-8", newline="") as file:
        said = {row["unit"]: float(row["rating"]) for row in csv.DictReader(file)}
    differ = sum((score > 0.5) != (said[key] > 0.5) for key, score in scores.items())
    print(f"expert: disagrees with the scores on {differ} of {len(scores)} items")


PLAYS = {"czech": play_czech, "clss": play_clss, "crowd": play_crowd, "giccs": play_giccs}


def play(name: str, url: str, folder: Path, out: Path, *, whole: bool, choosers: int) -> int:
    """Play a chain of campaigns on an empty database; the number of faults."""
    app = create_app(site_config(folder / f"{name}-site", url))
    migrate.migrate(site_of(app).engine)
    start, mails = perf_counter(), MailCounter()
    LOG.addFilter(mails)
    with pytest.MonkeyPatch.context() as patch, app.app_context():

        def set_clock(at: datetime) -> None:
            patch.setattr(clock, "now", lambda: at)

        set_clock(OPENS)
        chain = Play(World(app, set_clock), folder / name, out, whole, choosers)
        PLAYS[name](chain)
        for player in chain.players:
            seconds = player.crowd.seconds
            middle, slow = median(seconds) * 1000, quantiles(seconds, n=20)[-1] * 1000
            print(
                f"{player.config.slug}: {len(seconds)} answers, each and its next page in {middle:.0f} ms "
                f"(p95 {slow:.0f} ms)"
            )
        faults = sum(player.faults for player in chain.players)
        print(f"{name}: {mails.count} emails; {perf_counter() - start:.0f} s in all; {faults} faults")
        site_of(app).session.remove()
        site_of(app).engine.dispose()
    LOG.removeFilter(mails)
    return faults


def main() -> int:
    """Play all chains, or one of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--whole", action="store_true", help="all units and annotators")
    parser.add_argument("--campaign", choices=tuple(PLAYS), help="one of them alone")
    parser.add_argument(
        "--choosers", type=int, help=f"people of the first Czech round [{SMALL_CHOOSERS}; whole: {CHOOSERS}]"
    )
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument(
        "--out", type=Path, help="keep the exports and what their commands print in a new folder"
    )
    options = parser.parse_args()
    choosers = options.choosers or (CHOOSERS if options.whole else SMALL_CHOOSERS)
    faults = 0
    for name in PLAYS if options.campaign is None else (options.campaign,):
        for database, url, folder in each_database(options.database):
            print(f"{name} on {database}")
            out = folder / "out" if options.out is None else options.out / name
            faults += play(name, url, folder, out, whole=options.whole, choosers=choosers)
    return int(faults > 0)


if __name__ == "__main__":
    raise SystemExit(main())
