"""Creating a campaign, and the organizers' pages of it."""

from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from sqlalchemy import JSON, select, type_coerce

from scorer.campaigns.assignments import Plan
from scorer.campaigns.reader import read_campaign
from scorer.campaigns.workload import estimate_workload
from server.activity import verification
from server.annotation.campaigns import creation, overview
from server.annotation.models import AnnotationRound, Campaign
from server.annotation.results import answer_hashes
from server.core import db
from server.core.zips import write_members
from tests.scorer.small_campaign import CHAIN, write_chain
from tests.server.annotation.annotating import GOLD, Annotating, finish_upload, write_campaign
from tests.server.commands import Assay
from tests.server.visitors import words
from tests.server.world import DURING, World, count_rows

pytestmark = pytest.mark.one_database

CAMPAIGNS = "/tasks/small/organize/campaigns/"
HARBOUR = f"{CAMPAIGNS}harbour/"


def uploads(folder: Path) -> dict[str, object]:
    """All files of a campaign, as a browser sends them."""
    files = [(BytesIO(path.read_bytes()), path.name) for path in sorted(folder.iterdir())]
    return {"file": files}


def zipped(folder: Path) -> dict[str, object]:
    """The files of a campaign in one zip, in a folder."""
    target = BytesIO()
    write_members(target, [(f"campaign/{path.name}", path.read_bytes()) for path in sorted(folder.iterdir())])
    return {"file": (BytesIO(target.getvalue()), "campaign.zip")}


@pytest.mark.parametrize("packed", [uploads, zipped])
def test_campaign_is_created_from_files_or_a_zip_and_its_plan_can_be_downloaded(
    world: World, tmp_path: Path, packed: object
) -> None:
    ada = world.client("ada")
    assert "No campaigns yet." in words(ada.get(CAMPAIGNS))
    (tmp_path / "campaign").mkdir()
    folder = write_campaign(tmp_path / "campaign", gold=GOLD)
    said = words(finish_upload(world, ada, ada.post(f"{CAMPAIGNS}new", packed(folder))))
    assert "The campaign was created." in said
    assert "6 pairs × 2 annotators = 12" in said
    assert "4, each with 3 pairs" in said
    assert "not open yet" in words(ada.get(CAMPAIGNS))
    assert "People who consent to annotate cannot be in a team of this task." in said
    plan = Plan.from_json(ada.get(f"{HARBOUR}plan-1.json").data)
    assert [len(assignment.steps) for assignment in plan.assignments] == [3] * 4
    again = finish_upload(world, ada, ada.post(f"{CAMPAIGNS}new", packed(folder)))
    assert "Rejected: This task already has a campaign" in words(again)


def mark(path: Path) -> None:
    """Begin a file with a byte order mark, as some editors do."""
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())


def test_byte_order_mark_in_each_file_changes_nothing(world: World, tmp_path: Path, assay: Assay) -> None:
    folder = write_campaign(tmp_path / "campaign", units=6)
    for path in folder.iterdir():
        mark(path)
    ada = world.client("ada")
    created = finish_upload(world, ada, ada.post(f"{CAMPAIGNS}new", uploads(folder)))
    assert "6 pairs × 2 annotators = 12" in words(created)
    ada.post(f"{HARBOUR}delete")
    assert assay("campaign", "add", "small", folder).exit_code == 0
    (people := tmp_path / "people.txt").write_text("Teal <teal@example.org>\n")
    mark(people)
    printed = assay("campaign", "links", "small", "harbour", "--people", people)
    assert printed.output.startswith("A001\tTeal\t")


def test_units_that_differ_from_the_items_of_the_split_and_equal_texts_are_pointed_out(
    world: World, tmp_path: Path
) -> None:
    folder = write_campaign(tmp_path, gold=GOLD)
    with (folder / "pairs.tsv").open("a") as file:
        file.write("News-1\tBoat 0 came in.\tShip 0 arrived.\tsecret\n")
    Annotating(world).add(creation.prepare_campaign(folder))
    said = words(world.client("ada").get(HARBOUR))
    assert "1 row has the same texts as an earlier one." in said
    assert "6 texts of the campaign have ids that no item of the split has." in said
    assert "3 items of the split are not in the campaign and get no gold label." in said


