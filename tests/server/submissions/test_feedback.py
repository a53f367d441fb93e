"""What each kind of feedback shows to a team, on its own page and on a live board, and nothing else."""

import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select

from scorer.boards.serialization import board_json
from scorer.bundles.reader import read_bundle
from scorer.bundles.recompute import recompute_board
from scorer.files.reading import ItemsLayout, parse_items
from scorer.metrics import pearson
from server import bundles
from server.access import tasks
from server.audit.models import AuditEntry
from server.boards import service as boards
from server.core import db
from server.core.actors import CONSOLE
from server.core.errors import Conflict, InvalidFile
from server.corrections import publishing as gold_publishing, service as gold
from server.phases.feedback import Feedback
from server.planning import phase_editing, public_items
from server.releases import creation as release_creation, service as releases
from server.scoring import service as scoring
from server.scoring.models import PartScore
from server.submissions import feedback
from server.tasks.models import Level
from tests.server.round_trip import bring, packed, unpack
from tests.server.small_task import GOLD, GOOD, TASK, write_bundle
from tests.server.visitors import words
from tests.server.world import AFTER, CLOSES, DURING, OPENS, World

BETTER, BEST = b"0.5\n1.2\n2.5\n3.9\n", b"0.12\n1.4\n2.6\n3.9\n"
FAR = b"4\n1\n3.5\n2\n"
"""Far from the gold."""


def rules(kind: Feedback, **changed: object) -> phase_editing.PhaseEdit:
    edit = {"title": "Evaluation", "opens": OPENS, "closes": CLOSES, "grace_hours": 72, "runs_per_team": 2}
    edit |= {"files_per_level": None, "files_per_day": None, "feedback": kind}
    return phase_editing.PhaseEdit(**(edit | changed))  # type: ignore[arg-type]  # values of several kinds


def show(world: World, kind: Feedback, **changed: object) -> None:
    """Let the evaluation show this."""
    with db.writing(world.session):
        phase_editing.edit_phase(
            world.session, world.actor("ada"), world.phase(), rules(kind, **changed), OPENS, sure=True
        )


def declare(world: World, percent: int = 50) -> None:
    with db.writing(world.session):
        ada = world.actor("ada")
        public_items.declare_public_items(world.session, ada, world.phase(), percent, "7", OPENS)


def exact(data: bytes, level: str = "p2s") -> float:
    return pearson([float(value) for value in GOLD[level]], [float(line) for line in data.split()])


def seen(world: World, data: bytes = GOOD, by: str = "bo") -> dict[str, float | None] | None:
    """What a team is shown of a file that it sends."""
    submission = world.upload(world.run(), "p2s", data)
    shown = feedback.visible_scores(world.session, world.actor(by), submission)
    return None if shown is None else {score.metric: score.value for score in shown}


def test_rounded_scores_have_exactly_the_configured_decimal_places(world: World) -> None:
    show(world, "rounded", feedback_places=2)
    assert seen(world, FAR) == {"pearson": round(exact(FAR), 2), "spearman": -0.4}
    shown = world.client("bo").get(f"/tasks/small/submissions/{world.upload(world.run(), 's2p').id}").text
    digits = repr(exact(GOOD, "s2p"))
    assert digits[:5] in shown or f"{exact(GOOD, 's2p'):.2f}".replace("-", "−") in shown
    assert digits[:8].lstrip("-") not in shown
    assert "rounded to 2 decimal places" in shown


def test_the_ladder_shows_the_best_so_far_of_the_whole_team(world: World) -> None:
    show(world, "ladder", ladder_step=0.01)
    assert seen(world, FAR) == {"pearson": round(round(exact(FAR) / 0.01) * 0.01, 10)}
    first = round(round(exact(GOOD) / 0.01) * 0.01, 10)
    assert seen(world, GOOD) == {"pearson": first}
    other = world.upload(world.run("two"), "p2s", FAR)
    shown = feedback.visible_scores(world.session, world.actor("cy"), other)
    assert shown is not None
    assert [(score.value, score.exact) for score in shown] == [(first, False)]
    assert "|ladder:0.01|" in shown[0].signature


