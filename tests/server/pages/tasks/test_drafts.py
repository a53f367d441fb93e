"""Setting up a task as a draft: its pages in order, what it lacks, until when what can be changed."""

import re
from io import BytesIO
from pathlib import Path

import pytest

from server import bundles
from server.access import service as access, tasks
from server.activity import verification
from server.annotation.campaigns import creation
from server.audit.models import AuditEntry
from server.core import db
from server.core.actors import CONSOLE
from server.core.errors import Conflict
from server.core.site_resources import Site
from server.gold import versions as gold_versions
from server.levels import contents, files, service as levels
from server.levels.files import PreparedLevel, SplitChange
from server.mail import notices
from server.mail.models import Mail
from server.phases.models import Phase
from server.runs.models import Run
from server.submissions import eligibility, service as submissions
from server.submissions.models import Submission
from server.tasks.models import Split, Task
from server.tasks.rules import suggest_slug
from tests.server.annotation.annotating import Annotating, write_campaign
from tests.server.answers import OF_TASKS
from tests.server.drafting import (
    GOLD,
    ITEMS,
    LEVEL,
    PHASE,
    SCALE,
    TEXTS_OF_TASK,
    begin,
    draft_of,
    fill,
    upload,
    with_level,
)
from tests.server.players import Player, play
from tests.server.round_trip import packed, unpack
from tests.server.route_cases import CLOSED
from tests.server.small_task import GOOD
from tests.server.visitors import filled_in, words
from tests.server.world import AFTER, DURING, World

pytestmark = pytest.mark.one_database
GOLD_RULE = 'level = "p2s"\nsplit = "test"\n[gold]\nround = "rate"\nrule = "mean"\nat_least = 2'


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Größe & Ähnlichkeit, 2026", "grosse-ahnlichkeit-2026"),
        ("  -- ", ""),
        ("類似度", ""),
        ("x" * 100, "x" * 64),
    ],
)
def test_short_name_is_suggested_from_the_title(title: str, slug: str) -> None:
    assert suggest_slug(title) == slug


def test_title_that_gives_no_short_name_needs_one(world: World) -> None:
    response = world.client("ada").post("/new-task", {"title": "類似度", "start": "files"})
    assert response.status_code == 422
    assert "The title has no letters from a to z and no digits. Enter a short name." in words(response)
    assert world.session.query(Task).count() == 1


@pytest.mark.parametrize("path", ["/new-task", "levels/new"])
def test_without_a_title_only_the_title_is_asked_for(world: World, path: str) -> None:
    ada, at = begin(world)
    page = words(ada.post(path if path.startswith("/") else at + path, {"left": "a", "right": "b"}))
    assert "Enter a title." in page
    assert "Enter a short name." not in page


def test_organizers_find_new_task_on_the_home_page_and_their_drafts_beside_it(world: World) -> None:
    ada, at = begin(world)
    assert "/new-task" in ada.get("/").text
    assert at.removesuffix("organize/") in ada.get("/").text
    assert "/new-task" in ada.get("/import").text
    assert 'href="#hosting">Host a task' in world.client("dee").get("/").text


@pytest.mark.parametrize(("person", "status"), [("bo", 403), ("dee", 403), (None, 302)])
def test_only_people_who_may_import_tasks_can_begin(world: World, person: str | None, status: int) -> None:
    visitor = world.client(person)
    assert visitor.get("/new-task").status_code == status
    assert visitor.post("/new-task", {"title": "Mine", "start": "files"}).status_code == status
    assert world.session.query(Task).count() == 1


def test_number_of_drafts_of_a_person_is_limited(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "MAX_DRAFTS", 1)
    ada, _at = begin(world)
    response = ada.post("/new-task", {"title": "Another", "start": "files"})
    assert response.status_code == 422
    assert "You have 1 drafts already." in words(response)


def test_person_who_collects_ratings_first_is_led_to_the_level_and_its_campaign(world: World) -> None:
    ada = world.client("ada")
    response = ada.post("/new-task", {"title": "Winds", "start": "ratings"})
    at = f"/tasks/{draft_of(world).slug}/organize/"
    assert response.headers["Location"] == f"{at}levels/new"
    level = ada.post(f"{at}levels/new", LEVEL).headers["Location"]
    assert f'href="{at}campaigns/new"' in ada.get(level).text


