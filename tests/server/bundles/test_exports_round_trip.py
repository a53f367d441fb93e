"""What goes out comes in again: into an empty site, and out of that one as the same bytes."""

import csv
import json
import tomllib
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import select

from scorer.cli.__main__ import cli as scorer
from server import bundles
from server.access import tasks, terms
from server.accounts.models import User
from server.annotation.results import decisions
from server.audit.models import AuditEntry
from server.boards import service as boards
from server.core import db
from server.core.actors import CONSOLE, Actor
from server.core.errors import InvalidFile
from server.core.site_resources import Site
from server.corrections import publishing as gold_publishing, scoring_jobs, service as gold
from server.gold import versions as gold_versions
from server.mail import announcements, reminders
from server.personal_data.account_management import create_account
from server.phases.models import Phase
from server.planning import extensions, public_items, registrations, task_files
from server.questions import service as questions
from server.releases import creation as release_creation, live_boards, pseudonyms, service as releases
from server.runs import editing as run_editing, service as runs, withdrawals as run_withdrawals
from server.runs.models import Run
from server.scoring import service as scoring
from server.submissions import eligibility, service as submissions
from server.submissions.models import Flag, Submission
from server.teams import invitations, memberships, service as teams
from tests.server.annotation.annotating import Annotating
from tests.server.annotation.played import play_campaign
from tests.server.round_trip import bring, packed, unpack
from tests.server.small_task import PASSWORD, TASK, variant, write_bundle
from tests.server.world import AFTER, CLOSES, DURING, LATE, OPENS, World, max_queries


def found_teams(world: World) -> None:
    """Two that were dissolved, one after the other under one name, one declined, affiliations."""
    session, task, dee = world.session, world.task, world.actor("dee")
    for _ in range(2):
        world.found_team("dee", "alder")
        with db.writing(session):
            memberships.leave_team(session, dee, task, DURING)
    with db.writing(session):
        rowan = teams.add_team(session, task, "rowan", DURING)
        registrations.decline_team(session, world.actor("ada"), task, rowan.id, "no paper", DURING)
        teams.edit_team(
            session, world.actor("bo"), task, None, "Forest University\nInstitute of Trees", DURING
        )


def extend_and_go_live(world: World) -> None:
    """Extensions to times to come, a live release of what the practice shows."""
    session, ada = world.session, world.actor("ada")
    with db.writing(session):
        later = world.phase().closes + timedelta(days=400)
        for team in (None, world.team):
            later += timedelta(days=1)
            extensions.extend_deadline(session, ada, world.phase(), team, later, "the\nserver was down", LATE)
        practice = world.phase("practice")
        practice.feedback, practice.ladder_step, practice.board = "ladder", 0.25, "live"
        live_boards.release_live_board(session, practice, LATE)


def set_up(world: World) -> None:
    """Quotas, and public items of the practice."""
    session, ada = world.session, world.actor("ada")
    with db.writing(session):
        world.phase().files_per_level, world.phase().files_per_day = 9, 8
        public_items.declare_public_items(session, ada, world.phase("practice"), 50, "7", OPENS)


def release_twice(world: World) -> None:
    """A withdrawn release, corrected gold, and an anonymous release whose names are revealed later."""
    session = world.session
    world.release(DURING + timedelta(days=1))
    world.withdraw_release("one value was\nmistyped", DURING + timedelta(days=2))
    world.fix_gold("s2p", b"3.625\n\n2.375\n1.25\n", DURING + timedelta(days=2))
    world.bring_gold("p2s", b"0\n1\n\n4\n", DURING + timedelta(days=2), split="trial")  # scored half
    with db.writing(session):
        world.phase().runs_public = True
    world.release(AFTER - timedelta(hours=1), anonymous=True, note="Item 3 was <mended>.")
    with db.writing(session):
        pseudonyms.reveal_names(session, world.actor("ada"), world.phase(), AFTER)


