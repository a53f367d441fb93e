"""A campaign travels in the export of its task: to another site, and nowhere else."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from sqlalchemy import select

from scorer.campaigns.config import Gate
from server import bundles
from server.access import tasks
from server.activity.verification import verify_log
from server.annotation.assignments import leases
from server.annotation.campaigns import creation, service as campaigns
from server.annotation.models import AnnotatorIdentity, AnnotatorKey, Campaign
from server.annotation.results import answer_hashes, exports, figures, gold
from server.core import db
from server.core.actors import CONSOLE
from server.core.errors import InvalidFile
from server.core.site_resources import Site
from tests.server.annotation.annotating import write_campaign
from tests.server.annotation.played import PRIVATE, play_campaign
from tests.server.pages.annotation.test_crowd import come
from tests.server.pages.annotation.test_passes import add_chain, answer_all, join
from tests.server.pages.annotation.test_stages import CHOSEN, begin_stages
from tests.server.round_trip import bring, packed, unpack
from tests.server.world import AFTER, DURING, World

CROWD_KEYS = """kind = "crowd"
person = "PID"
done = "C1DONE"
failed = "C2GATE"
back = "https://platform.example/?cc={code}\""""
GATE = 'calibration = { units = "gate.tsv", need = 1, tries = 2 }'


def find_campaign(site: Site) -> Campaign:
    session = site.session()
    return campaigns.get_campaign(session, CONSOLE, tasks.get_task(session, "small"), "harbour")


def export_answers(site: Site) -> dict[str, bytes]:
    """The files of the campaign's own export, with the gold's hash of answers."""
    session = site.session()
    campaign = find_campaign(site)
    round_ = campaign.rounds[0]
    with TemporaryDirectory() as name:
        exports.write_files(session, round_, Path(name))
        files = {path.name: path.read_bytes() for path in Path(name).rglob("*") if path.is_file()}
    preview = gold.preview_gold(session, campaign)
    missing = leases.missing_slots(session, round_, AFTER)
    return files | {
        "gold": gold.hash_counted(session, preview).encode(),
        "m": repr(missing).encode(),
    }


def test_campaign_has_the_same_answers_figures_and_gold_on_another_site(
    world: World, second_site: Site, tmp_path: Path
) -> None:
    """Its ids differ there, because an organizer tried it here first."""
    session = world.session
    campaign = play_campaign(world, trial=True)
    with db.writing(session):
        gold.add_gold(session, world.actor("ada"), campaign.campaign, AFTER)
    data = packed(world.site)
    folder = unpack(data, tmp_path / "exported")
    bring(second_site, folder)
    again = unpack(packed(second_site), tmp_path / "again")
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            assert (again / path.relative_to(folder)).read_bytes() == path.read_bytes(), path
    assert packed(second_site) == data
    assert export_answers(second_site) == export_answers(world.site)
    texts = []
    for site in (world.site, second_site):
        figures.compute_figures(site, {"round": find_campaign(site).rounds[0].id}, AFTER)
        found = figures.find_figures(site.session(), find_campaign(site).rounds[0])
        assert found is not None
        assert found.current
        texts.append(found.figures)
    assert texts[0] == texts[1]
    answer_hashes.record_due_hashes(second_site, AFTER)
    found_there = verify_log(second_site.session(), [])
    assert (found_there.answers, found_there.problems.listed) == (17, [])


def test_passes_repeats_and_tuples_are_the_same_on_another_site(
    world: World, second_site: Site, tmp_path: Path
) -> None:
    add_chain(world, tmp_path)
    hand = join(world)
    for round_ in ("pilot", "rate"):
        hand.get("/a/1/")
        hand.send(f'value="{round_}"')
        answer_all(hand)
    hand.get("/a/1/")
    hand.send('value="bws"')
    hand.send("ticket", best="1", worst="2")
    data = packed(world.site)
    bring(second_site, unpack(data, tmp_path / "exported"))
    assert packed(second_site) == data
    assert '"best": "d' in (tmp_path / "exported" / "history.json").read_text(encoding="utf-8")


def test_choices_and_written_texts_are_the_same_on_another_site(
    world: World, second_site: Site, tmp_path: Path
) -> None:
    hand = begin_stages(world, tmp_path / "campaign", "choose", "write", "senses")
    hand.send("ticket", **CHOSEN)
    for round_, answer in (("write", {"written": "skiff"}), ("senses", {"sense": "1"})):
        hand.get("/a/1/")
        hand.send(f'value="{round_}"')
        hand.send("ticket", **answer)
    data = packed(world.site)
    bring(second_site, unpack(data, tmp_path / "exported"))
    assert packed(second_site) == data
    assert '"written": "skiff"' in (tmp_path / "exported" / "history.json").read_text(encoding="utf-8")