def test_task_is_set_up_from_nothing_and_published(world: World) -> None:
    ada, at = begin(world)
    overview = words(ada.get(at))
    assert overview.count(" missing ") == 4  # texts, scale, levels, phases
    for sentence in (
        "Teams need to know who organizes the task and how to reach you.",
        "Enter the lowest and the highest value of the scale.",
        "Add a level.",
        "Add a phase.",
    ):
        assert sentence in overview
        assert sentence in words(ada.get(f"{at}state/published"))
    assert ada.post(f"{at}state/published").headers["Location"] == at
    assert draft_of(world).state == "draft"

    assert ada.post(f"{at}edit", TEXTS_OF_TASK).status_code == 302
    assert ada.post(f"{at}phases/new", {**PHASE, "slug": ""}).status_code == 302  # before there are items
    assert "Evaluation is on the Test items, but no level has any." in words(ada.get(at))
    assert ada.post(f"{at}baselines/evaluation/lcs/add").status_code == 302
    assert ada.post(f"{at}levels/new", LEVEL).status_code == 302
    assert "Paragraph to sentence has no items yet." in words(ada.get(at))
    assert upload(ada, f"{at}levels/p2s/", items=ITEMS, gold=GOLD).status_code == 302
    assert "have problems" not in words(ada.get(at))  # the gold waits for the scale
    assert ada.post(f"{at}scoring", SCALE).status_code == 302
    assert ada.post(f"{at}teams", {"size": "4", "registration": "approved"}).status_code == 302
    overview = words(ada.get(at))
    assert " missing " not in overview
    assert "0 to 4; official metric: Pearson's r" in overview
    assert "at most 4 people; an organizer approves each team" in overview
    assert world.client("dee").get(at.removesuffix("organize/")).status_code == 404

    response = ada.post(f"{at}state/published")
    assert response.headers["Location"] == "/tasks/tides-and-words/organize/"
    world.work(DURING)
    task = tasks.get_task(world.session, "tides-and-words")
    assert [(file.run.baseline, file.level.slug) for file in files_of(world, task)] == [("lcs", "p2s")]
    assert world.client("dee").get("/tasks/tides-and-words/").status_code == 200


def split_of(world: World) -> Split:
    return tasks.get_level_split(world.task, "p2s", "test")[1]


def levels_with_baseline(world: World) -> set[str]:
    files = files_of(world, world.task)
    return {file.level.slug for file in files if file.run.baseline and file.run.phase.split == "test"}


def files_of(world: World, task: Task) -> list[Submission]:
    query = world.session.query(Submission).join(Submission.run).join(Run.phase)
    return query.filter(Phase.task_id == task.id).order_by(Submission.id).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"high": "0"}, "The highest value must be above the lowest."),
        ({"low": "nan"}, "Enter a number from"),
        ({"low": ""}, "Lowest value: Enter a number."),
        ({"step": "0.3"}, "Steps of 0.3 from 0 do not reach 4."),
        ({"labels": "7 much"}, "Outside the scale: 7."),
        ({"step": "9"}, "Enter a number above 0 that is not larger than the scale"),
        ({"labels": "very similar"}, '"very similar": write a number and its label'),
        ({"labels": "1 a\n1.0 b"}, "Give each point one label."),
        ({"run_format": "keyed"}, "Enter the name of the column."),
        ({"official": "bleu"}, "Not a valid choice."),
        ({"confidence": "0"}, "Enter a number above 0."),
        ({"enter_at_least": "0"}, "Enter a number from 1 to 1000000."),
        ({"total": "mean"}, "This total rewards systems that leave out hard levels."),
        ({"total": "weighted"}, "Choose “They have no total” here, or another total"),
        ({"official": "mse"}, "or “Sum” if higher values of the official metric are better."),
    ],
)
def test_contradictory_scale_is_rejected(world: World, change: dict[str, str], message: str) -> None:
    ada, at = begin(world)
    response = ada.post(f"{at}scoring", {**SCALE, **change})
    assert response.status_code == 422
    assert message in words(response)
    assert draft_of(world).scale_min is None


