"""No page asks the database more often when its lists grow; lists ask as `golden/queries.tsv` says.

The pages are those of the URL map that the route table answers with 200. After a wanted change:
ASSAY_WRITE_GOLDENS=1 pytest tests/server/test_queries.py, then read the diff.
"""

import os
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import func, select

from server import bundles
from server.accounts.models import User
from server.core import db
from server.core.actors import CONSOLE, Actor
from server.core.errors import InvalidFile
from server.corrections import scoring_jobs
from server.mail import announcements
from server.mail.announcements import AnnouncementDraft
from server.pages.releases import boards as board
from server.personal_data.account_management import create_account
from server.releases import leaders, placements, service as releases
from server.runs import service as runs
from server.submissions import eligibility, service as submissions
from server.teams import service as teams
from tests.field_formats import Package, write_package
from tests.server.bundles.test_field_formats import host
from tests.server.players import BAD, Player, fail_a_job, fail_a_mail, play
from tests.server.route_cases import RELEASED, Case
from tests.server.route_table import CASES
from tests.server.small_task import PASSWORD, TASK, variant, write_bundle
from tests.server.world import DURING, World, count_queries, max_queries

pytestmark = pytest.mark.one_database

GOLDEN = Path(__file__).parents[1] / "golden" / "queries.tsv"
PEOPLE = ("visitor", "member", "organizer")
FEW, MANY = 2, 9

GROWN = (
    "account", "announcement", "gold_version", "mail", "rejection", "release", "release_withdrawal", "run",
    "submission", "task", "task_role", "team", "withdrawal",
)  # fmt: skip
"""What there is more of with many rows."""

Page = tuple[str, str]
"""A page as the golden file names it, and who asks for it."""


def pages() -> Iterator[tuple[Case, str, str]]:
    """Each page of the route table, its name, and each role that gets it."""
    for case in CASES:
        if case.method == "GET" and case.endpoint != "static":
            name = " ".join((case.endpoint, *(str(case.values[part]) for part in sorted(case.values))))
            for role in PEOPLE:
                if case.status(role, RELEASED) == "200":
                    yield case, name, role


def measure(world: World) -> dict[Page, list[str]]:
    """The statements of each page for each role, on the site as it is."""
    found: dict[Page, list[str]] = {}
    players = {role: Player(world, role) for role in PEOPLE}
    for case, name, role in pages():
        placements.PLACEMENTS_CACHE.clear()
        placements.LIVE_RANKS_CACHE.clear()
        board.BOARD_CACHE.clear()
        releases.BOARD_FILES.clear()
        leaders.LEADERS.clear()
        with count_queries(world) as statements:
            players[role].send(case)
        found[name, role] = list(statements)
    return found


def unbound(world: World) -> None:
    """Let a team have as many runs and files as it likes."""
    with db.writing(world.session):
        world.phase().runs_per_team = 1000
        world.phase().files_per_level = None


def grow(world: World, first: int, last: int) -> None:
    """More of everything that a page may list, for bo's team and for others."""
    for number in range(first, last):
        _team_with_files(world, number)
        _files_of_the_own_team(world, number)
        _another_task(world, number)
        world.fix_gold("p2s", f"4\n3\n2\n{number / 100}\n".encode())
        _announce(world, number)
        world.release(DURING)
        if number < last - 1:
            world.withdraw_release("a mistake", DURING)


def _announce(world: World, number: int) -> None:
    draft = AnnouncementDraft(f"Word {number}", "Have fun.", world.phase() if number % 2 else None)
    with db.writing(world.session):
        announcements.announce(world.session, world.actor("ada"), world.task, draft, DURING)