def test_export_says_nothing_of_who_annotators_are_or_of_who_withdrew(
    world: World, second_site: Site, tmp_path: Path
) -> None:
    """A person who withdrew keeps the assignment, so that nobody gets it again, without an answer."""
    campaign = play_campaign(world)
    heron = world.session.query(AnnotatorIdentity).filter_by(label=PRIVATE[0]).one()
    campaign.withdraw(heron.annotator.name, AFTER)
    folder = unpack(packed(world.site, people="names"), tmp_path / "exported")
    everything = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    keys = world.session.scalars(select(AnnotatorKey.sha256))
    assert not [word for word in (*PRIVATE[:2], *keys) if word.encode() in everything]
    bring(second_site, folder)
    here, there = export_answers(world.site), export_answers(second_site)
    manifests = [json.loads(files.pop("manifest.json")) for files in (here, there)]
    assert here == there
    assert [manifest.pop("withdrawn answers") for manifest in manifests] == [4, 0]
    assert manifests[0] == manifests[1]
    assert second_site.session().query(AnnotatorKey).count() == 0
    identities = second_site.session().query(AnnotatorIdentity).all()
    assert {(row.label, row.email, row.user_id) for row in identities} == {(None, None, None)}


CHANGES = [
    ('"step": 1,', '"step": 9999,', "there is no step 9999"),
    ('"standing": "late"', '"standing": "early"', "must be one of counts, late"),
    ('"round": "harbour/rate"', '"round": "harbour/bws"', 'there is no round "harbour/bws"'),
    ('"supersedes": 1', '"supersedes": 2', "is an answer to another step"),
    ('"slot": 1', '"slot": "one"', "must be a whole number, not 'one'"),
    ('"number": 1, "reason": "first"', '"number": 3, "reason": "first"', "is not the plan"),
    ('"left": "Boat 0 came in.", ', "", "lacks a column"),
    ('"name": "A002"', '"name": "A001"', "two rows have the same campaign, name"),
]


@pytest.mark.one_database
def test_changed_rows_of_a_campaign_are_refused(world: World, tmp_path: Path) -> None:
    play_campaign(world)
    exported = unpack(packed(world.site), tmp_path / "exported")
    path = exported / "history.json"
    rows = path.read_text(encoding="utf-8")
    for old, new, message in CHANGES:
        changed = rows.replace(old, new)
        assert changed != rows, old
        path.write_text(changed, encoding="utf-8")
        with pytest.raises(InvalidFile) as refused:
            bundles.plan_import(exported)
        assert message in str(refused.value.problems)


@pytest.mark.one_database
def test_row_that_refers_to_two_campaigns_is_refused(world: World, second_site: Site, tmp_path: Path) -> None:
    play_campaign(world)
    folder = write_campaign(tmp_path / "quay")
    config = folder / "annotation.toml"
    config.write_text(config.read_text(encoding="utf-8").replace('"harbour"', '"quay"', 1), encoding="utf-8")
    with db.writing(world.session):
        prepared = creation.prepare_campaign(folder)
        creation.add_campaign(world.session, world.actor("ada"), world.task, prepared, DURING)
    data = packed(world.site)
    exported = unpack(data, tmp_path / "exported")
    path = exported / "history.json"
    values = json.loads(path.read_text(encoding="utf-8"))
    assert [campaign["slug"] for campaign in values["campaigns"]] == ["harbour", "quay"]
    bring(second_site, exported)
    assert packed(second_site) == data
    values["annotators"][0]["entry"] = values["annotators"][0]["entry"].replace("harbour/", "quay/")
    path.write_text(json.dumps(values), encoding="utf-8")
    with pytest.raises(InvalidFile) as refused:
        bundles.plan_import(exported)
    assert refused.value.problems[0].message == "annotators[0]: refers to rows of two campaigns"


def test_crowd_and_its_gate_are_the_same_on_another_site_without_keys_and_ids(
    world: World, second_site: Site, tmp_path: Path
) -> None:
    add_prepared(world, write_gate_files(tmp_path / "campaign"))
    worker = come(world)
    for value in (0, 4, 4):  # the first try is missed
        worker.answer(value)
        if "Try again" in worker.page.text:
            worker.get("/a/1/assignments/1/next")
    data = packed(world.site)
    folder = unpack(data, tmp_path / "exported")
    history = json.loads((folder / "history.json").read_text(encoding="utf-8"))
    assert [row["event"] for row in history["assignment_events"]] == ["retry", "passed"]
    assert not any("key_sha256" in row for row in history["unit_answers"])
    bring(second_site, folder)
    assert packed(second_site) == data
    campaign = second_site.session().query(Campaign).one()
    assert (campaign.entries[0].person, campaign.entries[0].failed) == ("PID", "C2GATE")
    assert campaign.rounds[0].rules.gate == Gate(need=1, within=1, tries=2, feedback=False)


def write_gate_files(folder: Path) -> Path:
    """A campaign for a crowd with a gate of one unit."""
    write_campaign(folder, each=1)
    path = folder / "annotation.toml"
    text = path.read_text(encoding="utf-8")
    text = text.replace('kind = "personal"', CROWD_KEYS).replace("seed = 7", f"seed = 7\n{GATE}")
    path.write_text(text, encoding="utf-8")
    (folder / "gate.tsv").write_text("key\tleft\tright\tknown\nz\tA gate.\tA door.\t4\n", encoding="utf-8")
    return folder


def add_prepared(world: World, folder: Path) -> None:
    prepared = creation.prepare_campaign(folder)
    with db.writing(world.session):
        ada = world.actor("ada")
        campaign = creation.add_campaign(world.session, ada, world.task, prepared, DURING)
        campaigns.open_round(world.session, ada, campaign.rounds[0], DURING)
