"""Law 2: until a release, what anyone but the organizers can fetch is the same whatever the gold is.

The matrix is built from the URL map, so that a route which nobody classified fails here.
"""

import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from flask import Flask

from server.models import Score
from server.services import tasks
from server.views.context import site_of
from tests.server.conftest import AFTER, LATE, World, host_small_task, open_app, site_config
from tests.server.databases import Databases
from tests.server.players import Player, Rewind, got, play, raw
from tests.server.route_table import CASES, CLOSED, RELEASED, ROLES, STATES
from tests.server.small_task import GOLD, write_bundle

NOT_ORGANIZERS = [role for role in ROLES if role != "organizer"]


def test_every_route_and_method_is_classified_and_nothing_else(app: Flask) -> None:
    routed = {
        (rule.endpoint, method)
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    assert {(case.endpoint, case.method) for case in CASES} == routed
    assert len({rule.endpoint for rule in app.url_map.iter_rules()}) == len(list(app.url_map.iter_rules()))


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("role", ROLES)
def test_each_role_gets_what_the_table_says(world: World, role: str, state: str) -> None:
    play(world, state, role)
    player, rewind, wrong = Player(world, role), Rewind(world), []
    for case, response in player.sent():
        if got(response) != case.status(role, state):
            wrong.append((case.endpoint, case.method, dict(case.values), got(response)))
        if case.method == "POST":
            rewind()
    assert wrong == []


@pytest.mark.parametrize("role", ["visitor", "member", "organizer"])
def test_head_is_get_without_a_body_options_tells_nothing_and_other_methods_are_refused(
    world: World, role: str
) -> None:
    play(world, CLOSED, role)
    player = Player(world, role)
    for case in CASES:
        if case.method == "GET":
            head = player.send(case, "HEAD")
            assert (got(head), head.data) == (case.status(role, CLOSED), b"")
        options = player.send(case, "OPTIONS")
        assert (options.status_code, options.data) == (200, b"")
        for method in ("PUT", "PATCH", "DELETE"):
            assert player.send(case, method).status_code == 405


@pytest.mark.parametrize("role", ["visitor", "member", "organizer"])
def test_no_form_is_taken_without_its_token(world: World, role: str) -> None:
    play(world, CLOSED, role)
    player, wrong = Player(world, role), []
    for token in ("", player.token[::-1]):
        player.token = token
        for case, response in player.sent(FORMS):
            hidden = response.status_code == 404 and case.status(role, CLOSED) == "404"
            if not hidden and (response.status_code != 400 or STALE not in response.text):
                wrong.append((case.endpoint, response.status_code))
    assert wrong == []


FORMS = tuple(case for case in CASES if case.method == "POST" and len(case.file or b"") < 1000)
STALE = "The form is no longer valid"


def canaries(world: World) -> tuple[list[bytes], list[bytes]]:
    """The hidden gold, its hashes too; and the leading digits of every score against it."""
    splits = [tasks.get_level_split(world.task, level, "test")[1] for level in GOLD]
    versions = [tasks.find_gold(world.session, split) for split in splits]
    gold = [value for values in GOLD.values() for value in values]
    gold += [sha256[:length] for v in versions for sha256, length in ((v.sha256, 10), (v.sha256, 64))]
    scores = world.session.query(Score).filter(Score.gold_version_id.in_([v.id for v in versions]))
    values = [repr(abs(score.value)) for score in scores if score.metric == "pearson"]
    digits = [value.split(".")[1][:6] for value in values if len(value) > 10]
    assert len(set(digits)) == len(values) == 4  # two of bo's, two of the baseline
    return [word.encode() for word in gold], [word.encode() for word in digits]


def leaks(responses: list[tuple[str, bytes]], words: list[bytes]) -> list[tuple[str, bytes]]:
    return [(where, word) for where, content in responses for word in words if word in content]


def everything(world: World, role: str) -> list[tuple[str, bytes]]:
    """All answers to all requests of the table, redirects followed, and pages of errors."""
    player, rewind, collected = Player(world, role), Rewind(world), []
    for case, response in player.sent():
        if case.endpoint == "static":  # files of the project, which no gold gets into
            continue
        name = f"{case.method} {case.endpoint}"
        collected.append((name, raw(response)))
        if response.status_code == 302:
            collected.append((f"after {name}", raw(player.visitor.get(response.headers["Location"]))))
        if case.method == "POST":
            rewind()
            if case.endpoint == "security.logout":
                break
    collected.append(("nowhere", raw(player.visitor.get("/tasks/small/nowhere"))))
    collected.append(("not this way", raw(player.visitor.open("/", method="DELETE"))))
    return collected


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("role", NOT_ORGANIZERS)
def test_gold_is_never_shown_and_hidden_scores_only_on_a_released_board(
    world: World, role: str, state: str
) -> None:
    play(world, state, role)
    gold, digits = canaries(world)
    answers = everything(world, role)
    assert leaks(answers, gold) == []
    found = leaks(answers, digits)
    places = {where for where, _ in found}
    assert places == ({"GET boards.show", "GET boards.as_json"} if state == RELEASED else set())
    if state == RELEASED:
        assert {word for _, word in found} == set(digits)


@pytest.mark.parametrize("at", [LATE, AFTER])
def test_a_phase_that_is_over_shows_no_more_than_before(world: World, at: datetime) -> None:
    play(world, CLOSED, "member")
    gold, digits = canaries(world)
    world.set_clock(at)
    for role in ("visitor", "member"):
        assert leaks(everything(world, role), [*gold, *digits]) == []


def test_the_canaries_sing(world: World) -> None:
    """The organizer does get what the tests above look for; otherwise they would look for nothing."""
    play(world, CLOSED, "organizer")
    gold, digits = canaries(world)
    answers = everything(world, "organizer")
    assert {word for _, word in leaks(answers, digits)} == set(digits)
    shown = {word for _, word in leaks(answers, gold)}
    assert shown >= {value.encode() for value in GOLD["p2s"]}


REVERSED = {level: values[::-1] for level, values in GOLD.items()}
CONSTANT = dict.fromkeys(GOLD, ("2",) * 4)
HOLES = {"p2s": ("", "1.375", "", "3.875"), "s2p": ("3.625", "0.375", "2.375", "")}


def transcript(
    databases: Databases,
    set_clock: Callable[[datetime], None],
    folder: Path,
    role: str,
    gold: dict[str, tuple[str, ...]],
) -> list[tuple[str, bytes]]:
    """What one role gets of a site with this hidden gold, from the first request to the last."""
    world = World(open_app(site_config(folder, databases)), set_clock)
    with world.app.app_context():
        host_small_task(world, write_bundle(folder / "bundle", hidden=gold))
        play(world, CLOSED, role)
        token = world.team.invitation.encode()
        answers = [
            (where, content.replace(token, b"INVITATION")) for where, content in everything(world, role)
        ]
        site_of(world.app).session.remove()
        site_of(world.app).engine.dispose()
    return [(where, normalised(content)) for where, content in answers]


def normalised(content: bytes) -> bytes:
    """Without what is drawn by lot: tokens of forms, cookies and invitations."""
    content = re.sub(rb'(name="csrf_token"[^>]*value=")[^"]*', rb"\1", content)
    content = re.sub(rb"(?m)^Set-Cookie: (\w+)=[^;]*", rb"Set-Cookie: \1", content)
    content = re.sub(rb"[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}", b"RECOVERY-CODE", content)
    return re.sub(rb"/join/[\w-]{32}", b"/join/TOKEN", content)


@pytest.mark.parametrize("role", NOT_ORGANIZERS)
def test_before_a_release_every_answer_is_the_same_whatever_the_gold_is(
    databases: Databases, set_clock: Callable[[datetime], None], tmp_path: Path, role: str
) -> None:
    first = transcript(databases, set_clock, tmp_path / "first", role, GOLD)
    assert len(first) > 40
    for name, gold in (("reversed", REVERSED), ("constant", CONSTANT), ("holes", HOLES)):
        other = transcript(databases, set_clock, tmp_path / name, role, gold)
        assert [where for where, _ in other] == [where for where, _ in first]
        assert [where for (where, a), (_, b) in zip(first, other, strict=True) if a != b] == []


def test_the_organizers_answers_do_differ(
    databases: Databases, set_clock: Callable[[datetime], None], tmp_path: Path
) -> None:
    """Guards the test above against comparing nothing."""
    first = transcript(databases, set_clock, tmp_path / "first", "organizer", GOLD)
    other = transcript(databases, set_clock, tmp_path / "reversed", "organizer", REVERSED)
    differing = {where for (where, a), (_, b) in zip(first, other, strict=True) if a != b}
    assert differing >= {"GET organize.preview", "GET organize.preview_json", "GET submissions.show"}
