"""All that the roles get for all requests of the route table, to be read by several tests."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pytest
from werkzeug.test import TestResponse

from server.access import tasks
from server.core import clock
from server.gold import versions as gold_versions
from server.runs.models import Run
from server.scoring.models import Score
from server.signing import service as signing_keys
from server.submissions.models import Submission
from tests.server.databases import Databases
from tests.server.players import CANDIDATE, CEILING, Player, Rewind, got, play, raw
from tests.server.route_cases import ANNOTATOR, CLOSED, RELEASED, ROLES, WITHDRAWN, Case
from tests.server.route_table import CASES
from tests.server.sites import disconnect, make_app, site_config
from tests.server.small_task import GOLD, TASK, write_bundle
from tests.server.stored_papers import make_release_paper
from tests.server.watching import Rendering, watched
from tests.server.world import DURING, World, host_small_task

OF_ACCOUNTS = re.compile(r"\b(security\.|sign_ups\.|accounts\.show)")
OF_TASKS = tuple(case for case in CASES if not OF_ACCOUNTS.match(case.endpoint))
"""The pages of one's own account know no task and no role in one, so few ask for them, and in few states."""
LAST_OF_ACCOUNTS = (*OF_TASKS, *(case for case in CASES if OF_ACCOUNTS.match(case.endpoint)))


@dataclass(frozen=True)
class Answer:
    """A response, and whether it was for a request of the table or followed from one."""

    where: str
    response: TestResponse
    case: Case | None = None

    @property
    def content(self) -> bytes:
        return raw(self.response)

    @property
    def status(self) -> str:
        return got(self.response)


@dataclass(frozen=True)
class CollectedAnswers:
    """The answers to each role, and words found only in hidden gold, its scores or those of baselines."""

    answers: dict[str, list[Answer]]
    gold: list[bytes]
    digits: list[bytes]
    baselines: set[bytes]
    rendering: Rendering


@contextmanager
def played(
    databases: Databases,
    set_clock: Callable[[datetime], None],
    folder: Path,
    state: str,
    gold: dict[str, tuple[str, ...]] = GOLD,
    task: str = TASK,
    candidate: bytes = CANDIDATE,
) -> Iterator[World]:
    """A site with this hidden gold and this candidate, in a state of release."""
    world = World(make_app(site_config(folder, databases.migrated())), set_clock)
    with world.app.app_context():
        world.set_clock(DURING)
        bundle = write_bundle(folder / "bundle", task, gold)
        (bundle / "public.txt").write_text("News-1\nNews-2\n", encoding="utf-8")
        host_small_task(world, bundle)
        play(world, state, candidate)
        world.work(DURING)
        if state == RELEASED:
            make_release_paper(world)
        yield world
    disconnect(world.app)


A_FEW = ("visitor", "member")
"""Those to whom a release shows different things; what else roles differ in is the same in all its states."""
MOST = ("visitor", "member", "other", "organizer", ANNOTATOR)
"""Those without whom a kind of what is shown would be missing."""


def collect_answers(
    world: World, state: str, cases: tuple[Case, ...], roles: Sequence[str] = ROLES
) -> CollectedAnswers:
    """Send the requests in these roles to what was played; denials by role are the same in all states."""
    gold, digits = canaries(world)
    baselines = baseline_digits(world)
    with Rewind(world) as rewind, watched(world.app) as rendering:
        asked = {role: list_asked(cases, role, state) for role in roles}
        answers = {role: list(everything(Player(world, role), rewind, asked[role])) for role in roles}
    return CollectedAnswers(answers, gold, digits, baselines, rendering)


def list_asked(cases: Iterable[Case], role: str, state: str) -> tuple[Case, ...]:
    """What a role is asked for in a state."""
    if state != CLOSED:
        return list_allowed(cases, role)
    return tuple(case for case in cases if role in A_FEW or not OF_ACCOUNTS.match(case.endpoint))


def list_allowed(cases: Iterable[Case], role: str) -> tuple[Case, ...]:
    """Without the requests that the role is denied in every state."""
    return tuple(case for case in cases if not case.is_denied(role))