def test_scale_metrics_format_and_total_are_saved_and_shown_again(world: World) -> None:
    ada, level = with_level(world)
    at = level.removesuffix("levels/p2s/")
    form = {
        **SCALE, "confidence": "100", "enter_at_least": "2", "run_format": "keyed", "keyed_id": "pair",
        "keyed_score": "score", "keyed_confidence": "sure", "official": "spearman", "others": "kendall",
    }  # fmt: skip
    assert ada.post(f"{at}scoring", form).status_code == 302
    task = draft_of(world)
    assert task.board_rules == {"total": "sum", "total_needs": "entered", "enter_at_least": 2}
    assert (task.confidence_max, task.labels) == (100, [[0, "unrelated"], [4, "the same"]])
    assert task.keyed == {
        "id": "pair",
        "score": "score",
        "confidence": "sure",
        "delimiter": None,
        "gold": None,
    }
    assert (task.metrics, task.levels[0].metrics) == (["spearman", "kendall"], ["spearman", "kendall"])
    page = ada.get(f"{at}scoring").text
    assert all(f'value="{value}"' in page for value in ("100", "2", "sure"))
    assert "The total does not fit the levels" in words(ada.get(at))  # one level, and two have to be entered
    assert "Nothing was changed." in words(ada.get(ada.post(f"{at}scoring", form).headers["Location"]))


def test_items_can_be_replaced_until_a_file_of_a_team_is_scored(world: World) -> None:
    ada, at = world.client("ada"), "/tasks/small/organize/levels/p2s/"
    items, gold = ITEMS.replace(b"boat", b"raft"), b"1\n2\n3\n4\n"
    before = split_of(world).items_sha256
    page = words(ada.get(at))
    assert "Everyone can download the gold" not in page  # is chosen in a draft alone
    assert "Remove these files" not in page
    kept = {"trial-public_gold": "y"}
    changed = {"test-items": (BytesIO(items), "raft.tsv"), "test-gold": (BytesIO(gold), "gold.tsv")}
    assert ada.post(at, {**kept, **changed}).status_code == 302
    world.session.expire_all()
    split = split_of(world)
    assert world.storage.get(split.items_sha256) == items
    version = gold_versions.find_gold(world.session, split)
    assert version is not None
    assert (version.number, world.storage.get(version.sha256)) == (2, gold)
    (entry,) = world.session.query(AuditEntry).filter_by(action="items.put")
    assert entry.details["items"] == [before, split.items_sha256]
    assert levels_with_baseline(world) == {"s2p"}
    world.work(DURING)
    assert levels_with_baseline(world) == {"p2s", "s2p"}
    with db.reading(world.session):
        assert verification.verify_log(world.session, ()).problems.listed == []

    world.upload(world.run(), "p2s")
    assert "A submission of a team has been scored on the Test items." in words(ada.get(at))
    response = ada.post(at, {**kept, "test-items": (BytesIO(ITEMS), "items.tsv")})
    assert response.status_code == 422
    assert "So these files can no longer be changed." in words(response)
    assert "So the columns can no longer be changed." in words(ada.get(at))
    names = filled_in(ada.get(at), "names-title")
    assert (names["names-slug"], names["names-counts"]) == ("p2s", "y")
    scoring = ada.get("/tasks/small/organize/scoring")
    assert "So they can no longer be changed." in words(scoring)
    assert '<fieldset class="bare" disabled>' in scoring.text
    assert ada.post("/tasks/small/organize/levels/new", LEVEL | {"slug": "x"}).status_code == 422
    assert ada.post(f"{at}edit", {**names, "names-title": "A new title"}).status_code == 302  # titles always
    assert words(world.client().get("/tasks/small/")).count("A new title") > 0


def test_teams_are_told_of_replaced_items_once(world: World) -> None:
    ada, at = world.client("ada"), "/tasks/small/organize/levels/"
    for level in ("p2s", "s2p"):
        items = ITEMS.replace(b"boat", b"raft")
        kept = {"trial-public_gold": "y"} if level == "p2s" else {}
        sent = {**kept, "test-items": (BytesIO(items), "raft.tsv")}
        told = ada.post(f"{at}{level}/", sent, follow_redirects=True)
        assert "Teams get an email about the new items" in words(told)
    world.work(DURING + notices.DELAY)
    mails = world.session.query(Mail).filter_by(subject="Replaced items").all()
    assert [(mail.user_id, mail.kind) for mail in mails] == [
        (world.user(name).id, "announcement") for name in ("bo", "cy")
    ]
    assert "- Paragraph to sentence, test\n- Sentence to phrase, test\n" in mails[0].text


