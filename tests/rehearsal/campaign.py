"""A campaign over HTTP: twelve invented annotators rate pairs, whose gold then scores two teams.

Five are careful, two severe, two hasty, two leave after a third, and one leaves and returns by the link.
"""

import io
import json
import re
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from math import fsum
from pathlib import Path
from random import Random
from statistics import stdev

from tests.rehearsal.browser import Answer, Browser
from tests.rehearsal.people import sign_up
from tests.rehearsal.play import Failed, Rehearsal, require
from tests.rehearsal.site import Site, run
from tests.server.mail_sink import Sink

TASK = "/tasks/rated"
CAMPAIGNS = f"{TASK}/organize/campaigns"
RESULTS = f"{CAMPAIGNS}/pairs/results"
DISAGREEMENTS = f"{CAMPAIGNS}/pairs/disagreements"
BOARD = f"{TASK}/boards/evaluation"
N_GROUPS, ANSWERS = 8, 3
CHARACTERS = ("careful",) * 5 + ("severe",) * 2 + ("hasty",) * 2 + ("leaving",) * 2 + ("returning",)
CLIENTS = 6
TOML = """\
[campaign]
slug = "pairs"
title = "How similar are these?"
contact = "rehearsal@example.org"
languages = ["en"]
text_language = "en"
consent = { en = "Your ratings are stored. You can stop at any time." }
scale = { min = 0, max = 4, step = 1 }
level = "sentence2phrase"
split = "test"
[entry.readers]
kind = "personal"
assignments_each = 0
[[round]]
slug = "rate"
kind = "rate"
units = "pairs.tsv"
show = ["left", "right"]
ask = { comment = true, cannot_judge = true }
answers = 3
assignment = 8
seed = 4
[gold]
round = "rate"
rule = "mean"
at_least = 2
"""


@dataclass
class Person:
    """An annotator: their link, what they are like, and the answers that the site acknowledged."""

    number: int
    character: str
    browser: Browser
    link: str = ""
    said: dict[str, str] = field(default_factory=dict)
    """The newest acknowledged value by the address of its step."""
    units: dict[str, str] = field(default_factory=dict)
    """The left text that was shown, by the address of the step."""


@dataclass
class Campaign:
    """The site, its people, and the invented truth."""

    folder: Path
    site: Site
    sink: Sink
    truth: dict[str, int] = field(default_factory=dict)
    """The similarity of each pair by its left text."""
    people: list[Person] = field(default_factory=list)
    exported: dict[str, bytes] = field(default_factory=dict)
    decided: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.ada = Browser(self.site.address)
        self.visitor = Browser(self.site.address)


def host(play: Campaign) -> str:
    """ada hosts a task that has no test items yet."""
    play.site.start()
    sign_up(play, play.ada, "ada@example.org", "Ada")
    files = {
        "rated/task.toml": _TASK_TOML,
        "rated/trial.tsv": "a boat\tvessel\tNews-1\nrain\tdry weather\tNews-2\na lamp\tlight\tNews-3\n",
        "rated/trial.gold": "4\n0\n3\n",
    }
    draft = play.ada.submit("/import", {}, {"file": ("rated.zip", _zipped(files))})
    page = play.ada.submit(f"{draft.path}state/published", {}, action="/state/published")
    require("The task is published." in page.text, "the task was not published")
    return f"{play.site.kind} at {play.site.address}"