def fill(world: World) -> None:
    """Everything that can be: see the names of the steps."""
    session = world.session
    set_up(world)
    one, two = world.run("one"), world.run("two")
    world.upload(one, "p2s")
    world.withdraw(world.upload(one, "p2s", variant(1)))
    taken = world.upload(one, "s2p", b"4\n1\n3\n9\n", at=DURING + timedelta(seconds=5, microseconds=250))
    world.withdraw(taken, at=DURING + timedelta(hours=1))
    refuse(world, one)
    newest = world.upload(one, "p2s", variant(3), at=LATE, by="cy")
    with db.writing(session):
        words = "1 of 250 scores differs from an earlier file"
        session.add_all(
            [
                Flag(
                    submission_id=newest.id,
                    code="few-items-varied",
                    words=words,
                    other_id=taken.id,
                    made_at=LATE,
                ),
                Flag(submission_id=taken.id, code="nearly-constant", words="249 are 2", made_at=LATE),
            ]
        )
    world.upload(two, "p2s", b"1\n2\n3\n4\n", at=LATE)
    world.run("nothing was sent for this one")
    world.upload(world.run("one", "practice"), "p2s", b"0\n0\n4\n0\n")
    say_more(world, one, two)
    found_teams(world)
    other = world.found_team("dee", "a b: \u00fcber-Team")
    with db.writing(session):
        run = Run(
            team_id=other.id,
            phase_id=world.phase().id,
            number=1,
            position=1,
            name="r\u00e9seau: 1",
            description="Of one line\r\nand another.",
            baseline=None,
            created_at=DURING,
        )
        session.add(run)
    with db.writing(session):
        task = world.task
        task.registration, task.team_size = "approved", 4
    world.upload(run, "s2p", b"3\t0.5\n1\n2\n1\n", by="dee")
    release_twice(world)
    extend_and_go_live(world)
    with db.writing(session):
        terms.put_terms(session, world.actor("ada"), world.task, "Do not *share* it.\n", DURING)
        terms.put_terms(session, world.actor("ada"), world.task, "Share it.\r\n", DURING + timedelta(hours=1))
    with db.writing(session):
        sha256 = terms.version_hash(terms.list_versions(session, world.task)[-1])
        terms.accept_terms(session, world.actor("cy"), world.task, sha256, DURING + timedelta(hours=2))
    with db.writing(session):
        phase = world.phase()
        phase.closes = phase.closes - timedelta(days=6)  # later than most files: they stay on time
    decide_on_unit(world, play_campaign(world))


def decide_on_unit(world: World, annotating: Annotating) -> None:
    (round_,) = annotating.campaign.rounds
    rated, new = (
        decisions.list_rated_units(world.session, round_, 1)[0],
        decisions.NewDecision("2", "overlooked", "A negation."),
    )
    with db.writing(world.session):
        decisions.decide_unit(
            world.session, world.actor("ada"), round_, rated, 1, new, DURING + timedelta(days=1)
        )


def say_more(world: World, one: Run, two: Run) -> None:
    """Texts, a primary run, another order, a run withdrawn, one that was restored."""
    session, bo, texts = (
        world.session,
        world.actor("bo"),
        runs.RunTexts("D.", "M.", "R.", LINKS, "A. A.\nB. B."),
    )
    gone = world.run("taken back")
    world.upload(gone, "p2s", variant(7))
    with db.writing(session):
        run_editing.edit_run(session, bo, one, None, texts, DURING)
        run_editing.choose_primary(session, bo, one, DURING)
        run_editing.move_run(session, bo, two, "up", DURING)
        run_withdrawals.withdraw_run(session, bo, gone, DURING)
        run_withdrawals.withdraw_run(session, world.actor("cy"), one, DURING)
        run_withdrawals.restore_run(session, bo, one, DURING + timedelta(hours=1))
    add_messages(world)


def add_messages(world: World) -> None:
    """Announcements to all, to some and to one team, a logo, and reminders that went out."""
    session, ada = world.session, world.actor("ada")
    world.add_picture()
    world.add_picture("bay.png", width=9)
    world.add_kit_file()
    with db.writing(session):
        phase = world.phase()
        phase.reminders = [72, 24]
        for draft in (
            announcements.AnnouncementDraft("All", "The *data* is out.\r\n\nHave fun.", None),
            announcements.AnnouncementDraft("Some", "Hurry.", phase),
            announcements.AnnouncementDraft("One", "Your run is **good**.", teams=(world.team,)),
        ):
            sent = announcements.announce(session, ada, world.task, draft, DURING)
        task_files.choose_logo(session, ada, world.task, "lake.png", DURING)
        announcements.edit_announcement(session, ada, sent, LATE, text="Your run is fine.", pinned=True)
        question = questions.ask_question(
            session, world.actor("bo"), world.task, "May we?\n\nUse it.", DURING
        )
        questions.ask_question(session, world.actor("cy"), world.task, "Is *this* one open?", DURING)
        questions.answer_question(session, ada, question, "Yes.", None, DURING)
        questions.answer_question(session, ada, question, "Everybody may.", "May we use it?", LATE)
    reminders.write_due_reminders(world.site, CLOSES - timedelta(hours=20))


LINKS = "https://forest.example/code\nhttps://forest.example/paper"


