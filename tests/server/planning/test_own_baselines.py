"""Baselines that the organizers computed themselves: uploaded, described, and treated as the site's own."""

from datetime import timedelta
from importlib import resources
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from click.testing import CliRunner

from scorer.cli.__main__ import cli
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
from server.levels import contents, files, service as levels
from server.planning import baselines
from server.planning.baselines import BaselineFile
from server.runs.models import Run
from server.submissions.models import Receipt, Rejection, Submission
from tests.server.evidence.test_evidence import kept
from tests.server.players import give_token
from tests.server.round_trip import bring, packed, unpack
from tests.server.small_task import GOOD, TASK, variant, write_bundle
from tests.server.visitors import words
from tests.server.world import AFTER, DURING, World, max_queries

PATH = "/tasks/small/organize/baselines"
NEW = f"{PATH}/evaluation/own"
API = "/api/v1/tasks/small/phases/evaluation/baselines"
TEXTS = {
    "method": "averaged word vectors",
    "version": "6B",
    "resources": "Wikipedia 2014",
    "licence": "PDDL 1.0",
    "command": "scorer baseline vectors items.tsv --vectors glove.6B.50d.txt",
}


def add_own(world: World, files: dict[str, bytes] | None = None, phase: str = "evaluation") -> int:
    """Add GloVe, and return the id of its run."""
    files = {"p2s": GOOD} if files is None else files
    with db.writing(world.session):
        run = baselines.save_own(
            world.session,
            world.actor("ada"),
            world.phase(phase),
            None,
            "GloVe",
            TEXTS,
            [BaselineFile(level, data, f"{level}.tsv") for level, data in files.items()],
            DURING,
        )
        return run.id


def parts(*files: tuple[str, bytes]) -> dict[str, list[tuple[BytesIO, str]]]:
    return {"file": [(BytesIO(data), name) for name, data in files]}


def values_of(world: World, name: str = "GloVe") -> dict[str, float]:
    """The value of a baseline at each level that it enters."""
    for row in boards.phase_board(world.session, world.phase()).baselines:
        if row.run == name:
            cells = {slug: cells["pearson"].value for slug, cells in row.cells.items()}
            return {slug: value for slug, value in cells.items() if isinstance(value, float)}
    raise LookupError(name)


@pytest.mark.one_database
def test_organizer_uploads_and_describes_a_baseline(world: World) -> None:
    ada = world.client("ada")
    assert f'href="{NEW}"' in ada.get(PATH).text
    form = {"name": "GloVe", **TEXTS, **parts(("p2s.tsv", GOOD), ("s2p.tsv", b"1\nhigh\n3\n4\n"))}
    refused = ada.post(NEW, form)
    assert refused.status_code == 422
    page = words(refused)
    assert "Rejected: 1 file has problems." in page
    assert "s2p.tsv → Sentence to phrase Line 2" in page
    assert 'Score "high" is not a number' in page
    assert TEXTS["command"] in page, "the form keeps what was written"
    assert world.session.query(Run).filter(Run.name == "GloVe").count() == 0

    assert ada.post(NEW, {"name": "GloVe", **TEXTS, **parts(("p2s.tsv", GOOD))}).status_code == 302
    run = world.session.query(Run).filter(Run.name == "GloVe").one()
    page = words(ada.get(PATH))
    assert "Baselines: LCS, GloVe." in page
    assert "GloVe: files uploaded by organizers. None for: Sentence to phrase." in page
    page = words(ada.get(f"/tasks/small/runs/{run.id}/"))
    assert "A baseline uploaded by the organizers." in page
    assert all(text in page for text in TEXTS.values())
    assert values_of(world).keys() == {"p2s"}


@pytest.mark.one_database
def test_organizer_renames_replaces_and_removes_a_baseline(world: World) -> None:
    add_own(world)
    ada, run = world.client("ada"), world.session.query(Run).filter(Run.name == "GloVe").one()
    own = f"{NEW}/{run.id}"
    change = {"name": "GloVe 50", **TEXTS, "version": "6B, 50 dimensions"}
    assert ada.post(own, change | parts(("s2p.tsv", variant(1)))).status_code == 302
    assert values_of(world, "GloVe 50").keys() == {"p2s", "s2p"}
    assert world.session.get_one(Run, run.id).version == "6B, 50 dimensions"
    n_files = world.session.query(Submission).filter(Submission.run_id == run.id).count()
    ada.post(own, change | parts(("s2p.tsv", variant(1))))
    assert world.session.query(Submission).filter(Submission.run_id == run.id).count() == n_files

    ada.post(f"{PATH}/evaluation/{run.id}/remove", {})
    assert "GloVe 50 was removed from Evaluation. You can add it again." in words(ada.get(PATH))
    with pytest.raises(LookupError):
        values_of(world, "GloVe 50")
    ada.post(f"{PATH}/evaluation/{run.id}/add", {})
    assert values_of(world, "GloVe 50").keys() == {"p2s", "s2p"}
    log = words(ada.get("/tasks/small/organize/log"))
    assert "ada added the baseline GloVe 50 to Evaluation" in log
    assert "ada removed the baseline GloVe 50 from Evaluation" in log
    assert "ada edited the run GloVe 50: name; version" in log
    assert "ada uploaded submission" in log
    for model in (Receipt, Rejection):
        assert world.session.query(model).count() == 0
    with db.reading(world.session):
        assert verification.verify_log(world.session, ()).problems.listed == []


