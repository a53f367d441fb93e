"""Adding and removing a phase's baselines until results are released."""

from pathlib import Path
from typing import Any

import pytest

from server import bundles
from server.access import tasks
from server.activity import verification
from server.audit.models import AuditEntry
from server.boards import service as boards
from server.core import db
from server.core.actors import CONSOLE
from server.core.errors import Conflict, Forbidden
from server.core.site_resources import Site
from server.corrections import service as gold
from server.levels import baseline_files
from server.planning import baselines, phase_editing, task_states
from server.planning.inputs import PHASE_DEFAULTS, read_phase_edit
from server.runs.models import Run
from server.scoring.baselines import BASELINES, BaselineName, compute_baseline
from server.scoring.models import Score
from server.submissions.models import Submission
from server.tasks.rules import TaskState
from tests.server.players import give_token
from tests.server.round_trip import bring, packed, unpack
from tests.server.small_task import TASK, write_bundle
from tests.server.visitors import words
from tests.server.world import DURING, World

PATH = "/tasks/small/organize/baselines"


def add(world: World, name: BaselineName = "gst", phase: str = "evaluation", by: str = "ada") -> None:
    with db.writing(world.session):
        baselines.add_baseline(world.session, world.actor(by), world.phase(phase), name, DURING)
    baseline_files.compute_missing(world.site, {"task": world.task.id}, DURING)


def remove(world: World, name: BaselineName = "lcs", phase: str = "evaluation", by: str = "ada") -> None:
    with db.writing(world.session):
        baselines.remove_baseline(world.session, world.actor(by), world.phase(phase), name, DURING)


def on_board(world: World, phase: str = "evaluation") -> list[str]:
    return [row.run for row in boards.phase_board(world.session, world.phase(phase)).baselines]


def files_of(world: World, baseline: str, slug: str = "small") -> dict[tuple[str, str], str]:
    """The hashes of the files of a baseline, by phase and level."""
    query = world.session.query(Submission).join(Run).filter(Run.baseline == baseline)
    return {
        (file.run.phase.slug, file.level.slug): file.sha256
        for file in query
        if file.run.team.task.slug == slug
    }


def test_added_baseline_is_scored_and_shown_and_removed_one_is_not(world: World) -> None:
    assert on_board(world) == ["LCS"]
    add(world)
    assert sorted(on_board(world)) == ["GST", "LCS"]
    assert on_board(world, "practice") == ["LCS"]
    remove(world)
    assert on_board(world) == ["GST"]
    remove(world, "gst")
    assert on_board(world) == []
    add(world, "lcs")
    assert on_board(world) == ["LCS"]
    actions = world.session.query(AuditEntry).filter(AuditEntry.action.like("baseline.%"))
    assert [(entry.action, entry.details) for entry in actions.order_by(AuditEntry.number)] == [
        ("baseline.add", {"phase": "evaluation", "baseline": "gst"}),
        ("baseline.remove", {"phase": "evaluation", "baseline": "lcs"}),
        ("baseline.remove", {"phase": "evaluation", "baseline": "gst"}),
        ("baseline.add", {"phase": "evaluation", "baseline": "lcs"}),
    ]
    with db.reading(world.session):
        assert verification.verify_log(world.session, ()).problems.listed == []


def test_added_baseline_has_the_files_of_an_imported_one(world: World, tmp_path: Path) -> None:
    add(world)
    add(world, "gst", "practice")
    both = TASK.replace('slug = "small"', 'slug = "both"')
    both += '\n[[run]]\nteam = "organizers"\nname = "GST"\nbaseline = "gst"\n'
    plan = bundles.plan_import(write_bundle(tmp_path / "both", both))
    with db.writing(world.session):
        bundles.import_task(world.session, CONSOLE, plan, [], DURING, published=True)
    added = files_of(world, "gst")
    assert set(added) == {("evaluation", "p2s"), ("evaluation", "s2p"), ("practice", "p2s")}
    assert added == files_of(world, "gst", "both")


def test_removed_baseline_is_restored_with_scores_of_newer_gold(world: World) -> None:
    remove(world)
    world.fix_gold("p2s", b"3.875\n2.625\n1.375\n0.125\n")
    before = files_of(world, "lcs")
    add(world, "lcs")
    assert files_of(world, "lcs") == before
    row = boards.phase_board(world.session, world.phase()).baselines[0]
    assert isinstance(row.cells["p2s"]["pearson"].value, float)