def test_upload_that_was_checked_with_other_items_is_not_stored(world: World) -> None:
    session, bo = world.session, world.actor("bo")
    target = eligibility.find_own_target(session, bo, world.run().id, "p2s", DURING)
    received = eligibility.ReceivedFile(target, GOOD, "run.tsv")
    prepared = submissions.prepare_file(session, bo, received, DURING)
    put_items(world, ITEMS.replace(b"boat", b"raft"))
    with pytest.raises(Conflict, match="were changed while your file was checked"), db.writing(session):
        submissions.submit_file(session, bo, prepared, DURING)


def test_items_that_a_file_was_scored_on_meanwhile_are_not_replaced(world: World) -> None:
    level = levels.get_level(world.task, "p2s")
    state = contents.read_level(world.session, level)
    raft = ITEMS.replace(b"boat", b"raft")
    upload = contents.SplitFile(world.storage.put(raft), len(raft))
    prepared = files.prepare_level(state, world.storage, {"test": SplitChange({"items": upload})})
    world.upload(world.run(), "p2s")
    with pytest.raises(Conflict, match="A submission of a team has been scored"):
        put(world, prepared)


def put(world: World, prepared: PreparedLevel) -> None:
    with db.writing(world.session):
        level = levels.get_level(world.task, "p2s")
        files.put_level(world.session, world.actor("ada"), level, prepared, DURING)


def put_items(world: World, items: bytes, gold: bytes | None = None) -> None:
    level = levels.get_level(world.task, "p2s")
    state = contents.read_level(world.session, level)
    sent = {"items": items} | ({} if gold is None else {"gold": gold})
    uploads = {kind: contents.SplitFile(world.storage.put(data), len(data)) for kind, data in sent.items()}
    put(world, files.prepare_level(state, world.storage, {"test": SplitChange(uploads)}))


def test_draft_does_not_exist_for_the_organizer_of_another_task(world: World) -> None:
    play(world, CLOSED)
    draft = draft_of(world).slug
    player = Player(world, "co-organizer")
    player.visitor.get("/")  # shows what signing in had to say
    for case in OF_TASKS:
        if "slug" in next(world.app.url_map.iter_rules(case.endpoint)).arguments:
            answers = []
            for slug in (draft, "nowhere~99"):
                player.parts["slug"] = slug
                response = player.send(case)
                content = re.sub(rb'(name="csrf_token"[^>]*value=")[^"]*', rb"\1", response.data)
                answers.append((response.status_code, content.replace(slug.encode(), b"")))
            assert answers[0] == answers[1], case
            assert answers[0][0] in (302, 404), case


def test_every_page_and_export_opens_for_a_draft_without_anything(world: World) -> None:
    play(world, CLOSED)
    begin(world)
    player = Player(world, "organizer")
    player.parts["slug"] = draft_of(world).slug
    statuses = {}
    for case in sorted(OF_TASKS, key=lambda case: case.method != "GET"):  # before a form deletes the draft
        if "slug" in next(world.app.url_map.iter_rules(case.endpoint)).arguments:
            statuses[case.method, case.endpoint] = player.send(case).status_code
    assert {status for status in statuses.values() if status >= 500} == set()
    opened = {endpoint for (method, endpoint), status in statuses.items() if (method, status) == ("GET", 200)}
    assert opened >= {
        "dashboard.show", "tasks.show", "task_rules.show", "levels.index", "task_scoring.edit",
        "task_editing.edit_task", "phases.add", "baselines.show", "gold.upload", "campaigns.index",
        "campaigns.create", "log.task", "roles.people", "dry_runs.test",
    }  # fmt: skip
    world.work(DURING)


def test_overview_says_that_another_task_has_the_short_name(world: World) -> None:
    ada, at = begin(world, slug="small")
    assert 'Another task has the short name "small". Rename this one.' in words(ada.get(at))