@pytest.mark.one_database
def test_programs_upload_replace_and_remove_a_baseline(world: World) -> None:
    client, headers = world.app.test_client(), {"Authorization": f"Bearer {give_token(world, 'ada')}"}

    def send(*files: tuple[str, bytes], **form: str) -> dict[str, object]:
        data = {"name": "GloVe", **form, **parts(*files)}
        answer = client.post(API, headers=headers, data=data, content_type="multipart/form-data")
        assert answer.json is not None
        return {**answer.json, "status": answer.status_code}

    bad = send(("p2s.tsv", b"1\n2\n3\n"))
    assert (bad["status"], bad["code"]) == (422, "run_refused")
    assert send()["status"] == 422, "a new baseline needs a file"
    stored = send(("p2s.tsv", GOOD), **TEXTS)
    assert (stored["status"], stored["baseline"], stored["team"]) == (201, "own", "organizers")
    assert {name: stored[name] for name in TEXTS} == TEXTS
    changed = send(("s2p.tsv", GOOD), licence="PDDL")
    assert (changed["id"], changed["licence"], changed["version"]) == (stored["id"], "PDDL", "6B")
    assert values_of(world).keys() == {"p2s", "s2p"}
    uploaded = {"id": stored["id"], "name": "GloVe", "removed": False}
    assert client.get(API, headers=headers).json["uploaded"] == [uploaded]
    assert client.delete(f"{API}/{stored['id']}", headers=headers).status_code == 204
    assert client.get(API, headers=headers).json["uploaded"] == [{**uploaded, "removed": True}]
    assert client.post(f"{API}/{stored['id']}", headers=headers).status_code == 204
    assert client.post(f"{API}/{stored['id']}", headers=headers).json["code"] == "conflict"
    lcs = world.session.query(Run).filter(Run.baseline == "lcs", Run.phase_id == world.phase().id).one()
    assert client.delete(f"{API}/{lcs.id}", headers=headers).status_code == 404, "it is named lcs"


def test_file_with_ids_is_refused_as_a_team_would_be(world: World) -> None:
    ada, ids = world.client("ada"), b"1\t0.5\n2\t0.25\n3\t1\n4\t0.75\n"
    form = {"name": "GloVe", **TEXTS}
    page = ada.post(NEW, form | parts(("p2s.tsv", ids)))
    assert page.status_code == 422
    assert "The first column has the scores. Accept it although it looks like ids." in words(page)
    assert ada.post(NEW, form | parts(("p2s.tsv", ids)) | {"first_is_score": "y"}).status_code == 302
    assert values_of(world)["p2s"] == pytest.approx(1)


def test_file_is_aligned_even_if_the_runs_of_the_task_are_keyed(world: World) -> None:
    example = Path(str(resources.files("scorer.bundles") / "examples" / "keyed"))
    session, ada = world.session, world.client("ada")
    with db.writing(session):
        plan, people = bundles.plan_import(example), [world.user("ada")]
        task = bundles.import_task(session, CONSOLE, plan, people, DURING, published=True)
    path = f"/tasks/{task.slug}/organize/baselines/evaluation/own"
    assert "Files of baselines have one score per line, in the order of the items, and no ids." in words(
        ada.get(path)
    )
    keyed = (example / "runs" / "elm" / "run1" / "relatedness.csv").read_bytes()
    refused = ada.post(path, {"name": "GloVe", **parts(("relatedness.csv", keyed))})
    assert refused.status_code == 422
    aligned = b"".join(b"%d\n" % (n % 5 + 1) for n in range(task.levels[0].splits[-1].n_items))
    assert ada.post(path, {"name": "GloVe", **parts(("relatedness.tsv", aligned))}).status_code == 302
    phase = tasks.get_phase(world.session, tasks.get_task(world.session, "example-keyed"), "evaluation")
    assert sorted(row.run for row in boards.phase_board(world.session, phase).baselines) == ["GloVe", "LCS"]


