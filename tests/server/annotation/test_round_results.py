"""The results of rounds with two passes, calibration units and repeats, and of rounds with tuples."""

import csv
import io
import json
from contextlib import chdir
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from click.testing import CliRunner
from sqlalchemy import select

from scorer.cli.__main__ import cli
from server.access import tasks
from server.annotation.answers.questions import order_candidates
from server.annotation.campaigns import consents, people, service as campaigns
from server.annotation.models import (
    AnnotationRound,
    AnnotatorIdentity,
    AnswerText,
    Campaign,
    RoundDataSet,
    RoundFigures,
    Step,
    UnitAnswer,
)
from server.annotation.results import figures, gold, known_gold
from server.annotation.results.figure_tables import FIGURES
from server.core import db
from server.corrections import service as gold_service
from server.gold.versions import find_gold
from server.tasks.models import Split
from tests.scorer.small_campaign import CHAIN, CHAIN_FILES
from tests.server.annotation.chained import PAGE, TUPLES_GOLD, Chain, add_chain
from tests.server.pages.annotation.test_stages import CHOSEN, RESULTS as STAGES, begin_stages
from tests.server.visitors import words
from tests.server.world import AFTER, DURING, OPENS, World


def export(world: World, round_slug: str, folder: Path) -> Path:
    """The folder of ada's export of a round."""
    sent = world.client("ada").get(f"{PAGE}/export.zip", query_string={"round": round_slug})
    assert sent.status_code == 200
    with ZipFile(io.BytesIO(sent.data)) as zipped:
        zipped.extractall(folder)
    return folder / f"small-harbour-in-context-{round_slug}"


def read_table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def run_scorer(folder: Path, *arguments: str) -> str:
    """What the scorer prints in a folder of an export."""
    with chdir(folder):
        result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


FIRST_ROUND = "left\tright\tid\tchoice\trating\n" + "".join(
    f"The boat {key} leaves.\tA boat {key} goes out.\t{key}\t{choice}\t{rating}\n"
    for key, choice, rating in (
        ("a1", "A", 5), ("x1", "A", 6), ("x2", "C", 1), ("a2", "B", 3), ("b1", "B", 2), ("b2", "C", 0),
        ("c1", "A", 4), ("c2", "B", 3),
    )
)  # fmt: skip
"""The pairs of the round, and two others."""

STAGE_FIGURES = {"sorted", "kept", "seconds", "written"}
"""The figures of rounds in which annotators choose or write."""


@pytest.mark.one_database
def test_export_of_two_passes_has_tables_for_every_command_of_its_readme(
    world: World, tmp_path: Path
) -> None:
    chain, names = add_chain(world, tmp_path)
    chain.answer_all("pilot", names)
    chain.answer_all("rate", names)
    chain.close("rate")
    folder = export(world, "rate", tmp_path / "rate")
    free, dependent = (read_table(folder / f"ratings-{slug}.csv") for slug in ("free", "dependent"))
    assert [len(free), len(dependent)] == [12, 12]
    assert {row["block"] for row in free} == {"main"}
    assert [row["unit"] for row in free] == sorted(row["unit"] for row in free)
    calibration = read_table(folder / "calibration-dependent.csv")
    assert [(row["unit"], row["turn"]) for row in calibration] == [("z1", "6")] * 4
    again = read_table(folder / "intra-free.csv")
    assert [row["block"] for row in again] == ["main", "repeat"] * 4
    assert all(row["at"] < after["at"] for row, after in zip(again[::2], again[1::2], strict=True))
    assert {row["unit"][0] for row in again} < set("pqrs")
    answers = [json.loads(line) for line in (folder / "answers.jsonl").read_text().splitlines()]
    firsts = [answer for answer in answers if answer["since"] is None]
    assert {answer["annotator"] for answer in firsts} == set(names)
    assert {answer["since"] for answer in answers if answer["turn"] == 2} == {20.0}
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["outcomes"] == {"calibration": 8, "counted": 24, "repeat": 8}
    (folder / "choices.tsv").write_text(FIRST_ROUND)
    lines = (folder / "README.md").read_text().splitlines()
    commands = [line.split()[1:] for line in lines if line.startswith("    scorer ")]
    printed = {command[0]: run_scorer(folder, *command) for command in commands}
    assert set(printed) == {"figures", "dataset", "assignments"}
    assert "good" in printed["assignments"]
    tables = read_figures(folder)
    by_clock = {row["clock"]: row["seconds"] for row in tables["first_thinking"] if row["pass"] == "free"}
    assert (by_clock["since"], by_clock["visible"] < 20) == (20.0, True)
    assert [row["n"] for figure in ("intra", "intra_joined") for row in tables[figure]] == [4, 4, 8]
    assert (folder / "gold.tsv").read_text().count("\n") == 1 + 6