def refuse(world: World, run: Run) -> None:
    data, actor = b"NA\nn/a\n2\0\n\xff\n", world.actor("bo")
    with pytest.raises(InvalidFile):
        submissions.prepare_file(
            world.session,
            actor,
            eligibility.ReceivedFile(
                eligibility.find_own_target(world.session, actor, run.id, "p2s", DURING), data, "b\u00e4d.tsv"
            ),
            DURING,
        )


@pytest.fixture
def exported(world: World, tmp_path: Path) -> Path:
    """The small task in as many states as there are, exported and unpacked."""
    fill(world)
    return unpack(packed(world.site), tmp_path / "exported")


def board_of(site: Site, phase: str, slug: str = "small") -> str:
    session = site.session()
    return boards.board_text(session, tasks.get_phase(session, tasks.get_task(session, slug), phase))


@pytest.mark.both_databases
def test_task_exports_to_the_same_bytes_from_this_site_and_from_an_import(
    world: World, exported: Path, second_site: Site, tmp_path: Path
) -> None:
    first = packed(world.site)
    assert packed(world.site) == first
    bring(second_site, exported)
    second = packed(second_site)
    again = unpack(second, tmp_path / "again")
    for path in sorted(exported.rglob("*")):  # a difference is found faster file by file
        if path.is_file():
            assert (again / path.relative_to(exported)).read_bytes() == path.read_bytes(), path
    assert second == first


@pytest.mark.one_database
def test_names_of_people_are_exported_and_imported_only_on_request(
    world: World, second_site: Site, tmp_path: Path
) -> None:
    fill(world)
    named = packed(world.site, people="names")
    folder = unpack(named, tmp_path / "named")
    people = json.loads((folder / "history.json").read_text(encoding="utf-8"))["people"]
    assert sorted(person["name"] for person in people) == ["ada", "bo", "cy", "dee"]
    bring(second_site, folder)
    assert packed(second_site, people="names") == named
    assert packed(second_site) == packed(world.site)


@pytest.mark.one_database
def test_export_has_no_email_address_and_only_the_requested_personal_data(
    world: World, exported: Path
) -> None:
    secret = [world.link(), "example.org"]
    everything = b"".join(path.read_bytes() for path in exported.rglob("*") if path.is_file())
    assert not [word for word in secret if word.encode() in everything]
    people = json.loads((exported / "history.json").read_text(encoding="utf-8"))["people"]
    assert people == [{}] * 4
    named = unpack(packed(world.site, people="names"), exported.parent / "named")
    everything = b"".join(path.read_bytes() for path in named.rglob("*") if path.is_file())
    assert not [word for word in secret if word.encode() in everything]


STAY = {
    "account", "account_role", "alembic_version", "api_token", "attempt", "attribution", "audit_entry",
    "idempotency_key",
    "imported_person", "inference", "job", "mail", "membership", "paper", "release_plan", "release_seal",
    "role", "role_invitation", "sign_in", "signing_key", "task_role",
    "team_invitation", "terms_acceptance", "waiting_file",
    "annotation_bar", "annotator_identity", "annotator_key", "round_data_set",
    "round_export", "round_figures",
}  # fmt: skip
"""Tables of people and of the site, which no export takes along as they are; and inferences, of which the
texts of releases go along, and drafts and what they are computed from are computed again, as are papers and
the figures, exports and data sets of rounds. Who annotators are, and their links, go nowhere."""
OF_THE_SITE = {"id", "published_at"}
"""Columns that say where a task is hosted, and since when; an import hosts it again."""


def rows(site: Site) -> dict[str, list[tuple[object, ...]]]:
    """What all other tables hold, but for numbers of rows and people."""
    found = {}
    for name, table in db.Base.metadata.tables.items():
        kept = [
            column for column in table.columns if not column.foreign_keys and column.name not in OF_THE_SITE
        ]
        if name not in STAY and kept:
            values = site.session().execute(select(*kept))
            found[name] = sorted((tuple(row) for row in values), key=repr)
    return found


@pytest.mark.both_databases
def test_import_restores_every_row_including_scores_of_old_gold(
    world: World, exported: Path, second_site: Site
) -> None:
    bring(second_site, exported)
    imported, exported_rows = rows(second_site), rows(world.site)
    for name, expected in exported_rows.items():
        assert expected, name
        assert imported[name] == expected, name
    assert second_site.session().query(User).count() == 0
    assert all(
        second_site.storage.get(sha256) for sha256 in second_site.session().scalars(select(Submission.sha256))
    )