def begin(play: Campaign) -> str:
    """ada creates the campaign from its files, tries it, makes twelve links, and opens it."""
    rows = ["key\tgroup\tgenre\tleft\tright"]
    for group in range(N_GROUPS):
        for place in range(3):
            left = f"the {_NOUNS[group]} of the harbour, seen on day {place + 1}"
            play.truth[left] = (group + 2 * place) % 5
            genre = "News" if group % 2 else "Travel"
            rows.append(f"{genre}-{3 * group + place + 1}\tg{group}\t{genre}\t{left}\tphrase {group}{place}")
    files = {"annotation.toml": TOML, "pairs.tsv": "".join(f"{row}\n" for row in rows)}
    play.ada.submit(f"{CAMPAIGNS}/new", {}, {"file": ("pairs.zip", _zipped(files))})
    play.ada.wait_for(f"{CAMPAIGNS}/pairs/", lambda _: True, 60)
    _try_out(play)
    names = "\n".join(f"{character} {number}" for number, character in enumerate(CHARACTERS, 1))
    page = play.ada.submit(
        f"{CAMPAIGNS}/pairs/people", {"people": names}, action="/people/add/readers", expect=200, follow=False
    )
    links = list(dict.fromkeys(re.findall(r"http://[^\s\"<]+(/a/me/[\w-]+)", page.text)))
    require(len(links) == len(CHARACTERS), f"{len(links)} links in place of {len(CHARACTERS)}")
    for number, (character, link) in enumerate(zip(CHARACTERS, links, strict=True), 1):
        play.people.append(Person(number, character, Browser(play.site.address), link))
    play.ada.submit(f"{CAMPAIGNS}/pairs/", {}, action="/open")
    return f"{3 * N_GROUPS} pairs, {ANSWERS} answers each, {len(links)} links"


def rate(play: Campaign) -> str:
    """All annotators work at once until nothing is left for them."""
    with ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(lambda person: _work(play, person), play.people))
    _work_on(play)  # what others left while they worked
    return f"{sum(len(person.said) for person in play.people)} answers acknowledged"


def settle(play: Campaign) -> str:
    """ada looks at the agreement, excludes one hasty annotator, fills the gap, and closes the round."""
    page = play.ada.get(RESULTS)
    require(f"{3 * N_GROUPS} of {3 * N_GROUPS} pairs are complete" in _words(page), "pairs lack answers")
    hasty = _pseudonym_of(play, "hasty")
    play.ada.submit(page, {"reason": "pressed one key"}, action=f"/annotators/{hasty}/exclude")
    _work_on(play)
    play.ada.submit(f"{CAMPAIGNS}/pairs/close", {}, action="/close")
    return f"{hasty} is excluded; {_complete(play)}"


def decide(play: Campaign) -> str:
    """ada decides on the three pairs on which annotators differ most, and has the figures computed."""
    page = play.ada.get(DISAGREEMENTS)
    for number, address in enumerate(
        re.findall(rf'href="({DISAGREEMENTS}/\d+)[^"]*">Decide<', page.text)[:3]
    ):
        page = play.ada.get(f"{address}?round=rate")
        found = re.search(r"<h1>Decide on ([\w-]+)</h1>", page.text)
        require(found, "the page does not say on which pair to decide")
        require("A0" not in _words(page), "the page says who rated how before the decision")
        play.ada.submit(page, {"value": str(number), "cause": "guideline", "note": "See the guide."})
        play.decided[found[1]] = float(number)
    require(len(play.decided) == 3, f"{len(play.decided)} decisions in place of 3")
    play.ada.submit(RESULTS, {}, action="/figures")
    play.ada.wait_for(RESULTS, lambda page: "Computed on" in page.text, 120)
    return f"{', '.join(play.decided)} decided"


def make_gold(play: Campaign) -> str:
    """The answers become the gold of a new split."""
    page = play.ada.submit(RESULTS, {}, action="/gold")
    require("Gold version 1 was made" in page.text, "no gold was made")
    play.visitor.get(f"{TASK}/data/sentence2phrase/test/gold", expect=404)
    answer = play.ada.get(f"{RESULTS}/export.zip")
    with zipfile.ZipFile(io.BytesIO(answer.body)) as zipped:
        play.exported = {name.split("/", 1)[1]: zipped.read(name) for name in zipped.namelist()}
    return f"{len(play.exported)} files exported"