def _team_with_files(world: World, number: int) -> None:
    session = world.session
    with db.writing(session):
        user = create_account(session, f"newcomer{number}@example.org", "Newcomer", PASSWORD)
        create_account(session, f"observer{number}@example.org", "Observer", PASSWORD)
        actor = Actor(user_id=user.id)
        team = teams.create_team(session, actor, world.task, f"grove {number}", DURING)
        run = runs.add_run(session, team, world.phase(), "one", "", DURING)
    world.give_role(f"observer{number}", "observer")
    for level in ("p2s", "s2p"):
        prepared = submissions.prepare_file(
            session,
            actor,
            eligibility.ReceivedFile(
                eligibility.find_own_target(session, actor, run.id, level, DURING),
                variant(number),
                "run.tsv",
                sure=True,
            ),
            DURING,
        )
        with db.writing(session):
            submission_id = submissions.submit_file(session, actor, prepared, DURING).id
        fail_a_mail(world, submission_id)
        fail_a_job(world)


def _files_of_the_own_team(world: World, number: int) -> None:
    run = world.run(f"run {number}")
    for level in ("p2s", "s2p"):
        world.upload(run, level)
    world.withdraw(world.upload(run, "p2s", variant(number)))
    for counting in (run, world.run()):
        world.upload(counting, "p2s", variant(100 + number))
        with pytest.raises(InvalidFile):
            world.upload(counting, "p2s", BAD)


def _another_task(world: World, number: int) -> None:
    toml = TASK.replace('slug = "small"', f'slug = "small-{number}"')
    plan = bundles.plan_import(write_bundle(world.site.config.data_dir / f"bundle-{number}", toml))
    with db.writing(world.session):
        organizer = world.session.query(User).filter_by(email="ada@example.org").one()
        bundles.import_task(world.session, CONSOLE, plan, [organizer], DURING, published=True)


def read_golden() -> dict[Page, int]:
    lines = GOLDEN.read_text(encoding="utf-8").splitlines()[1:]
    return {(page, role): int(count) for page, role, count in (line.split("\t") for line in lines)}


def write_golden(counts: dict[Page, int]) -> None:
    lines = [f"{page}\t{role}\t{count}\n" for (page, role), count in sorted(counts.items())]
    GOLDEN.write_text("page\trole\tqueries\n" + "".join(lines), encoding="utf-8", newline="\n")


@pytest.mark.both_databases
def test_upload_runs_each_query_once_before_and_once_under_the_lock(world: World) -> None:
    bo, path = world.client("bo"), f"/tasks/small/runs/{world.run().id}/p2s/upload"
    bo.upload(path, variant(1))
    with count_queries(world) as statements:
        bo.upload(path, variant(2))
    assert len(statements) <= 16, "\n".join(statements)  # one is the write lock of PostgreSQL
    assert Counter(statements).most_common(1)[0][1] <= 2


@pytest.mark.slow
def test_number_of_queries_per_page_is_independent_of_rows_and_as_recorded(world: World) -> None:
    play(world, RELEASED)
    unbound(world)
    grow(world, 0, FEW)
    few = measure(world)
    counts = {page: len(few[page]) for page in read_golden()}
    if os.environ.get("ASSAY_WRITE_GOLDENS"):
        write_golden(counts)
    assert counts == read_golden(), (
        "pages ask the database more or less often than golden/queries.tsv says: if that is wanted, "
        "ASSAY_WRITE_GOLDENS=1 pytest tests/server/test_queries.py, and read the diff"
    )
    grow(world, FEW, MANY)
    many = measure(world)
    grown = {page: (len(few[page]), len(many[page])) for page in few if len(many[page]) > len(few[page])}
    assert grown == {}, (
        f"asked with {FEW} rows of everything and with {MANY}: load what these pages list with a join, or "
        f"all at once:\n{told_twice(few, many, grown)}"
    )


def told_twice(few: dict[Page, list[str]], many: dict[Page, list[str]], grown: dict[Page, object]) -> str:
    """For each page that grew, the statement that it grew by most."""
    lines = []
    for page in grown:
        ((statement, times),) = (Counter(many[page]) - Counter(few[page])).most_common(1)
        lines.append(f"{' as '.join(page)}: {times} times more {' '.join(statement.split())[:200]}")
    return "\n".join(lines)