def test_items_of_a_campaign_are_not_uploaded_beside_it_until_it_was_closed_too_early(
    world: World, tmp_path: Path
) -> None:
    ada, at = with_level(world, None)
    annotating = add_campaign(world, tmp_path)
    response = upload(ada, at, items=ITEMS, gold=GOLD)
    assert response.status_code == 422
    assert "The Test items are those of the campaign How similar are these sentences?." in words(response)
    assert "is for Paragraph to sentence, so this level keeps its short name" in words(ada.get(at))
    annotating.open()
    annotating.work(*annotating.join())
    annotating.close()
    page = words(ada.get(at))
    assert "is closed. Make its gold standard to get its items, or upload other items here." in page
    assert "keeps its short name" not in page
    assert upload(ada, at, items=ITEMS, gold=GOLD).status_code == 302
    assert "4 items, 3 with a gold label." in words(ada.get(at))
    assert "are those of the campaign" in words(ada.get(at))  # which may be annotated again in another one


def test_campaign_proposes_the_scale_and_its_gold_is_made_public_on_the_page_of_its_level(
    world: World, tmp_path: Path
) -> None:
    ada, at = with_level(world, None, scale=False)
    annotating = add_campaign(world, tmp_path)
    here = f"{at.removesuffix('levels/p2s/')}campaigns/harbour"
    annotating.open()
    for name in annotating.join(4):
        annotating.work(name)
    assert "Make the gold standard" not in words(ada.get(f"{here}/"))
    annotating.close()
    assert f'href="{here}/results?round=rate#gold">Make the gold standard' in ada.get(f"{here}/").text
    assert "The task has no scale yet. Save its scale" in words(ada.get(f"{here}/results"))
    page = f"{at.removesuffix('levels/p2s/')}scoring"
    form = filled_in(ada.get(page), "low")
    assert [float(form[name]) for name in ("low", "high", "step")] == [0, 4, 1]
    assert ada.post(page, form).status_code == 302
    assert ada.post(f"{here}/results/gold").status_code == 302
    assert "has not been made yet" not in words(ada.get(f"{here}/"))
    form = filled_in(ada.get(at), "columns-roles-0")
    assert "test-items" not in form
    assert ada.post(at, {**form, "test-public_gold": "y"}).status_code == 302
    (split,) = draft_of(world).levels[0].splits
    assert split.public_gold
    response = upload(ada, at, public=True, items=ITEMS)
    assert "So these files can no longer be changed." in words(response)


def test_files_with_problems_can_be_removed_once_a_file_of_a_team_was_scored(world: World) -> None:
    ada, at = world.client("ada"), "/tasks/small/organize/levels/p2s/"
    kept = {"trial-public_gold": "y"}
    assert ada.post(at, {**kept, "test-gold": (BytesIO(b"1\n"), "gold.tsv")}).status_code == 302
    world.upload(world.run(), "p2s")
    page = words(ada.get(at))
    assert "The new files are not used yet, and those before them stay in use." in page
    assert "Remove the files that are not used" in page
    assert ada.post(at, {**kept, "test-remove": "y"}).status_code == 302
    assert "has problems" not in words(ada.get(at))
    gold = gold_versions.find_gold(world.session, split_of(world))
    assert gold is not None
    assert gold.number == 1


def add_campaign(world: World, tmp_path: Path) -> Annotating:
    """A campaign that makes the test items of the only level of a draft."""
    annotating = Annotating(world, task_slug=draft_of(world).slug)
    annotating.add(creation.prepare_campaign(write_campaign(tmp_path / "campaign", gold=GOLD_RULE)))
    return annotating


def test_form_from_before_a_change_is_refused_once_and_says_what_was_changed(world: World) -> None:
    ada, at = fill(world)
    for path, action, field, first, second, label in (
        ("edit", "", "licence", "CC0", "CC BY-SA", "Licence of the data"),
        ("scoring", "", "confidence", "2", "3", "Highest confidence"),
        ("levels/p2s/", "edit", "names-title", "A to B", "B to A", "Title"),
        ("levels/p2s/", "", "columns-roles-2", "ignored", "genre", "the columns"),
        ("teams", "", "size", "3", "4", "Maximum number of members"),
        ("phases/evaluation/edit", "", "runs_per_team", "4", "5", "Runs per team"),
        ("rename", "", "title", "Tides", "Words", "Title"),
    ):
        page = at + path
        form = filled_in(ada.get(page), field)
        assert ada.post(page + action, {**form, field: first}).status_code == 302, path
        assert ada.post(page + action, {**form, field: first}).status_code == 302, "a second click"
        refused = ada.post(page + action, {**form, field: second})
        assert refused.status_code == 422, path
        assert f"in another tab or by someone else: {label}." in words(refused)
        typed = filled_in(refused, field)
        assert typed[field] == second, path
        assert ada.post(page + action, typed).status_code == 302, path
        assert filled_in(ada.get(page), field)[field] == second, path


