import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from scorer import Undefined, board_json, read_bundle, recompute_board
from server import bundles
from server.access import tasks
from server.audit.models import AuditEntry
from server.boards import service as boards
from server.core import db
from server.core.actors import CONSOLE
from server.core.errors import InvalidFile, NameTaken
from server.corrections import service as gold
from server.gold.models import GoldVersion
from server.phases.models import Phase
from server.runs.models import Run
from server.submissions.models import Submission
from server.tasks.models import Level, Split, Task, TaskRole
from server.teams.models import Team
from tests.server.round_trip import packed, unpack
from tests.server.small_task import GOLD, GOOD, TASK, write_bundle
from tests.server.world import DURING, World

TABLES = (Task, Level, Split, Phase, Team, Run, Submission, GoldVersion, TaskRole, AuditEntry)
SECOND = TASK.replace('slug = "small"', 'slug = "second"')


def counts(world: World) -> list[int]:
    return [world.session.query(table).count() for table in TABLES]


def host(world: World, folder: Path) -> Task:
    plan = bundles.plan_import(folder)
    with db.writing(world.session):
        return bundles.import_task(world.session, CONSOLE, plan, [], DURING, published=True)


def rejection(world: World, folder: Path) -> str:
    """The problems of a bundle, one a line; nothing of it is in the database."""
    before = counts(world)
    with pytest.raises(InvalidFile) as refused:
        host(world, folder)
    assert counts(world) == before
    assert sum(problem.count for problem in refused.value.problems) == refused.value.count
    return "\n".join(str(problem) for problem in refused.value.problems)


def test_bundle_is_imported_with_all_its_settings(world: World, tmp_path: Path) -> None:
    task = host(world, write_bundle(tmp_path / "b", SECOND))

    assert (task.title, task.scale_min, task.scale_max) == ("A small task", 0.0, 4.0)
    assert [(level.slug, [split.name for split in level.splits]) for level in task.levels] == [
        ("p2s", ["trial", "test"]),
        ("s2p", ["test"]),
    ]
    phase = tasks.get_phase(world.session, task, "evaluation")
    assert (phase.feedback, phase.files_per_level, phase.runs_per_team, phase.grace_hours) == (
        "hidden",
        3,
        2,
        72,
    )
    split = tasks.get_level_split(task, "p2s", "test")[1]
    assert world.storage.get(split.items_sha256) == (tmp_path / "b" / "p2s.test.tsv").read_bytes()
    assert split.n_items == 4


def test_team_approval_follows_the_bundle_and_bundled_teams_are_approved(
    world: World, tmp_path: Path
) -> None:
    task = host(world, write_bundle(tmp_path / "b", SECOND))
    assert (task.team_size, task.registration) == (None, "open")
    rules = '[teams]\nsize = 4\nregistration = "approved"\n[board]'
    third = SECOND.replace("[board]", rules).replace('slug = "second"', 'slug = "third"')
    folder = write_bundle(tmp_path / "c", third)
    (folder / "runs" / "elm" / "one").mkdir(parents=True)
    (folder / "runs" / "elm" / "one" / "p2s.tsv").write_bytes(GOOD)
    task = host(world, folder)
    assert (task.team_size, task.registration) == (4, "approved")
    teams = world.session.query(Team).filter_by(task_id=task.id).order_by(Team.name)
    assert [(team.name, team.state) for team in teams] == [("elm", "approved"), ("organizers", "approved")]


def test_imported_task_keeps_how_to_cite_it_when_it_is_exported(world: World, tmp_path: Path) -> None:
    entry = "@misc{second,\n  title = {A task}\n}\n"
    folder = write_bundle(tmp_path / "b", SECOND.replace("[task]", '[task]\ncitation = "second.bib"'))
    (folder / "second.bib").write_text(entry, encoding="utf-8")
    assert host(world, folder).citation == entry
    exported = unpack(packed(world.site, "second"), tmp_path / "c")
    assert read_bundle(exported).task.citation == entry


def test_baselines_are_computed_for_each_phase_and_belong_to_the_organizers(
    world: World, tmp_path: Path
) -> None:
    task = host(world, write_bundle(tmp_path / "b", SECOND))
    runs = world.session.query(Run).join(Phase).filter(Phase.task_id == task.id).all()
    assert {(run.team.name, run.name, run.baseline, run.phase.slug) for run in runs} == {
        ("organizers", "LCS", "lcs", "practice"),
        ("organizers", "LCS", "lcs", "evaluation"),
    }
    files = world.session.query(Submission).filter(Submission.run_id.in_([run.id for run in runs])).all()
    assert sorted((file.level.slug, file.run.phase.slug) for file in files) == [
        ("p2s", "evaluation"),
        ("p2s", "practice"),
        ("s2p", "evaluation"),
    ]
    assert all(len(world.storage.get(file.sha256).splitlines()) == 4 for file in files)