@pytest.mark.one_database
def test_scores_of_tuples_become_gold_of_their_items(world: World, tmp_path: Path) -> None:
    chain, names = add_chain(world, tmp_path, TUPLES_GOLD, students=8)
    chain.answer_all("bws", names)
    chain.close("bws")
    page = words(world.client("ada").get(f"{PAGE}?round=bws"))
    assert "its best-worst score, from 0 to 1, from the answers that count (round bws)" in page
    folder = export(world, "bws", tmp_path / "bws")
    table = read_table(folder / "bws.csv")
    assert len(table) == 8
    shown = {row["shown"] for row in table}
    assert shown > {"1 2 3"}
    steps = [answer.step for answer in world.session.query(UnitAnswer)]
    orders = {(step.annotator_id, step.unit.key): order_candidates(step) for step in steps}
    answers = [json.loads(line) for line in (folder / "answers.jsonl").read_text().splitlines()]
    assert {tuple(answer["order"]) for answer in answers} == {
        tuple(candidate.key for candidate in order) for order in orders.values()
    }
    options = ["--annotator", "annotator", "--tuple", "tuple", "--group", "group", "--format", "json"]
    scores = json.loads(run_scorer(folder, "bws", "score", "bws.csv", *options))["tables"]["scores"]
    offline = {row["item"]: row["scaled"] for row in scores}
    values = gold.preview_gold(world.session, chain.campaign).values
    assert {key: round(value.value or 0, 10) for key, value in values.items()} == offline
    ada = world.client("ada")
    assert (
        "Minimum number"
        not in ada.post(f"{PAGE}/dataset?round=bws", {"seed": "7"}, follow_redirects=True).text
    )
    world.work(DURING, but=())
    assert "scorer dataset . --out=dataset --seed=7" in ada.get(f"{PAGE}/dataset?round=bws").text
    with ZipFile(io.BytesIO(ada.get(f"{PAGE}/dataset.zip?round=bws").data)) as zipped:
        published = zipped.read("small-harbour-in-context-bws-dataset/test.tsv").decode().splitlines()
    assert sorted(float(line.split("\t")[5]) for line in published[1:]) == sorted(
        value.value or 0 for value in values.values()
    )
    done = words(ada.post(f"{PAGE}/gold?round=bws", follow_redirects=True))
    assert "Gold version 1 was made" in done
    _, split = tasks.get_level_split(world.task, "s2p", "training")
    version = find_gold(world.session, split)
    assert version is not None
    assert "harbour-in-context, round bws: bws of at least" in version.reason
    assert world.storage.get(version.sha256) == (folder / "gold.tsv").read_bytes()
    items = world.storage.get(split.items_sha256).decode().splitlines()
    assert items[-1] == "B: It is late.\tB: Late by 4.\td4"


def add_compared_chain(world: World, folder: Path, students: int = 4) -> tuple[Chain, list[str]]:
    """The chain whose pilot has four units of the main round, and whose expert is a student."""
    config = CHAIN.replace('entries = ["expert"]', 'entries = ["students"]')
    pilot = CHAIN_FILES["pairs.tsv"].partition("c1\t")[0]
    return add_chain(world, folder, config, students, pilot=pilot)


