"""Law 2: until a release, what anyone but the organizers can fetch is the same whatever the gold is.

The matrix is built from the URL map, so that a route which nobody classified fails here.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from flask import Flask
from sqlalchemy import select

from server.core import db
from server.mail import announcements
from server.mail.announcements import AnnouncementDraft
from server.mail.models import Mail
from server.mail.notices import DELAY
from server.planning import extensions
from server.releases.models import Inference
from server.signing import service as signing_keys
from server.submissions.follow_up_jobs import CONFIRMATION_DELAY
from tests.server.answers import (
    A_FEW,
    OF_ACCOUNTS,
    OF_TASKS,
    Answer,
    CollectedAnswers,
    canaries,
    collect_answers,
    everything,
    list_allowed,
    played,
)
from tests.server.campaign_of_players import SECRET, UNSHOWN
from tests.server.databases import Databases
from tests.server.players import CANDIDATE, PRIVATE, Player, Rewind, got, play
from tests.server.route_cases import ANNOTATOR, ANONYMOUS, CLOSED, RELEASED, ROLES, SEE_ALL, WITHDRAWN, Case
from tests.server.route_table import CASES
from tests.server.sites import disconnect, make_app, site_config
from tests.server.small_task import GOLD, TASK, write_bundle
from tests.server.stored_papers import make_release_paper
from tests.server.world import AFTER, CLOSES, DURING, LATE, World, host_small_task

pytestmark = [pytest.mark.slow, pytest.mark.one_database]

PUBLIC = [role for role in ROLES if role not in SEE_ALL]
"""Those who see no gold by role, a site's admin among them."""