def test_baseline_waits_for_gold_and_is_scored_again_with_a_correction(world: World, tmp_path: Path) -> None:
    text = TASK.replace('slug = "small"', 'slug = "bare"').replace(', gold = "p2s.test.gold"', "")
    plan, session, ada = (
        bundles.plan_import(write_bundle(tmp_path / "bare", text)),
        world.session,
        world.actor,
    )
    with db.writing(session):
        task = bundles.import_task(session, CONSOLE, plan, [world.user("ada")], DURING, published=False)
        phase = tasks.get_phase(session, task, "evaluation")
        file = BaselineFile("p2s", GOOD, "p2s.tsv")
        baselines.save_own(session, ada("ada"), phase, None, "GloVe", {}, [file], DURING)

    def value() -> object:
        rows = boards.phase_board(session, phase).baselines
        return next(row.cells["p2s"]["pearson"].value for row in rows if row.run == "GloVe")

    assert not isinstance(value(), float)
    split = tasks.get_level_split(task, "p2s", "test")[1]
    prepared = gold.prepare_gold(session, ada("ada"), split, b"0\n1\n2\n4\n", "gold.tsv", "it is there")
    with db.writing(session):
        gold.add_gold(session, ada("ada"), prepared, DURING)
    first = value()
    assert isinstance(first, float)
    prepared = gold.prepare_gold(session, ada("ada"), split, b"4\n2\n1\n0\n", "gold.tsv", "it was reversed")
    with db.writing(session):
        version = gold.add_gold(session, ada("ada"), prepared, DURING)
    world.work(DURING)
    world.publish_gold(version)
    assert value() == pytest.approx(-first, abs=0.1)


def test_other_metrics_score_the_files_again(world: World) -> None:
    add_own(world)
    task = world.task
    level = task.levels[0]
    edit = levels.LevelEdit(level.slug, level.title, tuple(level.sides), level.counts, ("spearman",))
    with db.writing(world.session):
        levels.edit_level(world.session, world.actor("ada"), level, edit, DURING)
    rows = {row.run: row for row in boards.phase_board(world.session, world.phase()).baselines}
    assert rows["GloVe"].cells["p2s"]["spearman"].value == pytest.approx(1)
    entry = world.session.query(AuditEntry).order_by(AuditEntry.number.desc()).first()
    assert entry is not None
    assert len(entry.details["baselines"]) == 3, "two of LCS, and GloVe's"
    assert "ada scored again submission" in words(world.client("ada").get("/tasks/small/organize/log"))


def put_files(world: World, **given: bytes) -> None:
    """What the page of a level does with new files of its test split."""
    level, storage = world.task.levels[0], world.storage
    uploads = {
        kind: contents.SplitFile(storage.put(data), len(data), f"{kind}.tsv") for kind, data in given.items()
    }
    state = contents.read_level(world.session, level)
    prepared = files.prepare_level(state, storage, {"test": files.SplitChange(uploads)})
    with db.writing(world.session):
        files.put_level(world.session, world.actor("ada"), world.task.levels[0], prepared, DURING)
    world.work(DURING)


def test_gold_of_the_same_items_scores_the_file_and_other_items_delete_it(world: World) -> None:
    run_id = add_own(world)
    before = values_of(world)["p2s"]
    put_files(world, gold=b"4\n3\n1\n0\n")
    assert before > 0.9 > -0.9 > values_of(world)["p2s"]
    put_files(world, items=b"".join(b"a boat\tthe boat\tNew-%d\n" % n for n in range(4)))
    submitted = world.session.query(Submission).join(Run).filter(Run.phase_id == world.phase().id)
    assert {file.run.name for file in submitted if file.level.slug == "p2s"} == {"LCS"}
    assert submitted.filter(Run.id == run_id).count() == 0
    assert "None for: Paragraph to sentence, Sentence to phrase." in words(world.client("ada").get(PATH))
    with db.reading(world.session):
        assert verification.verify_log(world.session, ()).problems.listed == []


def test_name_and_files_are_fixed_by_a_release_and_the_description_is_not(world: World) -> None:
    run_id, ada = add_own(world), world.client("ada")
    world.upload(world.run(), "p2s")
    world.release(AFTER)
    assert ada.post(NEW, {"name": "Other", **TEXTS, **parts(("p2s.tsv", GOOD))}).status_code == 422
    page = words(ada.get(f"{NEW}/{run_id}"))
    assert "Results have been released, so the name and the files can no longer be changed." in page
    form = {**TEXTS, "name": "Other", "licence": "PDDL", **parts(("s2p.tsv", GOOD))}
    assert ada.post(f"{NEW}/{run_id}", form).status_code == 302
    run = world.session.get_one(Run, run_id)
    assert (run.name, run.licence) == ("GloVe", "PDDL")
    assert values_of(world).keys() == {"p2s"}
    for name, sent in (("Other", []), (None, [BaselineFile("s2p", GOOD, "s2p.tsv")])):
        with pytest.raises(Conflict, match="can no longer be changed"), db.writing(world.session):
            baselines.save_own(
                world.session, world.actor("ada"), world.phase(), run_id, name, TEXTS, sent, AFTER
            )