def read_figures(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """The tables of figures that the scorer prints in a folder of an export."""
    tables: dict[str, list[dict[str, Any]]] = json.loads(
        run_scorer(folder, "figures", ".", "--format", "json")
    )["tables"]
    return tables


def compute_figures(world: World, round_slug: str) -> figures.ComputedFigures:
    """The figures of a round, and the page that shows them."""
    round_ = campaigns.get_round(world.session.query(Campaign).one(), round_slug)
    world.session.rollback()
    figures.compute_figures(world.site, {"round": round_.id}, DURING)
    found = figures.find_figures(world.session, round_)
    assert found is not None
    return found


def add_first_round(world: World, round_slug: str) -> None:
    """Add a data set of a round with the pairs of an earlier round, as its job leaves it."""
    round_ = campaigns.get_round(world.session.query(Campaign).one(), round_slug)
    with db.writing(world.session):
        sha256 = world.storage.put(FIRST_ROUND.encode())
        options = {"expected": "A=6,B=3,C=1"}
        row = RoundDataSet(round_id=round_.id, options=options, choices_sha256=sha256, made_at=DURING)
        world.session.add(row)


def add_known_gold(world: World, labels: dict[str, float]) -> None:
    """Give the task items with these texts and labels, on the scale of the campaign."""
    level = tasks.get_level_split(world.task, "p2s", "test")[0]
    pairs = [f"The boat {key} leaves.\tA boat {key} goes out.\t{key}\n" for key in labels]
    with db.writing(world.session):
        world.task.scale_max = 6
        split = Split(
            level=level,
            name="early",
            items_sha256=world.storage.put("".join(pairs).encode()),
            n_items=len(pairs),
            public_gold=False,
            held_out_genres=[],
        )
        world.session.add(split)
        data = "".join(f"{label}\n" for label in labels.values()).encode()
        ada, session = world.actor("ada"), world.session
        version = gold_service.add_version(session, ada, split, data, "", OPENS)
        gold_service.add_event(session, ada, version, "published", "", OPENS)


@pytest.mark.one_database
def test_known_gold_is_that_of_the_same_texts_before_the_campaign(world: World, tmp_path: Path) -> None:
    add_known_gold(world, {"a1": 2, "a2": 5.5, "z9": 1})
    chain, names = add_chain(world, tmp_path)
    chain.answer_all("rate", names)
    known = export(world, "rate", tmp_path / "rate") / "known-gold.tsv"
    assert known.read_text() == "unit\tgold\na1\t2.0\na2\t5.5\n"
    world.fix_gold("p2s", b"1\n1\n1\n", AFTER, "early")
    assert "a1\t2.0\n" in (export(world, "rate", tmp_path / "later") / "known-gold.tsv").read_text()
    with db.writing(world.session):
        world.task.scale_max = 4
    assert not (export(world, "rate", tmp_path / "other") / "known-gold.tsv").exists()
    round_ = world.session.scalars(select(AnnotationRound).where(AnnotationRound.slug == "rate")).one()
    with world.session.no_autoflush:
        world.task.scale_min = world.task.scale_max = None  # a draft without a scale has no gold
        known_gold.write_known_gold(world.session, round_, tmp_path)
    world.session.rollback()
    assert not (tmp_path / "known-gold.tsv").exists()


@pytest.mark.one_database
def test_figures_of_the_page_are_what_its_command_prints_from_the_export(
    world: World, tmp_path: Path
) -> None:
    add_known_gold(world, {"a1": 2, "b2": 5.5})
    chain, names = add_compared_chain(world, tmp_path, students=8)
    for slug, n in (("pilot", 4), ("rate", 4), ("bws", 8), ("expert", 1)):
        chain.answer_all(slug, names[:n])
    add_first_round(world, "rate")
    shown = set()
    for slug in ("rate", "bws"):
        computed, folder = compute_figures(world, slug), export(world, slug, tmp_path / slug)
        if slug == "rate":
            (folder / "choices.tsv").write_text(FIRST_ROUND)
        answer = world.client("ada").get(PAGE, query_string={"round": slug})
        page = words(answer)
        assert ("Error by position" in page, "Subset" in page, "Answers of" in page) == (
            slug == "rate",
            True,
            False,
        )
        shown |= compare_figures(computed, folder, answer.text)
    assert shown == {table.slug for table in FIGURES} - STAGE_FIGURES


def compare_figures(computed: figures.ComputedFigures, folder: Path, page: str) -> set[str]:
    """Compare the figures of a page with those that the scorer prints, and return their slugs."""
    assert (computed.current, computed.missing) == (True, [])
    assert f"<code>{' '.join(computed.command)}</code>" in page
    tables = read_figures(folder)
    for figure in computed.figures:
        offline = [row for row in tables[figure.table.slug] if figure.table.shows(row)]
        assert figure.rows, figure.table.slug
        assert figure.rows == [[row[name] for name in figure.columns] for row in offline]
        drawn = page.partition(f'id="figure-{figure.table.slug}"')[2].partition("</table>")[0]
        assert drawn.count("<tr>") == len(figure.rows) + 1
    return {figure.table.slug for figure in computed.figures}


@pytest.mark.one_database
@pytest.mark.parametrize(
    ("slug", "answer", "figures_of_kind", "commands"),
    [
        ("choose", CHOSEN, {"sorted", "kept", "seconds"}, {"figures", "campaign", "filter", "assignments"}),
        ("write", {"written": "boat"}, {"written", "seconds"}, {"figures", "campaign", "assignments"}),
        ("senses", {"sense": "1"}, {"written", "seconds"}, {"figures", "campaign", "assignments"}),
    ],
)
def test_figures_and_commands_of_what_was_chosen_or_written(
    world: World,
    tmp_path: Path,
    slug: str,
    answer: dict[str, str],
    figures_of_kind: set[str],
    commands: set[str],
) -> None:
    begin_stages(world, tmp_path / "campaign", slug).send("ticket", **answer)
    computed = compute_figures(world, slug)
    ada = world.client("ada")
    with ZipFile(io.BytesIO(ada.get(f"{STAGES}/export.zip?round={slug}").data)) as zipped:
        zipped.extractall(tmp_path)
    folder = tmp_path / f"small-harbour-stages-{slug}"
    page = ada.get(f"{STAGES}?round={slug}").text
    assert compare_figures(computed, folder, page) == figures_of_kind
    assert figures_of_kind <= STAGE_FIGURES
    readme = (folder / "README.md").read_text().splitlines()
    lines = [line.split()[1:] for line in readme if line.startswith("    scorer ")]
    assert {line[0] for line in lines} == commands
    for line in lines:
        if slug == "choose" and line[0] == "campaign":
            line += ["--first", "1"]
        run_scorer(folder, *line)


@pytest.mark.one_database
def test_page_has_the_columns_and_the_roles_of_its_charts(world: World, tmp_path: Path) -> None:
    chain, names = add_compared_chain(world, tmp_path)
    for slug in ("pilot", "rate"):
        chain.answer_all(slug, names)
    columns = {figure.table.slug: figure for figure in compute_figures(world, "rate").figures}
    assert [columns["rounds"].table.heading(name) for name in columns["rounds"].columns[:3]] == [
        "Round",
        "Pass",
        "Subset",
    ]
    values = columns["values"]
    assert [(values.table.heading(name), values.table.role(name)) for name in values.columns] == [
        ("Rating", ""),
        ("free", "series"),
        ("dependent", "series"),
    ]
    assert {row[0] for row in columns["thinking"].rows} == {"free", "dependent"}
    assert columns["thinking"].table.role("pass") == "group"


@pytest.mark.one_database
def test_page_says_why_a_figure_has_no_value(world: World, tmp_path: Path) -> None:
    chain, names = add_chain(world, tmp_path)
    chain.answer_all("pilot", names)
    world.session.rollback()
    round_ = campaigns.get_round(world.session.query(Campaign).one(), "pilot")
    stored = {"tables": {"missing": [{"code": "missing.pauses", "missing": "pauses", "reason": "Nobody."}]}}
    with db.writing(world.session):
        world.session.add(
            RoundFigures(round_id=round_.id, answers_sha256="0" * 64, text=json.dumps(stored), made_at=DURING)
        )
    page = words(world.client("ada").get(PAGE, query_string={"round": "pilot"}))
    assert "Time between the passes: Nobody." in page


@pytest.mark.one_database
def test_data_set_of_the_page_is_what_its_command_makes_of_the_export_until_answers_change(
    world: World, tmp_path: Path
) -> None:
    chain, names = add_chain(world, tmp_path)
    for slug in ("pilot", "rate"):
        chain.answer_all(slug, names)
    ada, address = world.client("ada"), f"{PAGE}/dataset?round=rate"

    def make(choices: str) -> str:
        form = {"at_least": "2", "context_sentences": "1", "seed": "7", "expected": "A=6,B=3,C=1"}
        sent = ada.post(address, {**form, "choices": (io.BytesIO(choices.encode()), "choices.tsv")})
        assert sent.status_code == 302
        assert "being made" in words(ada.get(address))
        world.work(DURING, but=())
        return words(ada.get(address))

    assert 'value="A=6,B=3,C=0"' in ada.get(address).text
    page = make(FIRST_ROUND.replace("\tA\t6", "\tD\t6"))
    assert 'choices.tsv:3: the choice "D" is not one of A, B, C' in page
    make(FIRST_ROUND)
    folder = export(world, "rate", tmp_path / "rate")
    (folder / "choices.tsv").write_text(FIRST_ROUND)
    command = (
        "scorer dataset . --out=dataset --at-least=2 --context-sentences=1 --seed=7 --expected=A=6,B=3,C=1"
    )
    assert command in ada.get(address).text
    run_scorer(folder, *command.split()[1:])
    offline = {
        path.relative_to(folder / "dataset").as_posix(): path.read_bytes()
        for path in (folder / "dataset").rglob("*")
        if path.is_file()
    }
    download = f"{PAGE}/dataset.zip?round=rate"
    with ZipFile(io.BytesIO(ada.get(download).data)) as zipped:
        sent = {name.partition("/")[2]: zipped.read(name) for name in zipped.namelist()}
    assert sent == offline
    assert {"train.tsv", "test-dep.tsv", "task.toml"} < set(sent)
    with db.writing(world.session):
        annotator = people.get_annotator(world.session, chain.campaign, names[0])
        consents.withdraw_consent(world.session, annotator, DURING)
    assert "is no longer offered" in words(ada.get(address))
    assert ada.get(download).status_code == 404


@pytest.mark.one_database
def test_tables_of_rounds_are_hidden_from_teams_and_leave_out_who_withdrew_and_what_was_erased(
    world: World, tmp_path: Path
) -> None:
    chain, names = add_compared_chain(world, tmp_path)
    for slug in ("pilot", "rate", "bws"):
        chain.answer_all(slug, names)
    chain.answer_all("expert", names[:1])
    session = world.session
    with db.writing(session):
        for name in names[:2]:
            annotator = people.get_annotator(session, chain.campaign, name)
            session.get_one(AnnotatorIdentity, annotator.id).label = "Heron"
            own = session.query(UnitAnswer).join(UnitAnswer.step).filter(Step.annotator_id == annotator.id)
            session.add_all(AnswerText(answer_id=row.id, comment="a goldcrest", salt="1") for row in own)
    assert world.client("ada").post(f"{PAGE}/annotators/{names[0]}/erase").status_code == 302
    with db.writing(session):
        consents.withdraw_consent(session, people.get_annotator(session, chain.campaign, names[1]), DURING)
    for slug in ("rate", "bws"):
        folder = export(world, slug, tmp_path / slug)
        content = {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        tables = {name: data for name, data in content.items() if name.endswith((".csv", ".jsonl"))}
        assert [name for name, data in tables.items() if names[0].encode() not in data] == []
        assert [name for name, data in tables.items() if names[1].encode() in data] == []
        assert not [name for name, data in content.items() if b"goldcrest" in data or b"Heron" in data]
        for path in (PAGE, f"{PAGE}/export.zip", f"{PAGE}/dataset", f"{PAGE}/dataset.zip"):
            for person, status in (("bo", 403), ("dee", 404)):
                assert world.client(person).get(path, query_string={"round": slug}).status_code == status
        assert world.client("bo").post(f"{PAGE}/figures?round={slug}").status_code == 403