def test_baseline_is_scored_against_a_gold_candidate_by_jobs(world: World) -> None:
    version = world.bring_gold("p2s", b"3.875\n2.625\n1.375\n0.125\n")
    world.work(DURING)
    add(world)
    query = world.session.query(Score).join(Submission).join(Run)
    scored = query.filter(Run.baseline == "gst", Score.gold_version_id == version.id)
    assert scored.count() == 0
    world.work(DURING)
    assert scored.count() > 0


def test_phase_that_was_added_later_can_get_baselines(world: World) -> None:
    edit = read_phase_edit({**PHASE_DEFAULTS, "title": "Afterwards"})
    with db.writing(world.session):
        phase_editing.add_phase(
            world.session, world.actor("ada"), world.task, "afterwards", "test", edit, DURING
        )
    entry = baselines.get_baselines(world.session, world.actor("ada"), world.task, "afterwards")
    assert (entry.names, entry.released) == ((), False)
    for name in BASELINES:
        add(world, name, "afterwards")
    assert sorted(on_board(world, "afterwards")) == sorted(BASELINES.values())


def test_baseline_of_a_draft_without_gold_is_scored_with_the_first_gold(world: World, tmp_path: Path) -> None:
    text = TASK.replace('slug = "small"', 'slug = "bare"').replace(', gold = "p2s.test.gold"', "")
    plan, ada = bundles.plan_import(write_bundle(tmp_path / "bare", text)), world.actor("ada")
    session = world.session
    with db.writing(session):
        people = [world.user("ada")]
        task = bundles.import_task(session, CONSOLE, plan, people, DURING, published=False)
    phase = tasks.get_phase(session, task, "evaluation")
    with db.writing(session):
        baselines.add_baseline(session, ada, phase, "gst", DURING)
    baseline_files.compute_missing(world.site, {"task": task.id}, DURING)
    split = tasks.get_level_split(task, "p2s", "test")[1]
    data = b"0.125\n1.375\n2.625\n3.875\n"
    prepared = gold.prepare_gold(session, ada, split, data, "gold.tsv", "it is there")
    with db.writing(session):
        gold.add_gold(session, ada, prepared, DURING)
    values = {
        row.run: row.cells["p2s"]["pearson"].value for row in boards.phase_board(session, phase).baselines
    }
    assert set(values) == {"GST", "LCS"}
    assert all(isinstance(value, float) for value in values.values())


@pytest.mark.parametrize("state", ["draft", "published"])
def test_baselines_change_in_drafts_and_published_tasks(world: World, state: TaskState) -> None:
    if state == "draft":
        with db.writing(world.session):
            task_states.change_state(world.session, world.actor("ada"), world.task, "draft", DURING)
    add(world)
    remove(world)
    assert on_board(world) == ["GST"]


def test_baselines_of_an_archived_task_do_not_change(world: World) -> None:
    with db.writing(world.session):
        task_states.change_state(world.session, world.actor("ada"), world.task, "archived", DURING)
    with pytest.raises(Conflict, match="archived"):
        add(world)
    assert "Add GST" not in words(world.client("ada").get(PATH))


def test_baselines_do_not_change_after_a_release_even_a_withdrawn_one(world: World) -> None:
    world.upload(world.run(), "p2s")
    world.release(DURING)
    world.withdraw_release(at=DURING)
    words_ = "Results of Evaluation have been released, so its baselines can no longer be changed."
    for change in (add, remove):
        with pytest.raises(Conflict, match=words_):
            change(world)
    page = world.client("ada").post(f"{PATH}/evaluation/lcs/remove", {})
    assert page.status_code == 302
    shown = words(world.client("ada").get(PATH))
    assert "Results have been released, so the baselines can no longer be changed." in shown
    assert shown.count("Remove LCS") == 1, "the practice phase has no release"
    add(world, "gst", "practice")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda world: add(world, "lcs"), "Evaluation already has the baseline LCS."),
        (lambda world: remove(world, "gst"), "Evaluation does not have the baseline GST."),
    ],
)
def test_change_that_changes_nothing_is_refused(world: World, change: Any, message: str) -> None:
    with pytest.raises(Conflict, match=message):
        change(world)


