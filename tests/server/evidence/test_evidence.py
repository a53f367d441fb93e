"""Evidence from the site, checked and recomputed offline: the same bytes, or a sentence that says why."""

import json
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from click.testing import CliRunner, Result

from scorer.cli.__main__ import cli
from server.access import tasks, terms
from server.core import db
from server.core.actors import CONSOLE
from server.core.identity import IDENTITY_KEY
from server.core.site_resources import Site
from server.core.zips import write_zip
from server.evidence import service as evidence
from server.releases import creation as release_creation, pseudonyms, public_releases
from server.signing import service as signing_keys
from tests.server.commands import Assay
from tests.server.round_trip import bring, packed, unpack
from tests.server.small_task import GOLD, TASK, variant, write_bundle
from tests.server.world import AFTER, LATE, World

SOON = AFTER.replace(microsecond=7)
ADDRESS = "/tasks/small/boards/evaluation/releases/1/evidence.zip"


def play(world: World) -> None:
    """Files on time, late and replaced, corrected gold, a baseline; the runs are to be published."""
    with db.writing(world.session):
        world.phase().runs_public = True
    world.upload(world.run("one"), "p2s")
    world.upload(world.run("one"), "p2s", variant(1))
    world.upload(world.run("one"), "s2p", b"4\n1\n3\n2\n")
    world.upload(world.run("two"), "p2s", b"1\n1\n2\n2\n")
    world.upload(world.run("two"), "s2p", b"2\n2\n2\n2\n", at=LATE)
    world.fix_gold("s2p", b"3.5\n0.25\n2.25\n1\n", LATE)


def evidence_of(site: Site, number: int = 1, slug: str = "small") -> bytes:
    """The zip of a release of the evaluation."""
    session = site.session()
    session.expire_all()
    phase = tasks.get_phase(session, tasks.get_task(session, slug), "evaluation")
    state = public_releases.get_release(session, phase, number)
    archive = evidence.collect_evidence(session, phase, state, SOON)
    file = BytesIO()
    write_zip(file, archive.name, archive.readers(site.storage))
    return file.getvalue()


def kept(site: Site, folder: Path) -> Path:
    path = folder / "evidence.zip"
    path.write_bytes(evidence_of(site))
    return path


def contents(data: bytes) -> dict[str, bytes]:
    """The files of a zip, by their paths without its folder."""
    with ZipFile(BytesIO(data)) as archive:
        return {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}


