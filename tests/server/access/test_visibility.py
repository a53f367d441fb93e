"""A draft exists for people with a role in it alone: others get the answers of an unknown address."""

import re
from datetime import timedelta

import pytest
from sqlalchemy import event

from server.core import db
from server.mail.models import Mail
from server.planning import task_states
from server.releases.models import Release
from server.submissions import follow_up_jobs
from server.tasks.models import Task
from tests.server.answers import OF_TASKS
from tests.server.players import Player, give_token, play, raw
from tests.server.route_cases import CLOSED, RELEASED, ROLES, SEE_ALL, Case
from tests.server.visitors import words
from tests.server.world import CLOSES, DURING, World

pytestmark = pytest.mark.one_database

OUTSIDERS = ("visitor", "admin", "member")
"""Nobody who signed in, an admin of the site without a role, and the captain of a team of the task."""
OF_RUNS = {"run_id", "submission_id", "rejection_id"}
"""What names a run or a file of it, in addresses of programs that name no task."""
ACCEPT = "roles.accept"


def hide(world: World) -> None:
    """Make a draft of the task, whatever happened in it."""
    with db.writing(world.session):
        world.session.query(Task).filter_by(slug="small").one().state = "draft"


def arguments(world: World, case: Case) -> set[str]:
    return next(world.app.url_map.iter_rules(case.endpoint)).arguments


@pytest.mark.parametrize("role", OUTSIDERS)
def test_draft_answers_as_an_unknown_task_does(world: World, role: str) -> None:
    play(world, RELEASED)
    hide(world)
    player, unknown = Player(world, role), Player(world, role)
    unknown.parts = {**player.parts, "slug": "nowhere"}
    cases = [case for case in OF_TASKS if "slug" in arguments(world, case) and case.endpoint != ACCEPT]
    assert len(cases) > 150
    wrong, statements = [], []
    event.listen(
        world.session.get_bind(), "before_cursor_execute", lambda *found: statements.append(found[2])
    )
    for case in cases:
        draft, asked = player.send(case), list(statements)
        statements.clear()
        missing = unknown.send(case)
        assert statements == asked, case
        statements.clear()
        texts = [plain(raw(response)) for response in (draft, missing)]
        if draft.status_code != 404 or texts[0].replace(b"/small/", b"/nowhere/") != texts[1]:
            wrong.append((case.method, case.endpoint, draft.status_code, missing.status_code))
    assert wrong == []


def plain(content: bytes) -> bytes:
    """Without what differs between any two answers."""
    content = re.sub(rb'(name="csrf_token"[^>]*value=")[^"]*', rb"\1", content)
    content = re.sub(rb"(?m)^Set-Cookie: .*$", b"", content)
    content = re.sub(rb"(?m)^Content-Length: .*$", b"", content)
    return re.sub(rb"/small(?=[\"/?])", b"/nowhere", content)


@pytest.mark.parametrize("role", OUTSIDERS)
def test_runs_and_files_of_a_draft_are_not_found_by_their_numbers(world: World, role: str) -> None:
    play(world, CLOSED)
    hide(world)
    player = Player(world, role)
    cases = [
        case for case in OF_TASKS if "slug" not in arguments(world, case) and OF_RUNS & arguments(world, case)
    ]
    assert len(cases) > 10
    expected = 401 if role == "visitor" else 404
    found = {(case.endpoint, player.send(case).status_code) for case in cases}
    assert found == {(case.endpoint, expected) for case in cases}


def test_organizers_see_all_of_a_draft(world: World) -> None:
    play(world, CLOSED)
    hide(world)
    player = Player(world, "organizer")
    cases = [case for case in OF_TASKS if case.method == "GET" and case.endpoint != "task_states.change"]
    found = [(case.endpoint, player.send(case).status_code) for case in cases]
    assert found == [(case.endpoint, int(case.status("organizer", CLOSED).strip("()"))) for case in cases]


def test_draft_is_listed_for_people_with_a_role_only(world: World) -> None:
    play(world, CLOSED)
    hide(world)
    for role in ROLES:
        player = Player(world, role)
        for path, asked in (("/", player.visitor), ("/api/v1/tasks/", player.program)):
            answer = asked.get(path, headers=player.bearer)
            assert answer.status_code == 200
            assert ("small" in answer.text) == (role in SEE_ALL), (role, path)


def test_token_without_organize_does_not_show_a_draft(world: World) -> None:
    hide(world)
    bearer = {"Authorization": f"Bearer {give_token(world, 'ada', ['read'])}"}
    program = world.client()
    assert program.get("/api/v1/tasks/small", headers=bearer).status_code == 404
    assert program.get("/api/v1/tasks/", headers=bearer).json["items"] == []


def test_person_invited_to_a_draft_can_accept_the_role(world: World) -> None:
    hide(world)
    token = world.role_link("observer")
    dee = world.client("dee")
    assert dee.get("/tasks/small/roles/nonsense").status_code == 404
    assert "There is no such task." in words(dee.get("/tasks/small/roles/nonsense"))
    page = dee.get(f"/tasks/small/roles/{token}")
    assert page.status_code == 200
    assert dee.post(f"/tasks/small/roles/{token}", {}).headers["Location"] == "/tasks/small/organize/"
    assert dee.get("/tasks/small/organize/").status_code == 200


def test_worker_does_nothing_visible_for_a_draft(world: World) -> None:
    with db.writing(world.session):
        phase = world.phase()
        phase.feedback, phase.board, phase.baselines, phase.reminders = "scores", "live", "always", [24]
    world.run()
    hide(world)
    with db.writing(world.session):
        follow_up_jobs.add_follow_up_jobs(world.session, world.phase(), DURING)
    world.work(DURING)
    world.work(CLOSES - timedelta(hours=24))
    assert world.session.query(Release).count() == 0
    assert world.session.query(Mail).count() == 0

    with db.writing(world.session):
        task_states.change_state(world.session, world.actor("ada"), world.task, "published", DURING)
    world.work(CLOSES - timedelta(hours=24))
    assert world.session.query(Release).count() == 1
    assert {mail.kind for mail in world.session.query(Mail)} == {"reminder"}