def test_every_page_has_a_recorded_number_of_queries(world: World) -> None:
    """Built from the URL map: each GET route is measured for some role, or no role gets 200 from it."""
    routed = {
        rule.endpoint
        for rule in world.app.url_map.iter_rules()
        if "GET" in (rule.methods or set()) and rule.endpoint != "static"
    }
    measured = {case.endpoint for case, _, _ in pages()}
    elsewhere = {
        case.endpoint
        for case in CASES
        if case.method == "GET" and not any(case.status(role, RELEASED) == "200" for role in PEOPLE)
    }
    missing = sorted(routed - measured - elsewhere)
    assert missing == [], (
        f"{', '.join(missing)}: not measured; add a GET to tests/server/api_routes.py or page_routes.py that "
        "a visitor, a member or the organizer gets with 200"
    )


def test_growing_number_of_queries_is_detected(world: World) -> None:
    """Guards the test above: the rows that it adds are there, and are of every kind."""
    play(world, RELEASED)
    unbound(world)

    def counts() -> dict[str, int]:
        tables = [db.Base.metadata.tables[name] for name in GROWN]
        count = select(func.count())
        return {table.name: world.session.scalar(count.select_from(table)) or 0 for table in tables}

    before = counts()
    grow(world, 0, 2)
    after = counts()
    assert [kind for kind in before if after[kind] <= before[kind]] == []


@pytest.mark.parametrize(("visitor", "path"), [("bo", "/tasks/small/nowhere"), (None, "/tasks/small/team/")])
def test_counting_fails_if_the_page_is_not_the_requested_one(
    world: World, visitor: str | None, path: str
) -> None:
    client = world.client(visitor)
    with pytest.raises(AssertionError, match=f"GET {path}: (302|404)"), count_queries(world):
        client.get(path)


@pytest.mark.both_databases
def test_number_of_queries_to_score_a_candidate_is_independent_of_files(world: World) -> None:
    def scored(first: int, last: int, data: bytes) -> int:
        for number in range(first, last):
            world.upload(world.run(f"run {number}"), "s2p")
        candidate = world.bring_gold("s2p", data)
        world.session.expire_all()
        with max_queries(world, 25) as queries:
            scoring_jobs.score_all(world.site, candidate.id, DURING)
        world.publish_gold(candidate)
        return len(queries)

    unbound(world)
    few = scored(0, 2, b"0\n1\n2\n3\n")
    assert scored(2, 12, b"3\n1\n2\n3\n") == few


def test_number_of_queries_is_independent_of_levels_and_phases(app: Flask, tmp_path: Path) -> None:
    """One level and two phases, and nine levels of three splits and six phases."""
    counts: dict[tuple[str, str], list[int]] = defaultdict(list)
    with app.app_context():
        for name, people in (("sick-2014", True), ("semrel-2024", False)):
            package = write_package(tmp_path / name, name)
            if name == "semrel-2024":
                package = with_more_phases(package, tmp_path / f"{name}.toml")
            hosted = host(app, package, people=people)
            upload = f"runs/{hosted.run_id}/{hosted.level}/upload"
            for person, paths in {
                "bo": ("", "team/", "boards/evaluation", upload),
                "ada": ("", "organize/", "organize/gold", "organize/boards/evaluation"),
            }.items():
                visitor = hosted.sign_in(person)
                for path in paths:
                    with count_queries(World(app, lambda _at: None)) as statements:
                        visitor.get(f"{hosted.root}/{path}")
                    counts[person, path.split("/")[-1] or path].append(len(statements))
    assert len(counts) == 8
    assert {page: found for page, found in counts.items() if found[0] != found[-1]} == {}


def with_more_phases(package: Package, config: Path) -> Package:
    """The same package in four phases more."""
    phases = "".join(f'\n[[phase]]\nslug = "more-{number}"\nsplit = "trial"\n' for number in range(4))
    config.write_text(package.config.read_text(encoding="utf-8") + phases, encoding="utf-8")
    return Package(package.folder, config)
