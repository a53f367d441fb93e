"""Uploaded campaigns are read and planned by a job, in a process with limits, whatever is in them."""

import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest

from server.annotation.campaigns import creation, uploads
from server.annotation.models import Campaign
from server.core import child_processes, db
from server.core.errors import Conflict, NotFound
from server.core.zips import write_members
from server.jobs.models import Job
from tests.server.annotation.annotating import finish_upload, write_campaign
from tests.server.visitors import words
from tests.server.world import DURING, World

pytestmark = pytest.mark.both_databases

NEW = "/tasks/small/organize/campaigns/new"
Change = Callable[[Path], object]


def pack(folder: Path) -> bytes:
    target = BytesIO()
    write_members(target, [(path.name, path.read_bytes()) for path in sorted(folder.iterdir())])
    return target.getvalue()


def queue(world: World, data: bytes, by: str = "ada") -> int:
    upload = uploads.CampaignUpload(world.storage.put(data))
    with db.writing(world.session):
        return uploads.queue_upload(world.session, world.actor(by), world.task, upload, DURING)


def edit(old: str, new: str) -> Change:
    """Change the configuration of a campaign."""

    def change(folder: Path) -> None:
        path = folder / "annotation.toml"
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))

    return change


def add_wide_table(folder: Path) -> None:
    """Ten rounds of 100,000 units in 50 columns: a quarter of a megabyte as a zip, and gigabytes as rows."""
    header = "\t".join(["key", "left", "right", *(f"c{n}" for n in range(47))])
    rows = "".join(f"{n}\ta\tb" + "\t" * 47 + "\n" for n in range(100_000))
    (folder / "pairs.tsv").write_text(f"{header}\n{rows}")
    text = (folder / "annotation.toml").read_text()
    round_ = text[text.index("[[round]]") :].replace("answers = 2", "answers = 1")
    many = "".join(round_.replace('"rate"', f'"rate{n}"', 1) for n in range(10))
    (folder / "annotation.toml").write_text(text[: text.index("[[round]]")] + many)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (add_wide_table, "pairs.tsv the campaign has 100000 units up to here; the maximum is 50000."),
        (edit("answers = 2", "answers = 1000000000"), "answers: must be from 1 to 100"),
        (edit("seed = 7", "intra.n = 1000000"), "intra.n: must be from 1 to 1000"),
        (
            edit("seed = 7", "seed = 7\n" + '[[round]]\nslug = "x"\n' * 999),
            "round: has 1000 entries; use at mo",
        ),
        (edit("[campaign]", f"x = {'[' * 500_000}\n[campaign]"), "nested more than 20 deep"),
        (lambda folder: (folder / "x.tsv").write_bytes(bytes(100 << 20)), "unpacks to more than"),
        (
            lambda folder: (folder / "annotation.toml").unlink(),
            "there is no such file; a campaign is a folder",
        ),
    ],
)
def test_upload_that_is_too_large_is_refused_and_says_what_to_change(
    world: World, tmp_path: Path, change: Change, message: str
) -> None:
    change(write_campaign(tmp_path))
    ada, packed = world.client("ada"), pack(tmp_path)
    assert len(packed) < 500_000
    refused = finish_upload(world, ada, ada.upload(NEW, packed, "campaign.zip"))
    assert "Nothing was changed." in words(refused)
    assert message in words(refused).replace("Lists and", "lists and").replace("There is", "there is")
    assert world.session.query(Campaign).count() == 0


FILL_MEMORY = "from server.core.child_processes import limited\nwith limited():\n    bytes(2 << 30)"


@pytest.mark.parametrize(("program", "patience"), [(FILL_MEMORY, 0.2), ("while True: pass", 0.002)])
def test_upload_that_takes_too_much_memory_or_time_is_refused(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, patience: float
) -> None:
    monkeypatch.setattr(uploads, "COMMAND", (sys.executable, "-c", program))
    monkeypatch.setattr(uploads, "PATIENCE", patience)
    ada = world.client("ada")
    refused = finish_upload(world, ada, ada.upload(NEW, pack(write_campaign(tmp_path)), "campaign.zip"))
    assert "more than 1024 MB of memory or 150 seconds. Use fewer texts or fewer answers" in words(refused)


def test_request_of_an_upload_reads_and_plans_nothing(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("read_campaign", "plan_round"):
        monkeypatch.setattr(creation, name, lambda *_: pytest.fail("the page reads or plans"))
    ada = world.client("ada")
    waiting = ada.upload(NEW, pack(write_campaign(tmp_path)), "campaign.zip")
    assert 'data-seconds="1"' in ada.get(waiting.location).text


def test_second_upload_waits_for_the_first_unless_it_is_the_same(world: World, tmp_path: Path) -> None:
    data = pack(write_campaign(tmp_path))
    first = queue(world, data)
    assert queue(world, data) == first
    with pytest.raises(Conflict, match="still reading the files of another campaign"):
        queue(world, b"another")
    world.work(DURING)
    assert queue(world, b"another") != first


def test_upload_is_read_again_if_the_worker_stops_and_makes_one_campaign(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = queue(world, pack(write_campaign(tmp_path)))
    with monkeypatch.context() as patch:
        stopped = child_processes.ProcessInterrupted("it was cancelled because the site is stopping")
        patch.setattr(child_processes, "run_limited", lambda *_, **__: (_ for _ in ()).throw(stopped))
        world.work(DURING)
    assert world.session.query(Campaign).count() == 0
    job = world.session.get_one(Job, job_id)
    payload = {**job.payload, "job": job_id}
    for _ in range(2):  # a worker that was slow comes too late
        uploads.create_uploaded(world.site, payload, DURING)
    result = uploads.get_result(world.session, world.actor("ada"), world.task, job_id)
    assert (result.campaign, result.refused) == ("harbour", None)
    assert world.session.query(Campaign).count() == 1


def test_upload_is_seen_by_its_person_alone_and_refused_when_they_stop_organizing(
    world: World, tmp_path: Path
) -> None:
    world.give_role("dee", "organizer")
    job_id = queue(world, pack(write_campaign(tmp_path)), by="dee")
    with pytest.raises(NotFound, match="no such upload"):
        uploads.get_result(world.session, world.actor("ada"), world.task, job_id)
    world.end_role("dee")
    world.work(DURING)
    assert world.session.query(Campaign).count() == 0
    assert list(world.session.get_one(Job, job_id).payload["result"]) == ["refused"]


def test_upload_that_the_sweep_deleted_is_asked_for_again(world: World, tmp_path: Path) -> None:
    job_id = queue(world, pack(write_campaign(tmp_path)))
    for file in world.storage.files():
        world.storage.remove(file, file.put_at.replace(year=2100))
    world.work(DURING)
    result = uploads.get_result(world.session, world.actor("ada"), world.task, job_id)
    assert result.refused is not None
    assert result.refused.message == "The uploaded files are no longer there. Upload them again."