def recompute(play: Campaign) -> str:
    """Compute agreement and gold offline from the export: the same digits, and every acknowledged answer."""
    folder = play.folder / f"export-{play.site.kind}"
    folder.mkdir()
    for name, data in play.exported.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)
    answers = [json.loads(line) for line in play.exported["answers.jsonl"].decode().splitlines()]
    _require_every_answer(play, answers)
    counted: dict[str, list[float]] = {}
    for answer in answers:
        if answer["outcome"] == "counted":
            counted.setdefault(answer["unit"], []).append(answer["value"])
    keys = [line.split("\t")[0] for line in play.exported["units.tsv"].decode().splitlines()[1:]]
    means = {key: fsum(values) / len(values) for key, values in counted.items() if len(values) >= 2}
    labels = means | play.decided
    expected = ["gold\tn\tsd"]
    for key in keys:
        own, label = counted.get(key, []), repr(labels[key]) if key in labels else ""
        expected.append(f"{label}\t{len(own)}\t{repr(stdev(own)) if len(own) > 1 else ''}")
    require(play.exported["gold.tsv"].decode().splitlines() == expected, "another gold offline")
    require("scorer figures ." in play.ada.get(RESULTS).text, "the page shows no command for the figures")
    report = json.loads(run("scorer.cli", "figures", folder, "--format", "json"))
    alpha = report["tables"]["alpha"][0]["alpha"]
    require(f">{alpha:.3f}<" in play.ada.get(RESULTS).text, f"the page does not show alpha {alpha}")
    _require_decisions(play, folder, report["tables"]["alpha"], labels)
    files = [folder / name for name in ("plan-1.json", "campaign", "answers.jsonl")]
    run("scorer.cli", "assignments", "check", *files)
    return f"{len(answers)} answers, alpha {alpha:.3f}, gold of {len(keys)} pairs, to the last digit"


def compete(play: Campaign) -> str:
    """Two teams submit for the new items, ada releases, and scipy finds the same correlations."""
    from scipy import stats  # noqa: PLC0415  (it takes seconds)

    now = datetime.now(UTC)
    page = play.ada.submit(
        f"{TASK}/organize/phases/new",
        {
            "slug": "evaluation",
            "title": "Evaluation",
            "split": "the test split",
            "opens": f"{now - timedelta(hours=1):%Y-%m-%d %H:%M}",
        },
        expect=200,
    )
    play.ada.submit(page, {"sure": "y"})
    gold = [row.partition("\t")[0] for row in play.exported["gold.tsv"].decode().splitlines()[1:]]
    scores = {}
    for number, name in enumerate(("alder", "birch")):
        browser, draw = Browser(play.site.address), Random(number)  # noqa: S311  (invented)
        sign_up(play, browser, f"{name}@example.org", name.capitalize())
        browser.submit(f"{TASK}/teams/new", {"name": name})
        page = browser.submit(f"{TASK}/phases/evaluation/runs/new", {"name": "one"})
        run_id = re.search(rf'href="{TASK}/runs/(\d+)/"', page.text)
        require(run_id, "the team has no run")
        scores[name] = [round(float(label or 2) + draw.uniform(-1, 1), 3) for label in gold]
        data = "".join(f"{score}\n" for score in scores[name]).encode()
        upload = f"{TASK}/runs/{run_id[1]}/sentence2phrase/upload"
        browser.submit(upload, {}, {"file": ("run.tsv", data)})
    page = play.ada.submit(
        f"{TASK}/organize/boards/evaluation", {"names": "named"}, action="/release", expect=200
    )
    page = play.ada.submit(page, {"sure": "y"}, action="/release")
    require("Release 1 is now public" in page.text, "nothing was released")
    board = json.loads(play.visitor.get(f"{BOARD}.json").body)
    labels = [(place, float(label)) for place, label in enumerate(gold) if label]
    for row in board["official"]:
        value = row["levels"]["sentence2phrase"]["pearson"]["value"]
        own = [scores[row["team"]][place] for place, _ in labels]
        expected = float(stats.pearsonr(own, [label for _, label in labels]).statistic)
        require(abs(value - expected) < 1e-12, f"{row['team']} has {value}, scipy {expected}")
    return f"{len(board['official'])} teams, scipy's correlations"


def verify(play: Campaign) -> str:
    """The activity log agrees with the answers."""
    log = f"{TASK}/organize/log?kind=annotation"
    play.ada.wait_for(log, lambda page: "recorded a hash over" in page.text, 60)
    said = play.site.command("audit", "verify")
    found = re.search(r"(\d+) answers of annotators", said)
    total = 2 + sum(len(person.said) for person in play.people)  # with ada's trial
    require(found is not None and int(found[1]) == total, f"not {total} answers: {said}")
    return found[0]


STORY = (
    ("a task without test items", host),
    ("a campaign", begin),
    ("twelve annotators", rate),
    ("an exclusion", settle),
    ("disagreements and decisions", decide),
    ("gold", make_gold),
    ("recomputed offline", recompute),
    ("two teams and a release", compete),
    ("the log", verify),
)