def test_field_that_was_left_keeps_what_another_tab_saved(world: World) -> None:
    ada, at = fill(world)
    for path, action, first, second in (
        ("edit", "", {"licence": "CC0"}, {"title": "Tides"}),
        ("scoring", "", {"confidence": "2"}, {"labels": "4 = the same"}),
        ("levels/p2s/", "edit", {"names-title": "A to B"}, {"names-left": "letter"}),
        ("teams", "", {"size": "3"}, {"registration": "approved"}),
        ("phases/evaluation/edit", "", {"runs_per_team": "4"}, {"title": "Main phase"}),
    ):
        page = at + path
        form = filled_in(ada.get(page), next(iter(first)))
        for changed in (first, second):
            assert ada.post(page + action, form | changed).status_code == 302, (path, changed)
        saved = filled_in(ada.get(page), next(iter(first)))
        assert saved.items() >= (first | second).items(), path


def test_form_of_a_removed_level_or_phase_says_that_another_one_has_its_short_name(world: World) -> None:
    ada, at = fill(world)
    for page, action, field, new, values in (
        ("levels/p2s/", "edit", "names-title", "levels/new", LEVEL),
        ("phases/evaluation/edit", "", "runs_per_team", "phases/new", PHASE),
    ):
        form = filled_in(ada.get(at + page), field)
        assert ada.post(f"{at}{page.removesuffix('edit')}remove").status_code == 302, page
        assert ada.post(at + new, values).status_code == 302, page
        refused = ada.post(at + page + action, form | {field: "5"})
        assert refused.status_code == 422, page
        assert "someone else: all of it, which was removed and added again." in words(refused)
        assert ada.post(at + page + action, filled_in(refused, field)).status_code == 302, page


@pytest.mark.both_databases
def test_form_of_a_draft_that_was_deleted_in_another_tab_gives_back_what_was_typed(world: World) -> None:
    ada, at = begin(world)
    assert ada.post(f"{at}delete").status_code == 302
    begin(world)  # has the same short name, and another address
    secrets = dict.fromkeys(("password", "new_password_confirm", "code"), "a secret of twenty letters")
    texts = {**TEXTS_OF_TASK, "title": "Tides", "description": "A long text about <tides>"}
    texts["made_from"] = "title:1f2e3d4c"
    response = ada.post(f"{at}edit", texts | secrets)
    assert response.status_code == 404
    assert "There is no such task." in words(response)
    assert "If this was a draft of yours, it was deleted meanwhile." in words(response)
    assert "Back to the form" not in response.text
    assert draft_of(world).title == "Tides and words"
    assert "title:" not in response.text
    assert ">Tides</textarea>" in response.text
    assert "A long text about &lt;tides&gt;</textarea>" in response.text
    assert "a secret of twenty letters" not in response.text
    assert draft_of(world).description == ""


def test_task_with_replaced_items_is_exported_and_imported(
    world: World, second_site: Site, tmp_path: Path
) -> None:
    put_items(world, ITEMS + b"a fifth pair\tof two texts\tNews-5\n", GOLD + b"1\n")
    world.work(DURING)
    world.upload(world.run(), "p2s", b"1\n2\n3\n4\n4\n")
    folder = unpack(packed(world.site), tmp_path / "exported")
    plan = bundles.plan_import(folder)
    session = second_site.session()
    bundles.keep_files(second_site.storage, plan)
    with db.writing(session):
        bundles.import_task(session, CONSOLE, plan, [], AFTER, published=True)
    split = tasks.get_level_split(tasks.get_task(session, "small"), "p2s", "test")[1]
    gold = gold_versions.find_gold(session, split)
    assert gold is not None
    assert (split.n_items, gold.number) == (5, 2)