@pytest.mark.one_database
def test_imported_boards_and_releases_have_the_same_bytes(
    world: World, exported: Path, second_site: Site
) -> None:
    bring(second_site, exported)
    for phase in ("practice", "evaluation"):
        assert board_of(second_site, phase) == board_of(world.site, phase)
    session = second_site.session()
    task = tasks.get_task(session, "small")
    phase = tasks.get_phase(session, task, "evaluation")
    newest = releases.get_public(session, phase)
    assert newest.text == releases.get_public(world.session, world.phase()).text
    board = newest.file.board
    assert {row.run for row in board.official} == {"one", "r\u00e9seau: 1"}
    assert {row.run for row in board.late} == {"one", "two"}


@pytest.mark.one_database
def test_scorer_prints_the_boards_of_the_site_from_the_export(world: World, exported: Path) -> None:
    for phase in ("practice", "evaluation"):
        printed = CliRunner().invoke(scorer, ["board", str(exported), "--phase", phase, "--format", "json"])
        assert printed.exit_code == 0, printed.stderr
        assert printed.stdout == board_of(world.site, phase)
    values = json.loads(printed.stdout)
    assert {kind: len(values[kind]) for kind in ("official", "late", "baselines")} == {
        "official": 2,
        "late": 2,
        "baselines": 1,
    }
    one = next(row for row in values["official"] if row["run"] == "one")
    late = next(row for row in values["late"] if row["run"] == "one")
    assert one["levels"]["p2s"]["pearson"]["value"] is not None
    assert late["levels"]["p2s"]["pearson"]["value"] is not None


@pytest.mark.one_database
def test_imported_task_can_be_continued(exported: Path, second_site: Site) -> None:
    """The next gold, the next release and the next export find everything in its place."""
    task = bring(second_site, exported)
    session = second_site.session()
    before = board_of(second_site, "evaluation")
    _, split = tasks.get_level_split(task, "p2s", "test")
    prepared = gold.prepare_gold(session, CONSOLE, split, b"3\n2\n1\n0\n", "gold.tsv", "upside down")
    with db.writing(session):
        version = gold.add_gold(session, CONSOLE, prepared, AFTER)
        assert version.number == 2
    scoring_jobs.score_all(second_site, version.id, AFTER)
    with db.writing(session):
        gold_publishing.publish_version(session, CONSOLE, version, AFTER)
    after = board_of(second_site, "evaluation")
    assert after != before
    with db.writing(session):
        phase = tasks.get_phase(session, tasks.get_task(session, "small"), "evaluation")
        assert release_creation.release_board(session, CONSOLE, phase, AFTER).number == 3
    assert packed(second_site) != b""


@pytest.mark.one_database
def test_people_of_the_importing_site_can_join_imported_teams(exported: Path, second_site: Site) -> None:
    task = bring(second_site, exported)
    session = second_site.session()
    with db.writing(session):
        bo = create_account(session, "bo@example.org", "bo", PASSWORD)
        birch = teams.find_team_by_name(session, task, "birch")
        assert birch is not None
        link = invitations.invite(session, CONSOLE, birch, AFTER).token
        invitations.join_team(session, Actor(user_id=bo.id), task, link, AFTER)
        assert [person.name for person in teams.list_members(session, birch)] == ["bo"]
        assert birch.captain_id == bo.id


@pytest.mark.one_database
def test_import_is_one_audit_entry_that_names_the_history(exported: Path, second_site: Site) -> None:
    bring(second_site, exported)
    (entry,) = second_site.session().scalars(select(AuditEntry))
    assert (entry.action, entry.actor) == ("task.import", "console")
    assert entry.details["submissions"] == 11
    assert len(entry.details["history"]) == 64


KEYED = (
    TASK.replace("[board]", 'run_format = "keyed"\nkeyed = { id = "pair", score = "value" }\n[board]')
    .replace("max = 4 }", "max = 4, step = 0.125 }")
    .replace('"4" = "the same"', '"3.875" = "the same"')
    .replace('slug = "s2p"\n', 'slug = "s2p"\nmetrics = ["spearman"]\ncounts = false\n')
    .replace("[board]", '[board]\noov = "zero"')
)  # fmt: skip


def keyed(scores: dict[str, str]) -> bytes:
    out = StringIO()
    csv.writer(out).writerows([("value", "pair"), *((value, pair) for pair, value in scores.items())])
    return out.getvalue().encode()