@contextmanager
def staged(folder: Path, database: str) -> Iterator[Campaign]:
    """A future site with an empty database, and its email server."""
    with ExitStack() as stack:
        sink = Sink()
        stack.callback(sink.stop)
        site = Site(folder / "campaign", database, sink.url)
        stack.callback(site.stop)
        yield Campaign(folder, site, sink)


def rehearse(play: Campaign, rehearsal: Rehearsal) -> None:
    """Play the whole campaign; a failure is reported with the end of the site's log.

    Raises:
        Failed: a step did not go as it has to.
    """
    try:
        rehearsal.play(play, STORY)
    except Exception as error:
        raise Failed(f"{type(error).__name__}: {error}\n{play.site.tail()}") from error


def _try_out(play: Campaign) -> None:
    """ada answers twice as an annotator; that counts nowhere."""
    browser = Browser(play.site.address)
    browser.cookies |= play.ada.cookies
    page = browser.get(f"{CAMPAIGNS}/pairs/")
    form = re.search(r'name="csrf_token" value="([^"]+)"', page.text)
    answer = browser.post(f"{CAMPAIGNS}/pairs/try", {"csrf_token": form[1]})
    trial = Person(0, "careful", browser, answer.headers["Location"])
    _work(play, trial, at_most=2)
    require(len(trial.said) == 2, "the trial does not work")


def _work(play: Campaign, person: Person, at_most: int | None = None) -> None:
    """Enter by the link, take assignments and answer, as this person does."""
    browser, draw = person.browser, Random(f"{person.number}")  # noqa: S311  (invented)
    if at_most is None and person.character in ("leaving", "returning"):
        at_most = 3
    page = _follow(browser, browser.submit(person.link, {}, expect=303, follow=False))
    while (taken := _take(browser, page)) is not None:
        page = taken
        while 'name="ticket"' in page.text:
            if at_most == 0:
                _go(play, person)
                return
            page = _answer(play, person, page, draw)
            at_most = None if at_most is None else at_most - 1
        if "/hand-in" not in page.text:
            return
        page = _follow(browser, browser.submit(page, {}, action="/hand-in", expect=303, follow=False))
        page = browser.get(f"/a/{_campaign_id(page)}/")


def _work_on(play: Campaign) -> None:
    """Let everyone who did not leave take what is missing."""
    for person in play.people:
        if person.character != "gone":
            _work(play, person)


def _go(play: Campaign, person: Person) -> None:
    """Stop for good, or lose all cookies and return by the link."""
    page = person.browser.get(f"/a/{next(iter(person.said)).split('/')[2]}/")
    if person.character == "returning":
        person.character = "careful"
        person.browser = Browser(play.site.address)
        _work(play, person)
    elif person.character == "leaving":
        person.browser.submit(page, {}, action="/stop", expect=303, follow=False)
        person.character = "gone"


def _take(browser: Browser, page: Answer) -> Answer | None:
    """Take the next assignment, or go on with the one that is held; None: there is none."""
    if "/assignments" not in page.text:
        return None
    token = re.search(
        r'action="(/a/\d+/assignments)".*?name="csrf_token" value="([^"]+)"', page.text, re.DOTALL
    )
    if token is None:
        return None
    answer = browser._send(  # noqa: SLF001  either answer is good
        "POST", token[1], f"csrf_token={token[2]}".encode(), "application/x-www-form-urlencoded"
    )
    return None if answer.status == 409 else _follow(browser, answer)


def _answer(play: Campaign, person: Person, page: Answer, draw: Random) -> Answer:
    """Rate what is shown, and go on."""
    left = next(text for text in play.truth if text in page.text)
    true = play.truth[left]
    value = {
        "careful": lambda: true + draw.choice((-1, 0, 0, 0, 1)),
        "returning": lambda: true,
        "leaving": lambda: true,
        "severe": lambda: true - 1,
        "hasty": lambda: 2,
    }[person.character]()
    ticket = re.search(r'name="ticket" value="([^"]+)"', page.text)
    require(ticket, "the page has no ticket")
    said = {"ticket": ticket[1], "value": str(min(4, max(0, value))), "visible_ms": "900", "input": "key"}
    answer = person.browser.post(page.path, said, expect=303)
    person.said[page.path], person.units[page.path] = said["value"], left
    if draw.random() < 0.2:  # an impatient second press of the same button
        person.browser.post(page.path, said, expect=303)
    return _follow(person.browser, answer)


