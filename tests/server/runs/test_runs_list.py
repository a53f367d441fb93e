from dataclasses import replace

import pytest

from server.core.errors import InvalidFile
from server.runs import service as runs
from tests.server.watching import plans
from tests.server.world import DURING, LATE, World


def listed(world: World, slug: str = "evaluation") -> list[runs.RunState]:
    """The runs of bo's team in a phase, asked for with those of the other phase."""
    phases = [world.phase("practice"), world.phase("evaluation")]
    return runs.list_runs(world.session, world.team, phases, DURING, "recent")[world.phase(slug).id]


def test_run_list_states_counting_files_uploads_and_remaining_quota(world: World) -> None:
    run = world.run()
    first = world.upload(run, "p2s")
    second = world.upload(run, "p2s", b"1\n2\n3\n4\n")
    late = world.upload(run, "p2s", b"4\n3\n2\n1\n", at=LATE)
    world.withdraw(second)

    (state,) = listed(world)
    p2s, s2p = state.levels
    assert (p2s.on_time.id, p2s.late.id, p2s.left.in_all) == (first.id, late.id, 0)
    shown = [(late, False, True), (first, False, True)]  # what counts, and the newest
    assert [(file.submission, file.withdrawn, file.counts) for file in p2s.files] == shown
    assert (s2p.on_time, s2p.late, s2p.files, s2p.left.in_all) == (None, None, (), 3)
    (whole,) = runs.list_runs(world.session, world.team, [world.phase()], DURING, "every").popitem()[1]
    every = [(file.submission, file.withdrawn, file.counts) for file in whole.levels[0].files]
    assert every == [shown[0], (second, True, False), shown[1]]
    (brief,) = runs.list_runs(world.session, world.team, [world.phase()], DURING).popitem()[1]
    assert brief.levels[0] == replace(whole.levels[0], files=())
    assert brief.levels[0].late.arrived_at == late.arrived_at
    world.withdraw(late)
    (brief,) = runs.list_runs(world.session, world.team, [world.phase()], DURING).popitem()[1]
    p2s = brief.levels[0]
    assert (p2s.on_time.sha256, p2s.late) == (first.sha256, None)
    (state,) = listed(world)
    assert [file.submission for file in state.levels[0].files] == [late, first], "and the newest"
    assert (state.levels[0].scored, whole.levels[0].scored, brief.levels[0].scored) == (3, 3, 3)


def test_counting_file_has_its_sender_and_the_number_of_its_warnings(world: World) -> None:
    run = world.run()
    world.upload(run, "p2s", b"2\n2\n2\n2\n")
    world.upload(run, "s2p")
    (state,) = runs.list_runs(world.session, world.team, [world.phase()], DURING)[run.phase_id]
    files = [level.on_time for level in state.levels]
    assert [(file.warnings, file.sender) for file in files] == [(1, "bo"), (0, "bo")]


def test_quota_applies_per_team_and_not_per_run(world: World) -> None:
    world.upload(world.run("one"), "p2s")
    world.upload(world.run("two"), "p2s")
    states = listed(world)
    assert [level.left.in_all for state in states for level in state.levels] == [1, 3, 1, 3]


def test_rejected_files_are_listed_with_their_run_and_level(world: World) -> None:
    run = world.run()
    with pytest.raises(InvalidFile):
        world.upload(run, "s2p", b"x\n")
    (state,) = listed(world)
    assert [len(level.rejections) for level in state.levels] == [0, 1]


def test_withdrawn_file_counts_only_towards_the_quota(world: World) -> None:
    world.withdraw(world.upload(world.run(), "p2s"))
    (state,) = runs.list_runs(world.session, world.team, [world.phase()], DURING)[world.phase().id]
    p2s = state.levels[0]
    assert (p2s.on_time, p2s.late, p2s.files, p2s.scored, p2s.left.in_all) == (None, None, (), 1, 2)


def test_each_phase_lists_its_own_runs_and_levels(world: World) -> None:
    world.run("one", "practice")
    (state,) = listed(world, "practice")
    assert [level.level.slug for level in state.levels] == ["p2s"]
    assert listed(world) == []


@pytest.mark.one_database
def test_run_list_queries_use_indexes(world: World) -> None:
    world.upload(world.run(), "p2s")
    with plans(world, "FROM submission") as found:
        runs.list_runs(world.session, world.team, [world.phase()], DURING)
    (plan,) = found
    counted = "COVERING INDEX ix_submission_run_id_level_id_arrived_at_id (run_id=?)"
    assert any(counted in step for step in plan)
    assert not [step for step in plan if step.startswith("SCAN")], plan