def test_with_public_items_the_board_uses_the_private_items(world: World) -> None:
    declare(world)
    show(world, "public-part")
    listed = world.client().get("/tasks/small/data/p2s.test.public.tsv").text
    public = [int(line.removeprefix("News-")) - 1 for line in listed.split()]
    rest = [place for place in range(4) if place not in public]
    gold, run = [float(value) for value in GOLD["p2s"]], [float(line) for line in BEST.split()]
    shown = seen(world, BEST)
    assert shown is not None
    assert shown["pearson"] == pearson([gold[k] for k in public], [run[k] for k in public])
    (row,) = boards.phase_board(world.session, world.phase()).official
    cell = row.cells["p2s"]["pearson"]
    assert (cell.value, cell.n) == (pearson([gold[k] for k in rest], [run[k] for k in rest]), 2)
    everything = feedback.visible_scores(world.session, world.actor("ada"), world.upload(world.run(), "p2s"))
    assert [score.part for score in everything or ()] == [None, None, "public", "public", "rest", "rest"]


def test_groups_are_drawn_whole_for_metrics_within_groups(world: World) -> None:
    layout = ItemsLayout(("left", "right", "id", "group"))
    rows = "".join(f"a boat\ta ship\tNews-{k}\t{'' if k == 0 else k % 5}\n" for k in range(12))
    items, level = parse_items(rows.encode(), "items", layout), Level(metrics=["choice_accuracy"])
    assert [unit for _, unit in scoring.list_sampling_units(items, level)][:3] == ["\tNews-0", "1", "2"]
    assert dict(scoring.list_sampling_units(items, Level(metrics=["pearson"])))["News-6"] == "News-6"

    split = tasks.find_split(world.task.levels[0], "test")
    assert split is not None
    stored = world.storage.get(split.items_sha256).decode().splitlines()
    grouped = "".join(f"{row}\tg{k // 2}\n" for k, row in enumerate(stored))
    with db.writing(world.session):
        split.items_sha256 = world.storage.put(grouped.encode())
        split.level.metrics, split.level.layout = ["choice_accuracy"], scoring.layout_values(layout)
    with pytest.raises(Conflict, match="has 2 groups, but a public part needs at least 4"):
        declare(world)
    with pytest.raises(InvalidFile) as refused:
        scoring.parse_parts(world.session, split, b"News-1\nNews-3\n", "public.txt")
    assert [problem.code for problem in refused.value.problems] == ["cut_group", "cut_group"]


def test_public_and_private_scores_follow_a_gold_fix_also_for_baselines(world: World) -> None:
    declare(world)
    show(world, "public-part")
    world.upload(world.run(), "p2s", BEST)
    count = select(func.count()).select_from(PartScore)
    assert world.session.scalar(count) == 2 * 2 * 2 + 2 * 2  # the baseline at two levels, the run at one
    world.fix_gold("p2s", b"3\n2\n1\n0\n")
    assert world.session.scalar(count) == 2 * 2 * 2 + 2 * 2 + 2 * 2 * 2
    (row,) = boards.phase_board(world.session, world.phase()).official
    assert row.cells["p2s"]["pearson"].value == -1.0


def test_public_items_are_declared_before_the_first_file(world: World) -> None:
    with pytest.raises(Conflict, match="First declare which test items"):
        show(world, "public-part")
    world.upload(world.run(), "p2s")
    with pytest.raises(
        Conflict, match="There are submissions on these items, so the public items can no longer be changed"
    ):
        declare(world)


def test_board_rules_are_fixed_once_a_team_has_uploaded_a_file(world: World) -> None:
    declare(world)
    world.upload(world.run(), "p2s")
    with pytest.raises(Conflict, match="you can no longer change which items decide the leaderboard"):
        show(world, "public-part")
    show(world, "rounded", feedback_places=1)