def everything(player: Player, rewind: Rewind, cases: tuple[Case, ...] = CASES) -> Iterator[Answer]:
    """All answers to all requests of the table, redirects followed but to sign in, and pages of errors."""
    rewind.keep()
    for case, response in player.sent(cases):
        name = f"{case.method} {case.endpoint}"
        yield Answer(name, response, case)
        # Who takes a role by a link that an organizer gave does see the gold from then on.
        if response.status_code == 302 and name != "POST roles.accept":
            following = player.visitor.get(response.headers["Location"])  # or its message is on the next page
            if got(response) == "302":
                yield Answer(f"after {name}", following)
        if case.method != "GET":
            rewind()
    player.sign_in()  # signing out was the last of the requests
    yield Answer("nowhere", player.visitor.get("/tasks/small/nowhere"))
    yield Answer("not this way", player.visitor.open("/", method="DELETE"))


def canaries(world: World) -> tuple[list[bytes], list[bytes]]:
    """Hidden gold with its hashes, a candidate with its scores too; the leading digits of scores in force."""
    splits = [tasks.get_level_split(world.task, level, "test")[1] for level in GOLD]
    versions = [gold_versions.find_gold(world.session, split) for split in splits]
    gold = [value for values in GOLD.values() for value in values]
    candidate = gold_versions.find_candidate(world.session, splits[1])
    gold += CANDIDATE.decode().split()
    hashed = (*versions, candidate)
    gold += [sha256[:length] for v in hashed for sha256, length in ((v.sha256, 10), (v.sha256, 64))]
    weighed = world.session.query(Score).filter_by(gold_version_id=candidate.id, metric="pearson").all()
    gold += [leading_digits(score.value) for score in weighed if score.value is not None]
    gold += [repr(CEILING)[1:]]
    assert len(set(gold)) == 8 + 4 + 6 + 2 + 1
    scores = world.session.query(Score).filter(Score.gold_version_id.in_([v.id for v in versions]))
    values = [score.value for score in scores if score.metric == "pearson" and score.value is not None]
    digits = [leading_digits(value) for value in values if len(repr(value)) > 10]
    assert len(set(digits)) == len(values) == 5  # two of bo's, two of LCS, one of ada's baseline
    return [word.encode() for word in gold], [word.encode() for word in digits]


def baseline_digits(world: World) -> set[bytes]:
    """The leading digits of the baselines' scores."""
    scores = world.session.query(Score).join(Submission).join(Run).filter(Run.baseline.is_not(None))
    return {leading_digits(score.value).encode() for score in scores if score.value is not None}


def leading_digits(value: float) -> str:
    """The point and six decimals: six digits alone also occur in hashes and signatures."""
    return "." + repr(abs(value)).split(".")[1][:6]


@pytest.fixture(scope="session")
def closed(sqlite: Databases, tmp_path_factory: pytest.TempPathFactory) -> CollectedAnswers:
    """What each role gets of the small task before its board is released, for the tests of one group."""
    return collect_in_state(CLOSED, sqlite, tmp_path_factory.mktemp("closed"), LAST_OF_ACCOUNTS, ROLES)


@pytest.fixture(scope="session")
def released(sqlite: Databases, tmp_path_factory: pytest.TempPathFactory) -> CollectedAnswers:
    """The same for most of them once it is released."""
    return collect_in_state(RELEASED, sqlite, tmp_path_factory.mktemp("released"), OF_TASKS, MOST)


@pytest.fixture(scope="session")
def withdrawn(sqlite: Databases, tmp_path_factory: pytest.TempPathFactory) -> CollectedAnswers:
    """What a few of them get once that release was withdrawn."""
    return collect_in_state(WITHDRAWN, sqlite, tmp_path_factory.mktemp("withdrawn"), OF_TASKS, A_FEW)


def collect_in_state(
    state: str, databases: Databases, folder: Path, cases: tuple[Case, ...], roles: Sequence[str]
) -> CollectedAnswers:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            signing_keys, "generate_key", lambda: bytes(32)
        )  # as the sites have that are compared with it

        def set_to(at: datetime) -> None:
            patch.setattr(clock, "now", lambda: at)

        with played(databases, set_to, folder / "data", state) as world:
            return collect_answers(world, state, cases, roles)
