"""A team that probes a hidden gold of 250 items is flagged from its second file on; an honest one is not."""

import random
from datetime import timedelta

import pytest
from sqlalchemy import select

from server import bundles
from server.access import tasks
from server.core import db
from server.core.actors import CONSOLE
from server.jobs.models import Job
from server.runs import service as runs
from server.runs.models import Run
from server.submissions import eligibility, probing_flags, service as submissions
from server.submissions.eligibility import ReceivedFile
from server.submissions.models import Flag, Submission
from server.teams import service as teams
from tests.server.job_runs import run_job
from tests.server.visitors import words
from tests.server.world import DURING, World

N = 250
TOML = """\
[task]
slug = "probed"
title = "Probed"
description = "How similar?"
scale = { min = 0, max = 4 }

[[level]]
slug = "one"
title = "One"
sides = ["left", "right"]
test = { items = "items.tsv", gold = "gold.txt" }

[[phase]]
slug = "evaluation"
split = "test"
feedback = "scores"

[[phase]]
slug = "afterwards"
split = "test"
feedback = "scores"
"""


@pytest.fixture
def probed(world: World) -> Run:
    """A run of a team in a task of 250 items."""
    folder, session = world.site.config.data_dir / "probed", world.session
    folder.mkdir()
    (folder / "task.toml").write_text(TOML, encoding="utf-8")
    (folder / "items.tsv").write_text("".join(f"a {i}\tb\tX-{i}\n" for i in range(N)), encoding="utf-8")
    (folder / "gold.txt").write_text("".join(f"{value:.2f}\n" for value in system(0)), encoding="utf-8")
    plan = bundles.plan_import(folder)
    with db.writing(session):
        task = bundles.import_task(session, CONSOLE, plan, [world.user("ada")], DURING, published=True)
        team = teams.create_team(session, world.actor("bo"), task, "elm", DURING)
        phase = tasks.get_phase(session, task, "evaluation")
        return runs.add_run(session, team, phase, "one", "", DURING)


def system(seed: int) -> list[float]:
    truth, own = random.Random(0), random.Random(seed)  # noqa: S311  (a simulation)
    return [truth.uniform(0, 4) + own.gauss(0, 0.1) * bool(seed) for _ in range(N)]


def send(world: World, run: Run, scores: list[float], number: int) -> Submission:
    data = "".join(f"{score:.4f}\n" for score in scores).encode()
    at, actor = DURING + timedelta(minutes=number), world.actor("bo")
    prepared = submissions.prepare_file(
        world.session,
        actor,
        ReceivedFile(eligibility.find_own_target(world.session, actor, run.id, "one", at), data, "r.tsv"),
        at,
    )
    with db.writing(world.session):
        return submissions.submit_file(world.session, actor, prepared, at)


def waiting(world: World) -> list[int]:
    """The jobs that the uploads have left."""
    left = select(Job.id).where(Job.kind == "flags.look", Job.state == "waiting").order_by(Job.id)
    return list(world.session.scalars(left))


def looked(world: World) -> list[list[str]]:
    """What the worker makes of the uploads: the codes of each file, in their order."""
    world.set_clock(DURING + timedelta(hours=1))
    for job_id in waiting(world):
        assert run_job(world.site, job_id)
        job = world.session.get_one(Job, job_id)
        assert job.state == "done", job.error
    sent = select(Submission.id).join(Run).where(Run.baseline.is_(None)).order_by(Submission.id)
    ids = list(world.session.scalars(sent))
    return [[flag.code for flag in probing_flags.list_flags(world.session, [one])] for one in ids]


def test_probing_attack_is_flagged_once_from_the_second_file_on(world: World, probed: Run) -> None:
    base = system(1)
    sent = [send(world, probed, base, 0).id]
    sent += [
        send(world, probed, [value + (i == k) for i, value in enumerate(base)], k + 1).id for k in range(5)
    ]
    assert len(waiting(world)) == 1, "they are looked at together"
    assert looked(world) == [[]] + [["few-items-varied"]] * 5
    (again,) = probing_flags.compare_files(world.session, sent[-1]).values()
    with db.writing(world.session):
        assert probing_flags.add_flags(world.session, sent[-1], again, DURING) == [], "a job may run twice"
    found = probing_flags.list_flags(world.session, sent)
    assert [(flag.submission_id, flag.other_id) for flag in found[:2]] == [
        (sent[1], sent[0]),
        (sent[2], sent[0]),
    ]

    path = f"/tasks/probed/submissions/{sent[1]}"
    said = "1 of 250 scores differs from an earlier file. The other submission"
    assert said in words(world.client("ada").get(path))
    assert "robing" not in world.client("bo").get(path).text, "teams do not see flags"


def test_files_of_two_phases_on_the_same_items_are_compared(world: World, probed: Run) -> None:
    with db.writing(world.session):
        phase = tasks.get_phase(world.session, probed.team.task, "afterwards")
        other = runs.add_run(world.session, probed.team, phase, "other", "", DURING)
    base = system(1)
    send(world, probed, base, 0)
    send(world, other, base, 1)
    send(world, other, [base[0] + 1, *base[1:]], 2)
    send(world, probed, [base[0], base[1] + 1, *base[2:]], 3)
    assert looked(world) == [[], [], ["few-items-varied"], ["few-items-varied"]]


def test_ten_honest_files_are_not_flagged(world: World, probed: Run) -> None:
    for seed in range(1, 11):
        send(world, probed, system(seed), seed)
    assert looked(world) == [[]] * 10
    assert world.session.query(Flag).count() == 0


def test_files_uploaded_far_apart_are_compared_and_flagged_the_same(world: World, probed: Run) -> None:
    base = system(1)
    for k in range(3):
        send(world, probed, [value + (i == k) for i, value in enumerate(base)], k)
        (job_id,) = waiting(world)
        assert not run_job(world.site, job_id), "others may come yet"
        world.set_clock(DURING + timedelta(minutes=k + 1))
        assert run_job(world.site, job_id)
    assert looked(world) == [[], ["few-items-varied"], ["few-items-varied"]]


def test_a_file_is_compared_with_the_newest_twenty_before_it(world: World, probed: Run) -> None:
    base = system(1)
    first = send(world, probed, base, 0)
    for seed in range(2, 2 + probing_flags.MAX_EARLIER_FILES):
        send(world, probed, system(seed), seed)
    send(world, probed, [base[0] + 1, *base[1:]], 50)
    assert looked(world)[-1] == [], "the one that it varies is too old"
    last = send(world, probed, [system(3)[0] + 1, *system(3)[1:]], 51)
    assert looked(world)[-1] == ["few-items-varied"]
    (flag,) = probing_flags.list_flags(world.session, [last.id])
    assert flag.other_id == first.id + 2
