"""All runs of a phase as one zip: what counts, everything else, tables; the same bytes each time; audited."""

import csv
import hashlib
from io import BytesIO, StringIO
from zipfile import ZipFile

import pytest

from server.audit.models import AuditEntry
from server.core import db
from server.runs import service as runs, withdrawals as run_withdrawals
from server.teams import service as teams
from tests.server.small_task import GOOD, variant
from tests.server.visitors import words
from tests.server.world import DURING, LATE, World

pytestmark = pytest.mark.one_database

PATH = "/tasks/small/organize/phases/evaluation/runs.zip"


def test_archive_has_counting_and_other_files_under_distinct_names(world: World) -> None:
    run = world.run("../=x")
    world.withdraw(world.upload(run, "p2s"))
    newest = world.upload(run, "p2s", variant(1))
    world.upload(run, "p2s", variant(2), at=LATE)
    world.upload(world.run("one", "practice"), "p2s")
    alike = [world.found_team("dee", "r\u00e9seau")]
    with db.writing(world.session):
        alike.append(teams.add_team(world.session, world.task, "r\u00f4seau", DURING))
        theirs = [runs.add_run(world.session, team, world.phase(), "a", "", DURING) for team in alike]
    world.upload(theirs[0], "s2p", by="dee")
    sha256, said = newest.sha256, f"{newest.arrived_at:%Y%m%dT%H%M%S}.000000Z"
    ada = world.client("ada")
    response = ada.post(PATH)
    assert response.headers["Content-Disposition"] == 'attachment; filename="small-evaluation-runs.zip"'
    assert ada.post(PATH).data == response.data

    with ZipFile(BytesIO(response.data)) as archive:
        files = {
            name.removeprefix("small-evaluation-runs/"): archive.read(name) for name in archive.namelist()
        }
    counting = {name: data for name, data in files.items() if name.startswith("counting/")}
    assert counting == {
        "counting/birch/x/p2s.tsv": variant(1),
        "counting/birch/x/p2s.late.tsv": variant(2),
        "counting/r-seau/a/s2p.tsv": GOOD,
    }
    everything = {name: data for name, data in files.items() if name.startswith("all/")}
    assert len(everything) == 4
    assert everything[f"all/birch/x/p2s.{said}.tsv"] == GOOD
    assert everything[f"all/birch/x/p2s.{said}-2.tsv"] == variant(1)

    lines = list(csv.DictReader(StringIO(files["submissions.tsv"].decode()), delimiter="\t"))
    assert {line["file"]: line["sha256"] for line in lines} == {
        name: hashlib.sha256(data).hexdigest() for name, data in everything.items()
    }
    (line,) = [line for line in lines if line["sha256"] == sha256]
    assert (line["team"], line["run"], line["late"], line["withdrawn"], line["counts"]) == (
        "birch", "../=x", "no", "no", "yes",
    )  # fmt: skip
    assert sorted((line["counts"], line["late"]) for line in lines) == [
        ("late", "yes"), ("no", "no"), ("yes", "no"), ("yes", "no"),
    ]  # fmt: skip
    assert [line["withdrawn"] for line in lines].count("yes") == 1
    assert files["systems.tsv"].decode().splitlines()[0].startswith("Team\tAffiliations\tSystem")
    entries = world.session.query(AuditEntry).filter_by(action="runs.download").all()
    assert [entry.details for entry in entries] == [{"phase": "evaluation", "files": 7}] * 2


def test_files_of_a_withdrawn_run_are_marked_withdrawn_in_archive_and_list(world: World) -> None:
    run = world.run()
    world.upload(run, "p2s")
    with db.writing(world.session):
        run_withdrawals.withdraw_run(world.session, world.actor("bo"), run, DURING)
    ada = world.client("ada")
    with ZipFile(BytesIO(ada.post(PATH).data)) as archive:
        text = archive.read("small-evaluation-runs/submissions.tsv").decode()
        assert not [name for name in archive.namelist() if "counting" in name]
    (line,) = csv.DictReader(StringIO(text), delimiter="\t")
    assert (line["withdrawn"], line["counts"]) == ("yes", "no")
    assert "run withdrawn" in words(ada.get("/tasks/small/organize/files"))


def test_archive_cannot_be_downloaded_by_get_or_for_an_unknown_phase(world: World) -> None:
    ada = world.client("ada")
    assert ada.get(PATH).status_code == 405
    assert ada.post(PATH.replace("evaluation", "nowhere")).status_code == 404