def test_runs_with_a_team_name_in_different_case_belong_to_one_team(world: World, tmp_path: Path) -> None:
    folder = write_bundle(tmp_path / "b", SECOND)
    for team, run in (("elm", "one"), ("Elm", "two")):
        path = folder / "runs" / team / run / "p2s.tsv"
        path.parent.mkdir(parents=True)
        path.write_text("1\n2\n3\n4\n", encoding="utf-8")
    task = host(world, folder)
    assert world.session.query(Team).filter_by(task_id=task.id, name_key="elm").count() == 1


def test_task_slug_is_unique(world: World, tmp_path: Path) -> None:
    before = counts(world)
    with pytest.raises(NameTaken, match=r'already a task "small"\. Change the key slug in task\.toml'):
        host(world, write_bundle(tmp_path / "b"))
    assert counts(world) == before


def changed(name: str, old: str, new: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        text = (folder / name).read_text(encoding="utf-8")
        assert old in text
        (folder / name).write_text(text.replace(old, new), encoding="utf-8")

    return change


def written(name: str, data: bytes) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)

    return write


BREAKAGES = {
    "no task.toml": (lambda folder: (folder / "task.toml").unlink(), ["task.toml"]),
    "not TOML": (written("task.toml", b"[task\n"), ["task.toml:1: is not valid TOML", "line 1"]),
    "not UTF-8": (written("task.toml", b"\xff\xfe"), ["task.toml: this is UTF-16; save it as UTF-8"]),
    "unknown key": (changed("task.toml", "grace_hours", "grace"), ["phase[evaluation].grace", "unknown"]),
    "missing title": (changed("task.toml", 'title = "A small task"', ""), ["task.title"]),
    "bad slug": (changed("task.toml", '"second"', '"../second"'), ["task.slug"]),
    "unknown metric": (
        changed("task.toml", "[board]", 'metrics = ["bleu"]\n[board]'),
        ['"bleu" is not one of pearson'],
    ),
    "level twice": (
        changed("task.toml", 'slug = "s2p"', 'slug = "p2s"'),
        ['level: "p2s" is used twice'],
    ),
    "missing items": (
        lambda folder: (folder / "s2p.test.tsv").unlink(),
        ["level[s2p].test.items", 'no file "s2p.test.tsv"'],
    ),
    "outside": (
        changed("task.toml", '"p2s.test.gold"', '"../../../etc/passwd"'),
        ["level[p2s].test.gold", "outside the folder"],
    ),
    "absolute": (changed("task.toml", '"p2s.test.gold"', '"/etc/passwd"'), ["outside the folder"]),
    "short gold": (written("p2s.test.gold", b"1\n2\n3\n"), ["p2s.test.gold", "3"]),
    "wrong gold": (
        written("p2s.test.gold", b"1\n2\nthree\n4\n"),
        ["p2s.test.gold:3: ", '"three" is not a number'],
    ),
    "gold off the scale": (
        written("s2p.test.gold", b"1\n2\n3\n4.5\n"),
        ["s2p.test.gold", "outside the scale"],
    ),
    "wrong run": (
        written("runs/elm/one/p2s.tsv", b"1\n2\nnan\n"),
        ["runs/elm/one/p2s.tsv:3: ", "runs/elm/one/p2s.tsv"],
    ),
    "a run that no leaderboard shows": (
        changed(
            "task.toml",
            "[[run]]",
            '[[run]]\nteam = "elm"\nname = "a"\nphase = "practice"\nfiles = { s2p = "trial.gold" }\n[[run]]',
        ),
        ["trial.gold: answers s2p, which has no trial split"],
    ),
    "no phase": (
        lambda folder: (folder / "task.toml").write_text(
            SECOND[: SECOND.index("[[phase]]")], encoding="utf-8"
        ),
        ["task.toml: phase: is missing"],
    ),
    "closes before it opens": (
        changed("task.toml", "closes = 2026-03-15T12:00:00Z", "closes = 2026-02-01T00:00:00Z"),
        ["phase[evaluation].closes: must be after opens"],
    ),
    "feedback that is none": (
        changed("task.toml", '"hidden"', '"ladders"'),
        ['"ladders" is not one of hidden, scores, rounded, public-part, ladder'],
    ),
    "broken senses": (
        lambda folder: (
            written("senses.tsv", b"sense\tgloss\nharbour\n")(folder),
            changed("task.toml", 'sides = ["sentence", "phrase"]', 'senses = "senses.tsv"')(folder),
        ),
        ["senses.tsv:1: ", "senses.tsv:2: "],
    ),
}


def test_invalid_bundle_is_rejected_as_a_whole_with_the_place_of_each_problem(
    world: World, tmp_path: Path
) -> None:
    for number, (name, (break_it, words)) in enumerate(BREAKAGES.items()):
        folder = write_bundle(tmp_path / str(number), SECOND)
        break_it(folder)
        message = rejection(world, folder)
        assert [word for word in words if word not in message] == [], name