def test_exactly_the_existing_routes_and_methods_are_classified(app: Flask) -> None:
    routed = {
        (rule.endpoint, method)
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    assert {(case.endpoint, case.method) for case in CASES} == routed
    assert len({rule.endpoint for rule in app.url_map.iter_rules()}) == len(list(app.url_map.iter_rules()))


def test_head_equals_get_options_reveals_nothing_and_other_methods_are_rejected(world: World) -> None:
    play(world, CLOSED)
    for role in ("organizer", "visitor"):
        player = Player(world, role)
        for case in CASES:
            if case.method == "GET":
                head = player.send(case, "HEAD")
                assert (got(head), head.data) == (case.status(role, CLOSED), b"")
    # The methods of a route are asked for before anybody's role is.
    for case in {case.endpoint: case for case in CASES}.values():
        options = player.send(case, "OPTIONS")
        assert (options.status_code, options.data) == (200, b"")
        routed = world.app.url_map.bind("localhost").allowed_methods(urlsplit(player.address(case)).path)
        method = next(method for method in ("PUT", "PATCH", "DELETE") if method not in routed)
        assert player.send(case, method).status_code == 405


def test_api_ignores_cookies(world: World) -> None:
    play(world, CLOSED)
    player = Player(world, "organizer")
    player.program, player.bearer = player.visitor, {}
    cases = tuple(case for case in CASES if case.endpoint.startswith("api"))
    wrong = [
        (case.method, case.endpoint, got(response))
        for case, response in player.sent(cases)
        if got(response) != case.status("visitor", CLOSED)
    ]
    assert wrong == []


def test_no_form_is_accepted_without_csrf_token(world: World) -> None:
    play(world, CLOSED)
    wrong = []
    for role in ("visitor", "organizer"):
        player = Player(world, role)
        for token in ("", player.token[::-1]):
            player.token = token
            for case, response in player.sent(FORMS):
                hidden = response.status_code == 404 and case.status(role, CLOSED) == "404"
                if not hidden and (response.status_code != 400 or STALE not in response.text):
                    wrong.append((role, case.endpoint, response.status_code))
    assert wrong == []


FORMS = tuple(
    case
    for case in CASES
    if case.method == "POST" and len(case.file or b"") < 1000 and case.endpoint != "mails.stop_now"
    if not case.endpoint.startswith("api")
)
"""Email programs send the last one, with nothing but its signed URL; programs send no cookie."""
STALE = "The form is no longer valid"


NEXT = re.compile(rb'next=[^"&]*')
"""Where a link to sign in leads back to: the address that was asked for, which says nothing new."""


def find_words(
    answers: Iterable[Answer], words: list[bytes], but: re.Pattern[bytes] | None = None
) -> list[tuple[str, bytes]]:
    """Where each of the words occurs, except in files of the project, which contain no gold."""
    contents = [(answer.where, answer.content) for answer in answers if answer.where != "GET static"]
    read = [(where, but.sub(b"", content) if but else content) for where, content in contents]
    return [(where, word) for where, content in read for word in words if word in content]


COINCIDENCE = re.compile(rb"\bdoi(?::|\.org/)10\.\S+|translate\([^)]*\)")
"""What has the digits of a label by chance: a DOI, and the places of the letters in a figure."""
STRANGERS = ("visitor", "stranger", "admin")
"""Those who know no team, but by a link that invites them, and by a release that names it."""
NAMING = (
    "boards.show", "boards.as_json", "releases.show", "releases.export", "releases.run_file",
    "releases.run_files", "releases.proof", "release_papers.show", "release_papers.download",
    "release_papers.figure", "release_systems.show",
    "api_boards.show", "api_release_files.board", "api_release_files.runs", "api_release_files.proof",
    "api_release_files.run_file", "tasks.index",
)  # fmt: skip
ON_BOARDS = (
    "boards.show", "boards.as_json", "releases.show", "releases.export", "releases.run_files",
    "releases.proof", "release_papers.download", "release_systems.show",
    "api_boards.show", "api_release_files.board", "api_release_files.runs", "api_release_files.proof",
)  # fmt: skip


@pytest.mark.xdist_group("collected-answers")
def test_before_a_release_each_role_sees_what_the_table_allows_and_no_hidden_gold(
    closed: CollectedAnswers,
) -> None:
    check(closed, CLOSED)


@pytest.mark.xdist_group("collected-answers")
def test_after_a_release_each_role_sees_what_the_table_allows(released: CollectedAnswers) -> None:
    check(released, RELEASED)


@pytest.mark.xdist_group("collected-answers")
def test_after_a_withdrawn_release_roles_see_what_the_table_allows(withdrawn: CollectedAnswers) -> None:
    check(withdrawn, WITHDRAWN)


def test_after_an_anonymous_release_roles_see_what_the_table_allows(world: World) -> None:
    play(world, ANONYMOUS)
    make_release_paper(world)
    check(collect_answers(world, ANONYMOUS, OF_TASKS, A_FEW), ANONYMOUS)


def check(collected: CollectedAnswers, state: str) -> None:
    """Hidden scores are only on a released board, and those of baselines not even there this early."""
    out = state in (RELEASED, ANONYMOUS)
    shown, wrong = set(collected.digits) - collected.baselines if out else set(), []
    for role, answers in collected.answers.items():
        for answer in answers:
            case = answer.case
            if case is not None and answer.status != case.status(role, state):
                wrong.append((role, answer.where, dict(case.values), answer.status))
        if role in PUBLIC:
            assert find_words(answers, collected.gold, COINCIDENCE) == []
            found = find_words(answers, collected.digits)
            places = {f"GET {name}" for name in ON_BOARDS} if out else set()
            assert {where for where, _ in found} == places
            assert {word for _, word in found} == shown
        if role not in (*SEE_ALL, "member"):
            assert find_words(answers, [PRIVATE]) == []
        if role not in (*SEE_ALL, ANNOTATOR):
            assert find_words(answers, [SECRET]) == []
        if role not in SEE_ALL:
            assert find_words(answers, [UNSHOWN]) == []
        if role in STRANGERS:
            found = find_words(answers, [b"birch"], NEXT)
            # The page for Python users has an example with a team of this name.
            others = (
                "after POST security.logout",
                "after POST security.register",
                "GET help.python",
                "GET help.notebook",
            )
            named = {where for where, _ in found if "invitations." not in where and where not in others}
            assert named == ({f"GET {name}" for name in NAMING} if state == RELEASED else set())
    assert wrong == []


@pytest.mark.parametrize("at", [LATE, AFTER])
def test_closed_phase_reveals_no_gold_or_scores(world: World, at: datetime) -> None:
    play(world, CLOSED)
    gold, digits = canaries(world)
    world.set_clock(at)
    with Rewind(world) as rewind:
        for role in ("visitor", "member"):
            cases = tuple(case for case in list_allowed(OF_TASKS, role) if case.method == "GET")
            assert find_words(everything(Player(world, role), rewind, cases), [*gold, *digits]) == []


@pytest.mark.xdist_group("collected-answers")
@pytest.mark.parametrize("role", SEE_ALL)
def test_organizer_pages_contain_the_gold_and_scores_searched_for(
    closed: CollectedAnswers, role: str
) -> None:
    """Who sees all does get what the tests above look for; otherwise they would look for nothing."""
    pages = [case for case in OF_TASKS if case.method == "GET"]
    answers = [answer for answer in closed.answers[role] if answer.case in pages]
    assert {word for _, word in find_words(answers, closed.digits)} == set(closed.digits)
    shown = {word for _, word in find_words(answers, closed.gold)}
    assert shown >= {value.encode() for value in GOLD["p2s"]}


REVERSED = {level: values[::-1] for level, values in GOLD.items()}
ODD = {"p2s": ("2",) * 4, "s2p": ("3.625", "0.375", "2.375", "")}
"""All the same, so that nothing correlates with it, and with a hole."""


def transcript(
    databases: Databases,
    set_clock: Callable[[datetime], None],
    folder: Path,
    roles: Sequence[str],
    gold: dict[str, tuple[str, ...]],
    cases: tuple[Case, ...],
    task: str = TASK,
    candidate: bytes = CANDIDATE,
) -> list[tuple[str, bytes]]:
    """What the roles get of a site with this hidden gold and this candidate, but for static files.

    Requests that a role is denied in every state are not sent: they are only asked for hidden gold.
    """
    with (
        played(databases, set_clock, folder, CLOSED, gold, task, candidate) as world,
        Rewind(world) as rewind,
    ):
        return [
            label_answer(role, answer)
            for role in roles
            for answer in everything(Player(world, role), rewind, list_allowed(cases, role))
            if answer.where != "GET static"
        ]


def label_answer(role: str, answer: Answer) -> tuple[str, bytes]:
    """The role and its request, and the content of the answer, normalised."""
    return f"{role}: {answer.where}", normalised(answer.content)


@pytest.fixture(autouse=True)
def the_same_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sites that differ in their gold alone sign with one key, so that their audit logs are the same."""
    monkeypatch.setattr(signing_keys, "generate_key", lambda: bytes(32))


def normalised(content: bytes) -> bytes:
    """Without what is drawn by lot: tokens of forms, cookies and invitations.

    And without salted commitments to the gold, and the signatures of what names them.
    """
    content = re.sub(rb'(\\?"(commitment|signature)\\?": )\\?"[0-9a-f]{64,128}\\?"', rb"\1", content)
    content = re.sub(rb'(name="(?:csrf_token|ticket)"[^>]*value=")[^"]*', rb"\1", content)
    if b'name="ticket"' in content:  # it is compressed
        content = re.sub(rb"(?m)^Content-Length: .*$", b"", content)
    content = re.sub(rb"(?m)^Set-Cookie: (\w+)=[^;]*", rb"Set-Cookie: \1", content)
    content = re.sub(rb"(?m)(^Set-Cookie: .*Expires=)[^;]*", rb"\1", content)  # goes by the real time
    content = re.sub(rb"[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}", b"RECOVERY-CODE", content)
    if b'"assay.release/1"' in content:  # salted commitments, and what depends on them or on the site's key
        content = re.sub(rb'("(?:commitment|signature|key|sha256)": )"[0-9a-f]+"', rb"\1", content)
        content = re.sub(rb"(?m)^ETag: .*$", b"", content)
    if b"assay.receipt/1" in content or b'"scopes"' in content:  # ids of tokens count all tokens
        content = re.sub(rb"(?m)^ETag: .*$", b"", content)
    content = re.sub(rb"assay_[\w-]{43}", b"PERSONAL-TOKEN", content)
    content = re.sub(rb'"token": ?"[\w.-]{60}"', b"LINK", content)
    content = re.sub(rb'"id": ?\d+(,\s*"made_at")', rb"ID\1", content)
    content = re.sub(rb"/tokens/\d+/revoke", b"/tokens/NUMBER/revoke", content)  # and so do these
    return re.sub(rb"(/|%2F)(join|roles)(/|%2F)[\w.-]{60}", rb"\1\2\3TOKEN", content)


@pytest.mark.xdist_group("collected-answers")
def test_before_a_release_public_answers_do_not_depend_on_gold(
    closed: CollectedAnswers, sqlite: Databases, set_clock: Callable[[datetime], None], tmp_path: Path
) -> None:
    first = [
        label_answer(role, answer)
        for role in PUBLIC
        for answer in closed.answers[role]
        if answer.where != "GET static" and not OF_ACCOUNTS.search(answer.where)
        if answer.case is None or not answer.case.is_denied(role)
    ]
    assert len(first) > 60 * len(PUBLIC)
    for name, gold, candidate, roles in (
        ("reversed", REVERSED, b"3.375\n1.875\n0.625\n2.875\n", ("visitor", "admin", "other", ANNOTATOR)),
        ("odd", ODD, b"\n1\n\n2\n", ["member"]),
    ):
        other = transcript(sqlite, set_clock, tmp_path / name, roles, gold, OF_TASKS, TASK, candidate)
        same = [(where, content) for where, content in first if where.split(":")[0] in roles]
        assert [where for where, _ in other] == [where for where, _ in same]
        assert [where for (where, a), (_, b) in zip(same, other, strict=True) if a != b] == []


PUBLIC_PART = TASK.replace('.gold" }\n', '.gold", public_items = "public.txt" }\n').replace(
    'feedback = "hidden"', 'feedback = "public-part"\nboard = "live"'
)
REST = {level: (*values[:2], *values[:1:-1]) for level, values in GOLD.items()}
"""The gold with the last two items changed for one another, which are not public."""


def test_public_items_and_live_board_reveal_nothing_about_the_other_items(
    databases: Databases, set_clock: Callable[[datetime], None], tmp_path: Path
) -> None:
    roles, allowed = ("visitor", "member"), list_allowed(OF_TASKS, "member")
    asked = tuple(case for case in allowed if case.method == "GET" or case.file is not None)
    first = transcript(databases, set_clock, tmp_path / "first", roles, GOLD, asked, PUBLIC_PART)
    assert any(b"This leaderboard is <strong>live</strong>" in content for _, content in first)
    other = transcript(databases, set_clock, tmp_path / "rest", roles, REST, asked, PUBLIC_PART)
    assert [where for (where, a), (_, b) in zip(first, other, strict=True) if a != b] == []
    public = {level: (*values[1::-1], *values[2:]) for level, values in GOLD.items()}
    pages = tuple(case for case in CASES if case.endpoint in ("submissions.show", "boards.show"))
    shown = transcript(databases, set_clock, tmp_path / "public", roles, public, pages, PUBLIC_PART)
    differing = {where for where, content in shown if (where, content) not in first}
    assert differing >= {"member: GET submissions.show", "visitor: GET boards.show"}


def test_organizer_answers_depend_on_gold(
    databases: Databases, set_clock: Callable[[datetime], None], tmp_path: Path
) -> None:
    """Guards the test above against comparing nothing."""
    names = ("releasing.preview", "releasing.preview_json", "submissions.show")
    cases = tuple(case for case in CASES if case.endpoint in names)
    first = transcript(databases, set_clock, tmp_path / "first", SEE_ALL, GOLD, cases)
    other = transcript(databases, set_clock, tmp_path / "reversed", SEE_ALL, REVERSED, cases)
    differing = {where for (where, a), (_, b) in zip(first, other, strict=True) if a != b}
    assert differing >= {f"{role}: GET {name}" for role in SEE_ALL for name in names}


def letters(
    databases: Databases,
    set_clock: Callable[[datetime], None],
    folder: Path,
    gold: dict[str, tuple[str, ...]],
) -> list[tuple[object, ...]]:
    """Every email of a site with this hidden gold, from the first file to an anonymous release."""
    world = World(make_app(site_config(folder, databases.migrated())), set_clock)
    with world.app.app_context():
        host_small_task(world, write_bundle(folder / "bundle", hidden=gold))
        with db.writing(world.session):
            world.phase().reminders = [24]
            draft = AnnouncementDraft("Hurry", "Soon it closes.", world.phase())
            announcements.announce(world.session, world.actor("ada"), world.task, draft, DURING)
        world.upload(world.run(), "p2s")
        world.work(CLOSES - timedelta(hours=24))
        for level in ("p2s", "s2p"):
            world.upload(world.run(), level, at=LATE)
        world.work(LATE + CONFIRMATION_DELAY)
        with db.writing(world.session):
            extensions.extend_deadline(
                world.session, world.actor("ada"), world.phase(), world.team, AFTER, "a fault", LATE
            )
        world.work(LATE + DELAY)
        world.release(AFTER + timedelta(days=4), anonymous=True)
        world.work(AFTER + timedelta(days=4) + DELAY)
        columns = (Mail.kind, Mail.user_id, Mail.subject, Mail.text, Mail.html, Mail.message_id, Mail.state)
        rows = [tuple(row) for row in world.session.execute(select(*columns).order_by(Mail.id))]
    disconnect(world.app)
    return rows


def test_emails_do_not_depend_on_gold(
    databases: Databases, set_clock: Callable[[datetime], None], tmp_path: Path
) -> None:
    first = letters(databases, set_clock, tmp_path / "first", GOLD)
    kinds = ("announcement", "confirmation", "reminder", "date", "release")
    assert Counter(kind for kind, *_ in first) == dict.fromkeys(kinds, 2)
    assert {row[-1] for row in first} == {"sent"}
    for name, gold in (("reversed", REVERSED), ("odd", ODD)):
        assert letters(databases, set_clock, tmp_path / name, gold) == first


INFERRED = (
    "boards.show", "releases.show", "releases.inference", "releases.pairs", "releases.proof",
    "release_papers.show", "release_papers.download", "runs.show",
    "release_systems.show", "comparisons.show", "api_release_files.inference", "api_release_files.pairs",
    "api_release_files.proof",
)  # fmt: skip
"""Where interval ends and p values may occur once the inference of a release is computed."""
DRAFTS = {"releasing.inference_json", "api_drafts.inference"}
"""Where those of an unreleased board may occur."""


@pytest.mark.parametrize("state", [CLOSED, RELEASED])
def test_inferences_from_hidden_gold_appear_only_on_released_boards(world: World, state: str) -> None:
    """The draft was computed in both states; organizers, who see it, do get what others do not."""
    play(world, state)
    world.upload(world.run(), "p2s", b"0.5\n1.25\n1.75\n3.25\n")
    world.infer("draft", DURING + timedelta(minutes=3))
    world.infer("inference", DURING + timedelta(minutes=3))
    world.make_papers(DURING + timedelta(minutes=3))
    draft, released = ends_of(world, released=False), ends_of(world, released=True)
    hidden = [word for word in draft if word not in released]
    assert len(hidden) > 2
    cases = tuple(case for case in OF_TASKS if case.method == "GET")
    for role in ("visitor", "other", "organizer"):
        answers = [Answer(case.endpoint, sent) for case, sent in Player(world, role).sent(cases)]
        seen = {where for where, _ in find_words(answers, hidden)}
        assert seen == (DRAFTS if role == "organizer" else set())
        places = {where for where, _ in find_words(answers, released)} - DRAFTS
        assert bool(places) is (state == RELEASED)
        assert places <= set(INFERRED)


def ends_of(world: World, *, released: bool) -> list[bytes]:
    """The ends of the intervals of drafts or of releases that have digits of their own, as JSON has them."""
    which = Inference.release_id.is_not(None) if released else Inference.release_id.is_(None)
    texts = [json.loads(text) for text in world.session.scalars(select(Inference.text).where(which)) if text]
    ends = {
        one[end]
        for values in texts
        for column in values["columns"]
        for one in column["intervals"]
        for end in ("low", "high")
    }
    return [
        repr(end).encode() for end in sorted(end for end in ends if end is not None) if len(repr(end)) > 7
    ]