def test_scale_outside_the_scale_of_the_task_is_refused_if_the_task_gets_the_gold(
    world: World, tmp_path: Path
) -> None:
    folder = write_campaign(tmp_path, gold=GOLD)
    config = (folder / "annotation.toml").read_text()
    wide = config.replace("max = 4", "max = 6").replace('"4"', '"6"')
    (folder / "annotation.toml").write_text(wide)
    ada = world.client("ada")
    refused = finish_upload(world, ada, ada.post(f"{CAMPAIGNS}new", uploads(folder)))
    assert "The gold labels of the campaign, from 0 to 6, are not within the task's scale, 0 to 4" in words(
        refused
    )
    (folder / "annotation.toml").write_text(wide.replace(GOLD, ""))
    accepted = finish_upload(world, ada, ada.post(f"{CAMPAIGNS}new", uploads(folder)))
    assert "The campaign was created." in words(accepted)


def test_invalid_files_are_rejected_with_every_problem(world: World, tmp_path: Path) -> None:
    folder = write_campaign(tmp_path)
    config = (folder / "annotation.toml").read_text()
    (folder / "annotation.toml").write_text(config.replace("answers = 2", "answers = 0\npasses = 2"))
    (folder / "consent.en.md").unlink()
    ada = world.client("ada")
    said = words(finish_upload(world, ada, ada.post(f"{CAMPAIGNS}new", uploads(folder))))
    assert "Nothing was changed." in said
    for part in ("answers", "passes", "consent"):
        assert part in said.split("Rejected:")[1].split("An example of")[0]


def test_rules_are_plain_json_in_the_database_and_the_configuration_in_code(
    world: World, tmp_path: Path
) -> None:
    config = read_campaign(write_chain(tmp_path))
    Annotating(world).add(creation.prepare_campaign(tmp_path))
    stored = select(type_coerce(AnnotationRound.rules, JSON)).where(AnnotationRound.slug == "rate")
    (rules,) = world.session.scalars(stored)
    assert {"entries", "units_file", "tuples_file", "passes", "scale"} <= set(rules)
    later = {"show": ["left_context", "right_context"], "after_hours": 72, "remind_hours": [72, 96]}
    question = {"en": "How similar are the two marked sentences?"}
    assert rules["passes"][1] == {"slug": "dependent", **later, "question": question}
    assert (rules["scale"], rules["labels"]) == ([0, 6, 1], {"en": [[0, "different"], [6, "the same"]]})
    assert rules["calibration"] == {"each_pass": True, "gate": None}
    assert rules["repeats"] == {"n": 1, "from_round": "pilot", "or_main": True}
    gold = world.session.scalar(select(type_coerce(Campaign.gold_rule, JSON)))
    assert gold == {"round": "rate", "pass": "dependent", "rule": "mean", "at_least": 2}
    world.session.expire_all()
    campaign = world.session.query(Campaign).one()
    assert campaign.gold_rule == config.gold
    for round_, expected in zip(campaign.rounds, config.rounds, strict=True):
        assert asdict(round_.rules).items() <= asdict(expected).items()


@pytest.mark.parametrize("each_pass", ["true", "false"])
def test_site_and_scorer_estimate_the_same_time_for_a_round(
    world: World, tmp_path: Path, each_pass: str
) -> None:
    calibration = f'{{ units = "calibration.tsv", each_pass = {each_pass} }}'
    write_chain(tmp_path, annotation=CHAIN.replace('{ units = "calibration.tsv" }', calibration))
    Annotating(world).add(creation.prepare_campaign(tmp_path))
    campaign = world.session.query(Campaign).one()
    for round_, config in zip(campaign.rounds, read_campaign(tmp_path).rounds, strict=True):
        figures = overview.read_figures(world.session, round_)
        workload = estimate_workload(config, overview.SECONDS_PER_UNIT)
        assert figures.hours == workload.hours
        assert figures.minutes_each == workload.steps * overview.SECONDS_PER_UNIT / 60