def test_only_organizers_save_a_baseline(world: World) -> None:
    run_id = add_own(world)
    world.give_role("dee", "observer")
    for name in ("dee", "bo"):
        with pytest.raises(Forbidden), db.writing(world.session):
            baselines.save_own(
                world.session, world.actor(name), world.phase(), run_id, None, {"method": "x"}, [], DURING
            )
    assert "averaged word vectors" in words(world.client("dee").get(f"/tasks/small/runs/{run_id}/"))
    assert world.client("bo").get(f"/tasks/small/runs/{run_id}/").status_code == 404


def test_release_before_the_last_deadline_hides_the_baseline(world: World) -> None:
    add_own(world)
    world.upload(world.run(), "p2s")
    early = world.release(DURING)
    assert "GloVe" not in early.board
    late = world.release(AFTER + timedelta(days=5))
    assert "GloVe" in late.board
    address = "/tasks/small/boards/evaluation/releases/{}/system?of=baseline/organizers/GloVe"
    assert world.client().get(address.format(early.number)).status_code == 404
    page = words(world.client().get(address.format(late.number)))
    assert "Baseline: scored, but not ranked." in page
    assert all(text in page for text in TEXTS.values())
    assert "Only the team and the organizers can see this." not in page


@pytest.mark.both_databases
def test_baseline_survives_an_export_and_an_import(world: World, second_site: Site, tmp_path: Path) -> None:
    add_own(world, {"p2s": GOOD, "s2p": variant(1)})
    world.upload(world.run(), "p2s")
    data = packed(world.site)
    folder = unpack(data, tmp_path / "out")
    text = (folder / "task.toml").read_text(encoding="utf-8")
    assert text.count('baseline = "own"') == 1
    assert 'licence = "PDDL 1.0"' in text
    session, task = second_site.session(), bring(second_site, folder)
    phase = tasks.get_phase(session, task, "evaluation")
    assert boards.board_text(session, phase) == boards.board_text(world.session, world.phase())
    assert packed(second_site) == data
    printed = CliRunner().invoke(cli, ["board", str(folder), "--format", "json"])
    assert printed.stdout == boards.board_text(world.session, world.phase())
    (folder / "task.toml").write_text(text.replace('baseline = "own"\n', ""), encoding="utf-8")
    with pytest.raises(Exception, match="problem") as refused:
        bundles.plan_import(folder)
    assert "GloVe" in str(refused.value.problems)  # type: ignore[attr-defined]  # InvalidFile has them


def test_copy_of_a_task_has_the_baseline_with_its_files(world: World) -> None:
    add_own(world)
    session, ada = world.session, world.actor("ada")
    shift = timedelta(days=364)
    with bundles.plan_copy(session, ada, world.task, "again", shift) as plan, db.writing(session):
        copy = bundles.add_copy(session, ada, world.task, plan, AFTER)
    run = session.query(Run).filter(Run.name == "GloVe", Run.phase.has(task_id=copy.id)).one()
    assert (run.baseline, run.licence) == ("own", "PDDL 1.0")
    (file,) = session.query(Submission).filter(Submission.run_id == run.id)
    assert world.storage.get(file.sha256) == GOOD


def test_evidence_has_the_file_and_is_verified_offline(world: World, tmp_path: Path) -> None:
    with db.writing(world.session):
        world.phase().runs_public = True
    add_own(world)
    world.upload(world.run(), "p2s")
    world.release(AFTER + timedelta(days=5), opens_gold=True)
    path = kept(world.site, tmp_path)
    with ZipFile(path) as archive:
        (own,) = [name for name in archive.namelist() if name.endswith("GloVe/p2s.tsv")]
        assert archive.read(own) == GOOD
    found = CliRunner().invoke(cli, ["verify", str(path)])
    assert found.exit_code == 0, found.output
    assert "The baseline GloVe has files from the organizers, which are not recomputed." in found.stdout
    assert "board.json was recomputed from the items, gold labels and runs. It is the same" in found.stdout
    assert "no receipt" not in found.stdout


def test_page_takes_no_more_queries_for_more_baselines(world: World) -> None:
    add_own(world)
    ada = world.client("ada")
    ada.get(PATH)
    with max_queries(world, 100) as few:
        ada.get(PATH)
    add_own(world, phase="practice")
    with db.writing(world.session):
        baselines.save_own(world.session, world.actor("ada"), world.phase(), None, "SIF", TEXTS, [], DURING)
    with max_queries(world, len(few)):
        ada.get(PATH)