def scorer(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def left_out(data: bytes) -> dict[str, str]:
    signed = json.loads(contents(data)["evidence.json"])["signed"]
    return {one["what"]: one["why"] for one in signed["left_out"]}


def test_with_gold_and_runs_the_board_is_recomputed_byte_for_byte(world: World, tmp_path: Path) -> None:
    """A later file, a rename and another gold change nothing of it: it is the release's own record."""
    play(world)
    release = world.release(opens_gold=True)
    world.infer(at=SOON)
    before = contents(evidence_of(world.site))
    world.fix_gold("p2s", b"1\n1\n2\n3\n", SOON)
    with db.writing(world.session):
        world.task.title = "Another title"
        world.run("one").name = "uno"
    path = kept(world.site, tmp_path)
    after = contents(path.read_bytes())
    assert {name for name in before if before[name] != after[name]} <= {"README.md", "evidence.json"}
    (tmp_path / "keys.json").write_text(signing_keys.published_keys_text(world.session), "utf-8")
    found = scorer("verify", path, "--key", tmp_path / "keys.json")
    assert found.exit_code == 0, found.output
    for words in (
        "4 receipts are signed by https://assay.test (with its key 1 in ",
        "gold/p2s.tsv is gold version 1 of p2s. With its salt, it has the hash in the release.",
        "gold/s2p.tsv is gold version 2 of s2p. With its salt, it has the hash in the release.",
        "gold/earlier/1-s2p.tsv is gold version 1 of s2p. With its salt, it has the hash in an earlier",
        "board.json was recomputed from the items, gold labels and runs. It is the same",
        "The scorer recomputed 2 run files of baselines from the items. They are the same.",
        "inference.json was recomputed, with its intervals",
    ):
        assert words in found.stdout, found.stdout
    printed = scorer("board", path, "--bootstrap", 10000, "--significance", "--format", "json")
    values = json.loads(printed.stdout)
    assert values.pop("inference") == json.loads(after["inference.json"])
    readme = after["README.md"].decode()
    assert "compute the leaderboard from these files" in readme
    assert "- `task.toml`, `items/`, `runs/`: the" in readme
    assert "- `receipts/`" in readme
    assert values == json.loads(release.board)
    assert scorer("board", path, "--format", "json").stdout == release.board


@pytest.mark.one_database
def test_evidence_contains_nothing_of_hidden_gold(world: World, tmp_path: Path) -> None:
    play(world)
    release = world.release()
    path = kept(world.site, tmp_path)
    files = contents(path.read_bytes())
    all_bytes = b"\n".join(files.values())
    assert not [value for values in GOLD.values() for value in values if f"{value}\n".encode() in all_bytes]
    assert not [name for name in files if name.startswith(("gold", "salts"))]
    assert left_out(path.read_bytes()).keys() == {"gold", "inference"}
    found = scorer("verify", path)
    assert found.exit_code == 0, found.output
    assert "4 receipts are signed" in found.stdout
    assert scorer("board", path, "--format", "json").stdout == release.board


@pytest.mark.one_database
def test_receipts_that_reveal_more_than_the_board_are_included_once_gold_is_public(world: World) -> None:
    """Scores against an earlier gold, or of the public items, are functions of hidden labels."""
    with db.writing(world.session):
        world.phase().feedback = "scores"
    play(world)
    world.release()
    hidden = evidence_of(world.site)
    assert len([name for name in contents(hidden) if name.startswith("receipts/")]) == 2  # at p2s
    assert left_out(hidden)["receipts"].startswith("2 of them contain scores that are not on the leaderboard")
    world.release(SOON, opens_gold=True)
    opened = contents(evidence_of(world.site, 2))
    assert len([name for name in opened if name.startswith("receipts/")]) == 4


@pytest.mark.one_database
def test_evidence_of_an_anonymous_release_names_no_team(world: World, tmp_path: Path) -> None:
    play(world)
    world.release(anonymous=True)
    data = evidence_of(world.site)
    assert not [name for name, content in contents(data).items() if b"birch" in content or "birch" in name]
    assert left_out(data)["receipts"] == "They name teams, which are anonymous here."
    path = kept(world.site, tmp_path)
    assert scorer("verify", path).exit_code == 0
    with db.writing(world.session):
        pseudonyms.reveal_names(world.session, world.actor("ada"), world.phase(), SOON)
    named = kept(world.site, tmp_path)
    assert named.read_bytes() != data
    assert "runs/evaluation/birch/one/p2s.tsv" in contents(named.read_bytes())
    found = scorer("verify", named)
    assert found.exit_code == 0, found.output
    assert "4 receipts are signed" in found.stdout


@pytest.mark.one_database
def test_without_published_runs_hashes_and_ranks_are_verified(world: World, tmp_path: Path) -> None:
    world.upload(world.run("one"), "p2s")
    release = world.release(opens_gold=True)
    path = kept(world.site, tmp_path)
    assert left_out(path.read_bytes()).keys() == {"runs", "receipts", "inference"}
    readme = contents(path.read_bytes())["README.md"].decode()
    assert not [words for words in ("runs/", "receipts/", "--bootstrap", "computes") if words in readme]
    assert "print the signed values, ranked again" in readme
    assert "`gold/`, `salts.json`" in readme
    found = scorer("verify", path)
    assert found.exit_code == 0, found.output
    assert "The ranks, totals and order in board.json follow" in found.stdout
    assert scorer("board", path, "--format", "json").stdout == release.board


def test_evidence_is_available_at_the_release_url_and_by_the_console(
    world: World, tmp_path: Path, assay: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(world)
    world.release()
    visitor = world.client()
    page = visitor.get("/tasks/small/boards/evaluation/releases/1")
    assert f'href="{ADDRESS}"' in page.text
    answer = visitor.get(ADDRESS)
    assert (answer.status_code, answer.data) == (200, evidence_of(world.site))
    again = visitor.get(ADDRESS, headers={"If-None-Match": answer.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    monkeypatch.setenv("ASSAY_SITE_URL", "https://assay.test")
    output = tmp_path / "out.zip"
    made = assay("release", "evidence", "small", "evaluation", "1", "--output", output)
    assert made.exit_code == 0, made.output
    assert contents(output.read_bytes()) == contents(answer.data)
    assert "Left out: gold (The gold standard of p2s, s2p is not public.)" in made.stderr
    assert assay("release", "evidence", "small", "evaluation", "--output", output).exit_code == 1
    world.withdraw_release()
    assert visitor.get(ADDRESS).status_code == 410


def test_evidence_needs_accepted_terms(world: World) -> None:
    play(world)
    world.release()
    with db.writing(world.session):
        terms.put_terms(world.session, world.actor("ada"), world.task, "Be kind.", SOON)
    answer = world.client("dee").get(ADDRESS)
    assert (answer.status_code, answer.headers["Location"]) == (302, "/tasks/small/terms")
    page = world.client().get("/tasks/small/boards/evaluation/releases/1").text
    assert "Accept the terms and download the evidence" in page
    assert "Be kind." in page
    api = "/api/v1/tasks/small/phases/evaluation/releases/1/evidence.zip"
    for address in (ADDRESS, api):
        assert world.client().get(f"{address}?terms=accepted").status_code == 200, address
    assert world.client().get(api).status_code == 409
    assert world.client().get(f"{api}?terms=yes").status_code == 422
    assert '<code>scorer board EVIDENCE <span class="nowrap">--format json</span></code>' in page


def test_a_task_that_moved_has_evidence_of_both_sites(
    world: World, second_site: Site, tmp_path: Path
) -> None:
    play(world)
    release = world.release(opens_gold=True)
    world.infer(at=AFTER)
    first = contents(evidence_of(world.site))
    bring(second_site, unpack(packed(world.site), tmp_path / "out"))
    session = second_site.session()
    session.info[IDENTITY_KEY] = replace(session.info[IDENTITY_KEY], site_url="https://second.test")
    with db.writing(second_site.session()):
        signing_keys.ensure_key(second_site.session(), SOON)
    path = kept(second_site, tmp_path)
    second = contents(path.read_bytes())
    assert {name for name in first if first[name] != second.get(name)} <= {
        "README.md", "evidence.json", "keys.json", "description.md",
    }  # fmt: skip
    found = scorer("verify", path)
    assert found.exit_code == 0, found.output
    for words in (
        "The release was made at https://assay.test. The evidence does not prove that the key",
        "that receipts that name https://assay.test are signed with a key of that site",
        "board.json was recomputed from the items, gold labels and runs. It is the same",
        "inference.json was recomputed, with its intervals",
    ):
        assert words in found.stdout, found.stdout
    assert scorer("board", path, "--format", "json").stdout == release.board


ODD = (
    TASK.replace('"small"', '"odd"')
    .replace(
        "[board]",
        'run_format = "keyed"\nkeyed = { id = "pair", score = "value", delimiter = "comma" }\n[board]',
    )
    .replace('gold = "p2s.test.gold" }', 'gold = "p2s.test.gold", public_items = "public.txt" }')
    .replace('gold = "s2p.test.gold" }', 'gold = "s2p.test.gold", public_items = "public.txt" }')
    .replace('feedback = "hidden"', 'feedback = "public-part"\nruns_public = true')
    .replace("enter_at_least = 1", 'total = "weighted"\ntotal_needs = "all"')
)
NAMES = ('\u00c4rzte & "S\u00f6hne"', "..", "arzte___s_hne", "CON")


@pytest.mark.one_database
def test_evidence_verifies_with_odd_names_keyed_files_and_public_items(world: World, tmp_path: Path) -> None:
    folder = write_bundle(tmp_path / "odd", ODD)
    (folder / "public.txt").write_text("News-1\nNews-3\n", "utf-8")
    lines = ODD
    for number, name in enumerate(NAMES):
        scores = "".join(f"News-{item},{(item * (number + 2)) % 5}\n" for item in (3, 1, 4, 2))
        (folder / f"{number}.csv").write_text("pair,value\n" + scores, "utf-8")
        late = f'late_files = {{ s2p = "{number}.csv" }}\n' if number % 2 else ""
        lines += f"\n[[run]]\nteam = {json.dumps(name)}\nname = {json.dumps(name[::-1])}\n"
        lines += f'files = {{ p2s = "{number}.csv" }}\n{late}'
    (folder / "task.toml").write_text(lines, "utf-8")
    bring(world.site, folder)
    with db.writing(world.session):
        phase = tasks.get_phase(world.session, tasks.get_task(world.session, "odd"), "evaluation")
        release = release_creation.release_board(
            world.session, CONSOLE, phase, AFTER, release_creation.ReleaseOptions(opens_gold=True)
        )
    path = tmp_path / "odd.zip"
    path.write_bytes(evidence_of(world.site, 1, "odd"))
    found = scorer("verify", path)
    assert found.exit_code == 0, found.output
    assert "board.json was recomputed from the items, gold labels and runs. It is the same" in found.stdout
    assert "The scorer recomputed 2 run files of baselines from the items. They are the same." in found.stdout
    assert scorer("board", path, "--format", "json").stdout == release.board
    board = json.loads(release.board)
    assert {row["team"] for row in board["official"]} == {*NAMES}
    assert len(board["late"]) == 2