def test_only_the_files_that_the_configuration_names_are_kept(world: World, tmp_path: Path) -> None:
    folder = write_campaign(tmp_path)
    (folder / "gold.tsv").write_text("4\n")
    Annotating(world).add(creation.prepare_campaign(folder))
    kept = world.storage.get(Annotating(world).campaign.bundle_sha256)
    with ZipFile(BytesIO(kept)) as archive:
        names = [Path(name).name for name in archive.namelist()]
    assert names == ["annotation.toml", "consent.en.md", "guide.en.md", "pairs.tsv"]


def test_organizer_opens_pauses_and_closes_a_campaign_and_the_log_says_so(
    world: World, tmp_path: Path
) -> None:
    Annotating(world).add(creation.prepare_campaign(write_campaign(tmp_path)))
    ada = world.client("ada")
    assert "was never opened" in words(ada.post(f"{HARBOUR}close", follow_redirects=True))
    for change, state in (("open", "open"), ("pause", "paused"), ("open", "open")):
        assert ada.post(f"{HARBOUR}{change}").status_code == 302
        assert f"How similar are these sentences? {state}" in words(ada.get(HARBOUR))
    asked = words(ada.get(f"{HARBOUR}close"))
    assert "never count" in asked
    assert "12 of 12 answers are still missing." in asked
    ada.post(f"{HARBOUR}close")
    assert "closed" in words(ada.get(CAMPAIGNS))
    assert "cannot be opened again" in words(ada.post(f"{HARBOUR}open", follow_redirects=True))
    log = words(ada.get("/tasks/small/organize/log"))
    for sentence in (
        "ada created the campaign harbour with 6 pairs or tuples in 4 assignments",
        "ada opened round rate of harbour",
        "ada paused round rate of harbour",
        "ada closed round rate of harbour",
    ):
        assert sentence in log


def test_texts_are_shown_as_annotators_see_them(world: World, tmp_path: Path) -> None:
    Annotating(world).add(creation.prepare_campaign(write_campaign(tmp_path)))
    page = world.client("ada").get(f"{HARBOUR}texts")
    said = words(page)
    assert "How similar are the two sentences?" in said
    assert "Boat 0 came in." in said
    assert "secret-0" not in page.text
    assert "do not see the columns wanted" in said
    assert "<em>meaning</em>" in page.text


def test_observers_see_a_campaign_and_change_nothing_and_teams_do_not_know_of_it(
    world: World, tmp_path: Path
) -> None:
    Annotating(world).add(creation.prepare_campaign(write_campaign(tmp_path)))
    world.give_role("dee", "observer")
    dee, bo = world.client("dee"), world.client("bo")
    for page in ("", "texts", "people", "consent", "plan-1.json"):
        assert dee.get(HARBOUR + page).status_code == 200
        assert bo.get(HARBOUR + page).status_code == 403
    assert "<button" not in dee.get(f"{HARBOUR}people").text.split("<main")[1]
    for act in ("open", "pause", "close", "try", "people/add/students", "people/names", "consent"):
        assert dee.post(HARBOUR + act).status_code == 403, act


def test_trial_annotator_is_one_per_organizer_with_a_new_link_each_time(world: World, tmp_path: Path) -> None:
    campaign = Annotating(world)
    campaign.add(creation.prepare_campaign(write_campaign(tmp_path)))
    ada = world.client("ada")
    links = [ada.post(f"{HARBOUR}try").location for _ in range(2)]
    assert len(set(links)) == 2
    assert all(link.startswith("/a/me/") for link in links)
    campaign.consent("T001")
    first = campaign.take("T001")  # before the campaign is open
    while campaign.answer(first):
        pass
    campaign.open()
    names = campaign.join(4)
    assert sorted(len(campaign.work(name)) for name in names) == [3, 3, 3, 3]
    assert "4 annotators" in words(ada.get(HARBOUR))