def test_all_problems_of_all_files_are_reported_at_once(world: World, tmp_path: Path) -> None:
    folder = write_bundle(tmp_path / "b", SECOND)
    (folder / "p2s.test.gold").write_text("x\n2\ny\n4\n", encoding="utf-8")
    (folder / "s2p.test.gold").write_text("1\n", encoding="utf-8")
    lines = rejection(world, folder).splitlines()
    assert [line.split(": ")[0] for line in lines] == ["p2s.test.gold:1", "s2p.test.gold"]
    assert lines[0].endswith('; 1 more line like this: 3 "y"')


def test_symlink_to_outside_the_bundle_is_rejected(world: World, tmp_path: Path) -> None:
    folder = write_bundle(tmp_path / "b", SECOND)
    secret = tmp_path / "secret.tsv"
    secret.write_text("1\n2\n3\n4\n", encoding="utf-8")
    (folder / "runs" / "elm" / "one").mkdir(parents=True)
    (folder / "runs" / "elm" / "one" / "p2s.tsv").symlink_to(secret)
    assert 'run: "runs/elm/one/p2s.tsv" is a link to a file outside the bundle' in rejection(world, folder)


@pytest.mark.both_databases
def test_failed_import_leaves_nothing_behind(world: World, tmp_path: Path) -> None:
    plan = bundles.plan_import(write_bundle(tmp_path / "b", SECOND))
    plan = replace(plan, answers=(*plan.answers, replace(plan.answers[-1], level="nowhere")))
    before = counts(world)
    with pytest.raises(Exception, match="no such level"), db.writing(world.session):
        bundles.import_task(world.session, CONSOLE, plan, [], DURING, published=True)
    assert counts(world) == before


KEYED = (
    TASK.replace('slug = "small"', 'slug = "keyed"')
    .replace("[board]", 'run_format = "keyed"\nkeyed = { id = "pair", score = "value" }\n[board]')
    .replace(', public_gold = true', "")
)  # fmt: skip


def keyed_bundle(folder: Path) -> Path:
    """The small task with keyed runs and keyed gold at one level, in another order than the items."""
    write_bundle(folder, KEYED)
    rows = [f"News-{i},{value}\n" for i, value in enumerate(GOLD["p2s"], start=1)]
    (folder / "p2s.test.gold").write_text("pair,value\n" + "".join(reversed(rows)), encoding="utf-8")
    run = folder / "runs" / "elm" / "one" / "p2s.csv"
    run.parent.mkdir(parents=True)
    run.write_text("value,pair\n3,News-4\n1,News-1\n2,News-3\n1.5,News-2\n", encoding="utf-8")
    return folder


def test_a_keyed_task_is_hosted_with_its_baselines_and_agrees_with_the_command(
    world: World, tmp_path: Path
) -> None:
    folder = keyed_bundle(tmp_path / "keyed")
    task = host(world, folder)

    bundle = read_bundle(folder)
    offline = board_json(recompute_board(bundle, "test"), task="keyed", title=bundle.task.title, split="test")
    assert boards.board_text(world.session, tasks.get_phase(world.session, task, "evaluation")) == offline
    values = json.loads(offline)
    # gold .125 1.375 2.625 3.875 and elm 1 1.5 2 3: both grow with the item
    assert values["official"][0]["levels"]["p2s"]["spearman"]["value"] == 1.0
    assert values["baselines"][0]["run"] == "LCS"


def test_baseline_is_scored_once_gold_is_available(world: World, tmp_path: Path) -> None:
    task_without = TASK.replace('slug = "small"', 'slug = "waits"').replace(', gold = "s2p.test.gold"', "")
    task = host(world, write_bundle(tmp_path / "waits", task_without))
    phase = tasks.get_phase(world.session, task, "evaluation")
    (row,) = boards.phase_board(world.session, phase).baselines
    assert isinstance(row.cells["s2p"]["pearson"].value, Undefined)

    _, split = tasks.get_level_split(task, "s2p", "test")
    data = "\n".join(GOLD["s2p"]).encode()
    prepared = gold.prepare_gold(world.session, CONSOLE, split, data, "s2p.gold", "here it is")
    with db.writing(world.session):
        gold.add_gold(world.session, CONSOLE, prepared, DURING)
    (row,) = boards.phase_board(world.session, phase).baselines
    (same,) = boards.phase_board(world.session, world.phase()).baselines
    assert row.cells["s2p"]["pearson"].value == same.cells["s2p"]["pearson"].value


def test_run_without_gold_is_rejected_by_name(world: World, tmp_path: Path) -> None:
    task = TASK.replace('slug = "small"', 'slug = "waits"').replace(', gold = "s2p.test.gold"', "")
    folder = write_bundle(tmp_path / "waits", task)
    written("runs/elm/one/s2p.tsv", b"1\n2\n3\n4\n")(folder)
    before = counts(world)
    assert "level[s2p].test.gold: is missing, and run[one] has a file" in rejection(world, folder)
    assert counts(world) == before