def test_only_organizers_change_baselines(world: World) -> None:
    world.give_role("dee", "observer")
    for change in (add, remove):
        with pytest.raises(Forbidden):
            change(world, by="dee")
        with pytest.raises(Forbidden):
            change(world, by="bo")
    assert on_board(world) == ["LCS"]


def test_buttons_add_and_remove_a_baseline(world: World) -> None:
    ada = world.client("ada")
    assert f'href="{PATH}"' in ada.get("/tasks/small/organize/systems").text
    assert "Baselines: LCS. You can add and remove baselines until results are released." in words(
        ada.get(PATH)
    )
    assert ada.post(f"{PATH}/evaluation/gst/add", {}).status_code == 302
    page = words(ada.get(PATH))
    assert "GST was added to Evaluation." in page
    assert "GST is not computed for Paragraph to sentence yet." in page
    world.work(DURING)
    assert sorted(on_board(world)) == ["GST", "LCS"]
    assert ada.post(f"{PATH}/evaluation/lcs/remove", {}).status_code == 302
    assert "LCS was removed from Evaluation. You can add it again." in words(ada.get(PATH))
    assert on_board(world) == ["GST"]
    assert ada.post(f"{PATH}/evaluation/bleu/add", {}).status_code == 404
    log = words(ada.get("/tasks/small/organize/log"))
    assert "ada added the baseline GST to Evaluation" in log
    assert "ada removed the baseline LCS from Evaluation" in log
    assert "The site computed submission" in log


@pytest.mark.one_database
def test_programs_read_add_and_remove_baselines(world: World) -> None:
    client, path = world.app.test_client(), "/api/v1/tasks/small/phases/evaluation/baselines"
    headers = {"Authorization": f"Bearer {give_token(world, 'ada')}"}
    assert client.get(path, headers=headers).json == {
        "present": ["lcs"],
        "uploaded": [],
        "released": False,
    }
    assert client.post(f"{path}/gst", headers=headers).status_code == 204
    assert client.delete(f"{path}/lcs", headers=headers).status_code == 204
    assert client.get(path, headers=headers).json["present"] == ["gst"]
    assert client.post(f"{path}/gst", headers=headers).json["code"] == "conflict"
    unknown = client.post(f"{path}/bleu", headers=headers)
    assert (unknown.status_code, unknown.json["detail"]) == (
        404,
        "There is no such baseline. Choose one of: lcs, gst, tfidf.",
    )
    world.upload(world.run(), "p2s")
    world.release(DURING)
    assert client.get(path, headers=headers).json["released"] is True
    assert client.delete(f"{path}/gst", headers=headers).status_code == 409


def test_removed_baseline_stays_removed_in_an_export(world: World, second_site: Site, tmp_path: Path) -> None:
    add(world)
    remove(world)
    data = packed(world.site)
    folder = unpack(data, tmp_path / "out")
    text = (folder / "task.toml").read_text(encoding="utf-8")
    assert text.count('baseline = "lcs"') == 1, "of the practice phase"
    assert text.count('baseline = "gst"') == 1
    imported = bring(second_site, folder)
    phase = tasks.get_phase(second_site.session(), imported, "evaluation")
    assert [row.run for row in boards.phase_board(second_site.session(), phase).baselines] == ["GST"]
    assert packed(second_site) == data


def test_missing_dictionary_is_a_rejection_and_shown_where_the_baseline_is_missing(world: World) -> None:
    split = tasks.get_level_split(world.task, "p2s", "test")[1]
    with db.writing(world.session):
        split.level.senses_sha256 = world.storage.put(b"no table of senses\n")
    with pytest.raises(Conflict, match="GST cannot be computed for Paragraph to sentence: "):
        compute_baseline(world.session, split, "gst")
    with db.writing(world.session):
        baseline_files.compute_again(world.session, CONSOLE, world.task, [split.level], DURING)
    world.work(DURING)
    page = words(world.client("ada").get(PATH))
    assert "Baselines could not be computed. LCS cannot be computed for Paragraph to sentence: " in page