def test_campaign_can_be_deleted_with_its_links_and_trials_until_someone_begins(
    world: World, tmp_path: Path
) -> None:
    prepared = creation.prepare_campaign(write_campaign(tmp_path))
    campaign, ada = Annotating(world), world.client("ada")
    before = count_rows(world)
    campaign.add(prepared)
    campaign.join()
    ada.post(f"{HARBOUR}try")
    campaign.consent("T001")
    campaign.answer(campaign.take("T001"))
    answer_hashes.record_hash(world.site, {"campaign": campaign.campaign.id}, DURING)
    ada.post(f"{HARBOUR}results/dataset", {"at_least": "1", "seed": "1", "expected": ""})

    assert "delete the campaign" in words(ada.get(HARBOUR))
    assert "This cannot be undone." in words(ada.get(f"{HARBOUR}delete"))
    assert "was deleted" in words(ada.post(f"{HARBOUR}delete", follow_redirects=True))
    assert count_rows(world) == before
    assert ada.get(HARBOUR).status_code == 404

    campaign.add(prepared)  # the slug is free again
    campaign.open()
    campaign.take(campaign.join()[0])
    assert "delete the campaign" not in words(ada.get(HARBOUR))
    rejection = "An annotator has begun, so the campaign cannot be deleted."
    assert rejection in words(ada.get(f"{HARBOUR}delete"))
    assert rejection in words(ada.post(f"{HARBOUR}delete", follow_redirects=True))
    with db.reading(world.session):
        assert verification.verify_log(world.session, ()).problems.listed == []


def test_new_consent_text_is_a_new_version_that_annotators_have_to_accept(
    world: World, tmp_path: Path
) -> None:
    campaign = Annotating(world)
    campaign.add(creation.prepare_campaign(write_campaign(tmp_path)))
    campaign.open()
    (name,) = campaign.join()
    ada = world.client("ada")
    assert "Your ratings are published" in ada.get(f"{HARBOUR}consent").text
    assert ada.post(f"{HARBOUR}consent", {"en-text": " "}).status_code == 422
    same = {"en-text": "You rate sentences. **Your ratings are published** under a pseudonym."}
    assert "the text of the current version" in words(
        ada.post(f"{HARBOUR}consent", same, follow_redirects=True)
    )
    saved = ada.post(f"{HARBOUR}consent", {"en-text": "You rate *more*."}, follow_redirects=True)
    assert "Version 2" in words(saved)
    with pytest.raises(Exception, match="consent to the text"):
        campaign.take(name)
    campaign.consent(name)
    campaign.take(name)


@pytest.mark.usefixtures("world")
def test_campaign_is_added_listed_opened_and_closed_by_command(tmp_path: Path, assay: Assay) -> None:
    folder = write_campaign(tmp_path / "campaign")
    added = assay("campaign", "add", "small", folder)
    assert added.exit_code == 0, added.output
    assert "6 pairs, 12 answers, 4 assignments of 3 pairs." in added.output
    for act, state in (("open", "open"), ("pause", "paused"), ("close", "closed")):
        assert assay("campaign", act, "small", "harbour").output == f"Campaign harbour is {state}.\n"
        assert assay("campaign", "list", "small").output.startswith(f"harbour\trate\t{state}\t1\t")
    refused = assay("campaign", "open", "small", "harbour")
    assert refused.exit_code == 1
    assert "cannot be opened again" in refused.stderr


@pytest.mark.usefixtures("world")
def test_links_are_printed_once_by_command(tmp_path: Path, assay: Assay) -> None:
    assert assay("campaign", "add", "small", write_campaign(tmp_path / "campaign")).exit_code == 0
    printed = assay("campaign", "links", "small", "harbour", "--count", 3).output.splitlines()
    assert [line.split("\t")[:2] for line in printed] == [["A001", ""], ["A002", ""], ["A003", ""]]
    assert all("\thttp" in line and "/a/me/" in line for line in printed)
    people = tmp_path / "people.txt"
    people.write_text("Teal <teal@example.org>\n")
    (line,) = assay("campaign", "links", "small", "harbour", "--people", people).output.splitlines()
    assert line.startswith("A004\tTeal\t")
    again = assay("campaign", "links", "small", "harbour", "--people", people)
    assert again.exit_code == 1
    assert "have a link already: teal@example.org" in again.stderr
    people.write_text("no@domain\n")
    assert (
        "cannot be read: no@domain"
        in assay("campaign", "links", "small", "harbour", "--people", people).stderr
    )
    assert assay("campaign", "links", "small", "harbour").exit_code == 2
    refused = assay("campaign", "links", "small", "harbour", "--count", 1, "--entry", "x")
    assert refused.exit_code == 1
