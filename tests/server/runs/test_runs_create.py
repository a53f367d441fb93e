import pytest

from server.audit.models import AuditEntry
from server.core import db
from server.core.errors import Forbidden, NameTaken, NotFound, PhaseClosed, QuotaExceeded
from server.runs import service as runs
from server.runs.models import Run
from tests.server.world import AFTER, DURING, LATE, OPENS, World


def create(world: World, person: str = "bo", name: str = "one", at=DURING, phase: str = "evaluation") -> Run:
    with db.writing(world.session):
        actor, target = world.actor(person), world.phase(phase)
        return runs.create_run(world.session, actor, target, name, runs.RunTexts(" Word overlap. "), at)


def test_a_run_belongs_to_the_team_and_is_numbered_in_its_phase(world: World) -> None:
    first, second = create(world), create(world, "cy", "two")
    other = create(world, "cy", "one", phase="practice")

    assert {run.team_id for run in (first, second, other)} == {world.team.id}
    assert [first.number, second.number, other.number] == [1, 2, 1]
    assert first.description == "Word overlap."
    assert first.baseline is None


def test_new_run_is_audited_by_number(world: World) -> None:
    run = create(world)
    last = world.session.query(AuditEntry).order_by(AuditEntry.number.desc()).first()
    assert last is not None
    assert (last.action, last.team_id, last.details) == ("run.create", world.team.id, {"run": run.id})


def test_number_of_runs_per_team_is_limited_by_the_phase(world: World) -> None:
    create(world)
    create(world, name="two")
    with pytest.raises(QuotaExceeded, match="2 runs in Evaluation, and yours already has them"):
        create(world, name="three")


def test_run_name_is_unique_in_its_team(world: World) -> None:
    create(world)
    with pytest.raises(NameTaken, match='already has a run "one" in this phase'):
        create(world, name=" one ")


def test_creating_a_run_needs_a_team(world: World) -> None:
    with pytest.raises(
        Forbidden,
        match=r"Only team members can do this\. Create a team, or join one with its invitation link",
    ):
        create(world, "dee")


@pytest.mark.parametrize(
    ("at", "words"),
    [
        (OPENS.replace(year=2025), "opens on 1 Mar 2026, 00:00 UTC; it is 1 Mar 2025, 00:00:00 UTC."),
        (AFTER, "accepted late submissions until 18 Mar 2026, 12:00 UTC; it is 19 Mar 2026, 16:00:00 UTC."),
    ],
)
def test_closed_phase_rejects_new_runs_with_both_times(world: World, at, words: str) -> None:
    with pytest.raises(PhaseClosed, match=words):
        create(world, at=at)


def test_run_can_be_created_during_the_grace_period(world: World) -> None:
    assert create(world, at=LATE).number == 1


def test_run_of_another_team_is_not_found(world: World) -> None:
    run = create(world)
    world.found_team("dee", "alder")
    with pytest.raises(NotFound, match="There is no such run"):
        runs.get_run(world.session, world.actor("dee"), run.id)
    with pytest.raises(NotFound, match="There is no such run"):
        runs.get_run(world.session, world.actor("ada"), run.id)
    assert runs.get_run(world.session, world.actor("cy"), run.id) is run