@pytest.mark.one_database
def test_keyed_task_survives_export_and_import(second_site: Site, world: World, tmp_path: Path) -> None:
    toml = KEYED.replace('slug = "small"', 'slug = "keyed"').replace("grace_hours = 72", "grace_hours = 7")
    folder = write_bundle(tmp_path / "keyed", toml)
    run = folder / "runs" / "elm" / "one" / "p2s.csv"
    run.parent.mkdir(parents=True)
    run.write_bytes(keyed({"News-4": "3", "News-1": "1", "News-3": "2", "News-2": "1.5"}))
    bring(world.site, folder)
    out = unpack(packed(world.site, "keyed"), tmp_path / "out")
    assert (out / "runs" / "evaluation" / "elm" / "one" / "p2s.csv").read_bytes() == run.read_bytes()
    description = tomllib.loads((out / "task.toml").read_text(encoding="utf-8"))
    assert description["task"]["keyed"] == {"id": "pair", "score": "value"}
    assert (description["board"]["oov"], description["task"]["scale"]["step"]) == ("zero", 0.125)
    bring(second_site, out)
    assert packed(second_site, "keyed") == packed(world.site, "keyed")
    printed = CliRunner().invoke(scorer, ["board", str(out), "--format", "json"])
    assert printed.stdout == board_of(world.site, "evaluation", "keyed")
    assert board_of(second_site, "evaluation", "keyed") == printed.stdout
    assert json.loads(printed.stdout)["official"][0]["levels"]["p2s"]["spearman"]["value"] == 1.0


@pytest.mark.one_database
def test_confusable_or_invalid_names_get_separate_files_in_an_export(
    world: World, second_site: Site, tmp_path: Path
) -> None:
    """Of teams and runs: names are data, and no path is made of them."""
    names = ["..", "a:b", "a?b", "CON", "\u65e5\u672c", "x" * 80]
    with db.writing(world.session):
        phase = world.phase()
        for name in names:
            team = teams.add_team(world.session, world.task, name, DURING)
            for k, run_name in enumerate((".", "One", "one"), start=1):
                run = Run(
                    team_id=team.id,
                    phase_id=phase.id,
                    number=k,
                    position=k,
                    name=run_name,
                    description="",
                    baseline=None,
                    created_at=DURING,
                )
                run.team, run.phase = team, phase
                world.session.add(run)
                world.session.flush()
                put(world, run, variant(k))
    data = packed(world.site)
    out = unpack(data, tmp_path / "out")  # which rejects duplicates, and names that lead outside
    files = list(out.glob("runs/evaluation/*/*/p2s.tsv"))
    assert len(files) == 18
    assert all(path.relative_to(out).as_posix().isascii() for path in files)
    bring(second_site, out)
    assert packed(second_site) == data
    assert board_of(second_site, "evaluation") == board_of(world.site, "evaluation")


def put(world: World, run: Run, data: bytes) -> None:
    level, split = tasks.get_level_split(world.task, "p2s", "test")
    version = gold_versions.find_gold(world.session, split)
    assert version is not None
    parsed = scoring.parse_run(world.session, split, data, "run.tsv")
    values = scoring.gold_of(world.session, split, version)
    scored = submissions.ResultsWithGold(version, scoring.evaluate_run(values, parsed, level.metrics, None))
    upload = submissions.Upload(run, level, data, "run.tsv", (), late=False)
    submissions.add_imported_submission(world.session, CONSOLE, upload, scored, DURING)


def test_number_of_export_queries_is_independent_of_submissions(world: World) -> None:
    def asked(first: int, last: int) -> int:
        for number in range(first, last):
            world.withdraw(world.upload(world.run(f"run {number}"), "p2s", variant(number)))
            world.upload(world.run(f"run {number}"), "s2p")
        world.session.expire_all()
        with max_queries(world, 35) as queries:
            packed(world.site, people="names")
        return len(queries)

    with db.writing(world.session):
        world.phase().runs_per_team = 100
        world.phase().files_per_level = None
    few = asked(0, 2)
    assert asked(2, 12) == few


@pytest.mark.one_database
def test_bundle_without_history_can_be_hosted(second_site: Site, exported: Path) -> None:
    text = (exported / "task.toml").read_text(encoding="utf-8")
    (exported / "task.toml").write_text(text.replace('history = "history.json"\n', ""), encoding="utf-8")
    (exported / "history.json").unlink()
    plan = bundles.plan_import(exported)
    assert plan.history is None
    bring(second_site, exported)
    session = second_site.session()
    late = session.query(Submission).filter_by(late=True).count()
    assert late == 2
    one = session.query(Run).join(Phase).filter(Run.name == "one", Phase.slug == "evaluation").one()
    said = (one.description, one.method, one.resources, one.links, one.authors, one.is_primary)
    assert said == ("D.", "M.", "R.", LINKS, "A. A.\nB. B.", True)
    assert session.query(Run).filter_by(name="taken back").count() == 0
