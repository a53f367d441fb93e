"""What a team says of a run, which run is primary, and their order."""

import pytest

from server.audit.models import AuditEntry
from server.core import db
from server.core.errors import Conflict, NameTaken, NotFound, PhaseClosed, RunWithdrawn
from server.runs import editing as run_editing, service as runs, withdrawals as run_withdrawals
from server.runs.models import Run
from tests.server.visitors import words
from tests.server.world import AFTER, CLOSES, DURING, LATE, World

TEXTS = runs.RunTexts("Words.", "Overlap.", "WordNet 3.0", "https://example.org/code", "Ada A.\nBo B.")


def edit(
    world: World, run: Run, name: str | None = None, texts=TEXTS, at=DURING, by: str = "bo"
) -> list[str]:
    with db.writing(world.session):
        return run_editing.edit_run(world.session, world.actor(by), run, name, texts, at)


def choose(world: World, run: Run, at=DURING, by: str = "bo", primary: bool = True) -> None:
    with db.writing(world.session):
        run_editing.choose_primary(world.session, world.actor(by), run, at, primary=primary)


def newest(world: World) -> AuditEntry:
    return world.session.query(AuditEntry).order_by(AuditEntry.number.desc()).first()


def order(world: World) -> list[str]:
    states = runs.list_runs(world.session, world.team, [world.phase()], DURING)[world.phase().id]
    return [state.run.name for state in states]


def test_texts_can_change_at_any_time_and_only_their_hashes_are_audited(world: World) -> None:
    run = world.run()
    assert edit(world, run, at=AFTER) == ["description", "method", "resources", "links", "authors"]
    assert (run.method, run.authors) == ("Overlap.", "Ada A.\nBo B.")
    entry = newest(world)
    assert (entry.action, entry.details["run"]) == ("run.edit", run.id)
    assert all(len(side) == 64 for sides in entry.details["changed"].values() for side in sides)
    assert "Overlap" not in repr(entry.details)
    assert edit(world, run, at=AFTER) == []


def test_run_name_can_change_until_the_deadline_and_is_unique(world: World) -> None:
    run, other = world.run("one"), world.run("two")
    assert edit(world, run, " uno  dos ", runs.RunTexts(), CLOSES) == ["name"]
    assert run.name == "uno dos"
    with pytest.raises(NameTaken):
        edit(world, run, other.name)
    with pytest.raises(PhaseClosed, match="on 15 Mar 2026, 13:00 UTC, so its name cannot be changed"):
        edit(world, run, "tres", at=LATE)
    assert edit(world, run, "uno dos", runs.RunTexts("late words"), AFTER) == ["description"]


def test_run_added_late_can_be_renamed_during_the_grace_period(world: World) -> None:
    with db.writing(world.session):
        run = runs.create_run(world.session, world.actor("bo"), world.phase(), "late", runs.RunTexts(), LATE)
    assert edit(world, run, "later", runs.RunTexts(), LATE) == ["name"]
    with pytest.raises(PhaseClosed):
        edit(world, run, "latest", runs.RunTexts(), AFTER)
    with pytest.raises(PhaseClosed, match="so you cannot change the primary run"):
        choose(world, run, LATE)
    path, bo = f"/tasks/small/runs/{run.id}/edit", world.client("bo")
    world.set_clock(LATE)
    assert "the run’s name only until the grace period ends." in words(bo.get(path))
    world.set_clock(DURING)
    assert "the run’s name only until the deadline." in words(bo.get(path))


def test_at_most_one_run_is_primary_and_it_is_chosen_until_the_deadline(world: World) -> None:
    one, two = world.run("one"), world.run("two")
    practice = world.run("one", "practice")
    choose(world, practice)
    choose(world, one)
    choose(world, two, CLOSES)
    assert [one.is_primary, two.is_primary, practice.is_primary] == [False, True, True]
    assert (newest(world).action, newest(world).details) == ("run.primary", {"run": two.id})
    with pytest.raises(Conflict, match="This is already the primary run"):
        choose(world, two)
    with pytest.raises(PhaseClosed):
        choose(world, one, LATE)
    choose(world, two, primary=False)
    assert not two.is_primary
    with db.writing(world.session):
        run_withdrawals.withdraw_run(world.session, world.actor("bo"), two, DURING)
    with pytest.raises(RunWithdrawn, match=r"This run is withdrawn\. Restore it first"):
        choose(world, two)


def test_runs_can_be_reordered(world: World) -> None:
    one, _, three = (world.run(name) for name in ("one", "two", "three"))
    for run, direction, expected in (
        (three, "up", ["one", "three", "two"]),
        (one, "up", ["one", "three", "two"]),
        (one, "down", ["three", "one", "two"]),
    ):
        with db.writing(world.session):
            run_editing.move_run(world.session, world.actor("cy"), run, direction, DURING)
        assert order(world) == expected
    with pytest.raises(PhaseClosed):
        run_editing.move_run(world.session, world.actor("cy"), one, "up", LATE)


@pytest.mark.parametrize("stranger", ["dee", "ada"])
def test_only_the_team_can_edit_a_run(world: World, stranger: str) -> None:
    run = world.run()
    for act in (lambda: edit(world, run, by=stranger), lambda: choose(world, run, by=stranger)):
        with pytest.raises(NotFound):
            act()
    assert (run.method, run.is_primary) == ("", False)