def test_live_board_shows_what_teams_see_and_is_updated_once_a_minute(world: World) -> None:
    show(world, "rounded", feedback_places=1, board="live")
    later = DURING.replace(second=30)
    for data, at in ((GOOD, DURING), (BETTER, later)):
        world.upload(world.run(), "p2s", data, at=at)
        world.work(at)
    newest = releases.find_newest(world.session, world.phase())
    assert newest is not None
    assert (newest.release.number, newest.release.feedback, newest.release.made_at) == (1, "rounded", DURING)
    cell = newest.file.board.official[0].cells["p2s"]["pearson"]
    assert (cell.value, "|places:1|" in (cell.signature or "")) == (round(exact(GOOD), 1), True)
    world.work(DURING.replace(minute=1))
    newest = releases.find_newest(world.session, world.phase())
    assert newest is not None
    assert newest.release.number == 1, "rounded, the second file shows the same board"
    world.upload(world.run(), "p2s", FAR, at=DURING.replace(minute=2))
    world.work(DURING.replace(minute=2))
    page = world.client().get("/tasks/small/boards/evaluation").text
    assert "This leaderboard is <strong>live</strong>" in page
    assert repr(exact(FAR)) not in page
    assert f">{exact(FAR):.1f}</data>".replace("-", "−") in page, "as many digits as were shown, and no more"
    board = json.loads(world.client().get("/tasks/small/boards/evaluation.json").text)
    assert board["official"][0]["levels"]["p2s"]["pearson"]["value"] == round(exact(FAR), 1)


def test_live_board_never_replaces_a_manual_release(world: World) -> None:
    show(world, "scores", board="live")
    world.upload(world.run(), "p2s")
    world.work(DURING)
    world.withdraw_release("a mistake", DURING)
    world.upload(world.run(), "p2s", BEST)
    world.work(AFTER)
    newest = releases.find_newest(world.session, world.phase())
    assert newest is not None
    assert newest.withdrawal is not None
    assert world.release().feedback is None
    world.withdraw(world.upload(world.run("two"), "s2p"))
    world.work(AFTER.replace(minute=5))
    newest = releases.find_newest(world.session, world.phase())
    assert newest is not None
    assert newest.release.number == 2


def test_live_board_shows_baselines_once_the_deadline_has_passed(world: World) -> None:
    show(world, "scores", board="live")
    world.upload(world.run(), "p2s")
    for at, expected in ((DURING, []), (CLOSES, []), (CLOSES + timedelta(seconds=1), ["LCS"])):
        world.work(at)
        newest = releases.find_newest(world.session, world.phase())
        assert newest is not None
        assert [row.run for row in newest.file.board.baselines] == expected
    assert newest.release.number == 2


def test_a_live_board_shows_no_baseline_before_its_phase_opens_and_a_hidden_phase_is_released(
    world: World, tmp_path: Path
) -> None:
    """Corrected gold is no reason to show the scores of known systems against it."""
    opens = AFTER + timedelta(days=9)
    after = f'\n[[phase]]\nslug = "afterwards"\nsplit = "test"\nopens = {opens.isoformat()}\n'
    live = after + 'feedback = "scores"\nboard = "live"\n'
    text = TASK.replace('slug = "small"', 'slug = "later"').replace("\n[[run]]", f"{live}\n[[run]]")
    task = bring(world.site, write_bundle(tmp_path / "later", text))
    _, split = tasks.get_level_split(task, "p2s", "test")
    session = world.session
    prepared = gold.prepare_gold(session, CONSOLE, split, b"3\n2\n1\n0\n", "gold.tsv", "mistyped")
    with db.writing(session):
        version = gold.add_gold(session, CONSOLE, prepared, AFTER)
    world.work(AFTER)
    with db.writing(session):
        gold_publishing.publish_version(session, CONSOLE, version, AFTER)

    def public(at: datetime) -> list[str] | None:
        world.work(at)
        newest = releases.find_newest(session, tasks.get_phase(session, task, "afterwards"))
        return None if newest is None else [row.run for row in newest.file.board.baselines]

    assert public(opens - timedelta(seconds=1)) is None
    assert public(opens + timedelta(seconds=1)) is None, "nothing but a baseline, and nothing is released"
    with db.writing(session):
        evaluation, at = tasks.get_phase(session, task, "evaluation"), opens + timedelta(minutes=5)
        release_creation.release_board(session, CONSOLE, evaluation, at)
    assert public(at) == ["LCS"]