def _follow(browser: Browser, answer: Answer) -> Answer:
    """The page at the end of redirects."""
    while answer.status in (302, 303):
        path = answer.headers["Location"].removeprefix(browser.address)
        answer = browser._send("GET", path)  # noqa: SLF001  a redirect or a page
    if answer.status != 200:
        raise Failed(f"GET {answer.path}: {answer.status}")
    return answer


def _campaign_id(page: Answer) -> str:
    return page.path.split("/")[2]


def _require_every_answer(play: Campaign, answers: list[dict]) -> None:
    """Check that each acknowledged answer is in the export once, with the value that was said last."""
    lines = play.exported["units.tsv"].decode().splitlines()
    column = lines[0].split("\t").index("left")
    keys = {line.split("\t")[column]: line.split("\t")[0] for line in lines[1:]}
    in_force = {(answer["annotator"], answer["unit"]): answer for answer in answers}
    for person in [person for person in play.people if person.said]:
        name = _find_pseudonym(person)
        for path, value in person.said.items():
            stored = in_force.get((name, keys[person.units[path]]))
            require(stored is not None, f"the answer to {path} is lost")
            require(stored["value"] == float(value), f"{path}: {stored['value']} in place of {value}")
    total = sum(len(person.said) for person in play.people)
    require(len(answers) == total, f"{len(answers)} answers in place of {total}")


def _require_decisions(play: Campaign, folder: Path, alphas: list[dict], labels: dict[str, float]) -> None:
    """Check the agreement without the decided pairs, and the gold that `scorer adjudicate` computes."""
    page = play.ada.get(DISAGREEMENTS).text
    (undecided,) = (row["alpha"] for row in alphas if row["code"] == "alpha.undecided")
    for alpha in (alphas[0]["alpha"], undecided):
        require(f">{alpha:.3f}<" in page, f"the page of disagreements does not show alpha {alpha}")
    (command,) = re.findall(r"^    scorer (adjudicate .*)$", (folder / "README.md").read_text(), re.MULTILINE)
    names = [folder / word if word.endswith(".csv") else word for word in command.split()]
    for row in json.loads(run("scorer.cli", *names, "--format", "json"))["tables"]["gold"]:
        if row["from"] in ("decision", "mean"):
            label = labels.get(row["unit"], row["gold"])
            require(abs(row["gold"] - label) < 1e-9, f"another gold of {row['unit']} offline")


def _pseudonym_of(play: Campaign, character: str) -> str:
    """The pseudonym of the first such person, which their own page says."""
    return _find_pseudonym(next(person for person in play.people if person.character == character))


def _find_pseudonym(person: Person) -> str:
    page = person.browser.get(f"/a/{next(iter(person.said)).split('/')[2]}/")
    name = re.search(r"under the name (A\d+)", page.text)
    require(name, "the annotator's page does not say their pseudonym")
    return name[1]


def _complete(play: Campaign) -> str:
    found = re.search(r"\d+ of \d+ pairs are complete", _words(play.ada.get(RESULTS)))
    require(found, "the page says nothing of complete pairs")
    return found[0]


def _words(page: Answer) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", page.text).split())


def _zipped(files: dict[str, str]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return file.getvalue()


_NOUNS = ("crane", "ferry", "smokehouse", "lighthouse", "pier", "fish hall", "customs house", "dike")
_TASK_TOML = """\
[task]
slug = "rated"
title = "A rated task"
description = "How similar are two texts? An invented task."
organizers = "The rehearsal"
contact = "rehearsal@example.org"
scale = { min = 0, max = 4 }
[board]
enter_at_least = 1
[[level]]
slug = "sentence2phrase"
title = "Sentence to phrase"
columns = ["left", "right", "id"]
sides = ["sentence", "phrase"]
[level.trial]
items = "trial.tsv"
gold = "trial.gold"
public_gold = true
[[phase]]
slug = "practice"
split = "trial"
feedback = "scores"
"""