def test_former_live_board_is_marked_and_can_be_made_live_again(world: World) -> None:
    def everywhere() -> list[str]:
        world.session.rollback()
        return [words(world.client("bo").get(f"/tasks/small/{page}")) for page in ("", "boards/evaluation")]

    preview = "/tasks/small/organize/boards/evaluation"
    show(world, "scores", board="live")
    assert "This leaderboard is live, but it is still empty." in everywhere()[1]
    world.upload(world.run(), "p2s")
    world.work(DURING)
    ada = world.client("ada")
    said = words(ada.get(preview))
    assert "If you release results manually, the updates stop" in said
    assert "Make the leaderboard live again" not in said
    asked = words(ada.get(f"{preview}/withdraw"))
    assert "If you withdraw the release, the leaderboard is not updated until you make it live again" in asked
    ada.post(f"{preview}/withdraw", {"reason": "a mistake"})
    assert "The leaderboard was live. The organizers now release it manually." in everywhere()[0]
    ada.post(f"{preview}/live")
    assert all("leaderboard is live" in page for page in everywhere())
    world.upload(world.run(), "p2s", BEST, at=DURING.replace(minute=2))
    world.work(DURING.replace(minute=3))
    assert world.release().number == 4, "also where the live board shows just the same"
    assert "This leaderboard was live. It now shows what the organizers released." in everywhere()[1]
    show(world, "scores")
    show(world, "scores", board="live")
    assert all("leaderboard is live" in page for page in everywhere())
    assert "The leaderboard of" in words(ada.post(f"{preview}/live", follow_redirects=True))
    made = world.session.query(AuditEntry).filter_by(action="board.live").order_by(AuditEntry.number).all()
    assert [entry.details["number"] for entry in made] == [2, 5]


PUBLIC_TASK = (
    TASK.replace('gold = "p2s.test.gold" }', 'gold = "p2s.test.gold", public_items = "public.txt" }')
    .replace('gold = "s2p.test.gold" }', 'gold = "s2p.test.gold", public_items = "public.txt" }')
    .replace('feedback = "hidden"', 'feedback = "public-part"')
    .replace('slug = "small"', 'slug = "parts"')
    .replace('feedback = "scores"', 'feedback = "ladder"\nstep = 0.05\nboard = "live"')
)


def test_public_items_are_imported_and_exported_with_the_bundle(world: World, tmp_path: Path) -> None:
    folder = write_bundle(tmp_path / "parts", PUBLIC_TASK)
    (folder / "public.txt").write_text("News-1\nNews-4\n", encoding="utf-8")
    for level, data in (("p2s", BEST), ("s2p", GOOD)):
        path = folder / "runs" / "birch" / "one" / f"{level}.tsv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    with db.writing(world.session):
        plan = bundles.plan_import(folder)
        task = bundles.import_task(world.session, CONSOLE, plan, [], DURING, published=True)
    by_slug = {slug: tasks.get_phase(world.session, task, slug) for slug in ("practice", "evaluation")}
    practice = by_slug["practice"]
    assert (practice.feedback, practice.ladder_step, practice.board) == ("ladder", 0.05, "live")
    here = boards.board_text(world.session, by_slug["evaluation"])
    out = unpack(packed(world.site, "parts"), tmp_path / "out")
    for bundle in (folder, out):
        again = recompute_board(read_bundle(bundle))
        assert board_json(again, task="parts", title="A small task", split="test") == here
    assert '"n": 2' in here
    assert "|part:rest|" in here
