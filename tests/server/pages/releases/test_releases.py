"""A release at its own URL: its content, access, formats, and state after a withdrawal."""

import hashlib
import html
import re
import zipfile
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from werkzeug.test import TestResponse

from scorer.cli.__main__ import cli
from server.boards import service as boards
from server.core import db
from server.releases import pseudonyms
from tests.server.players import raw
from tests.server.round_trip import packed, unpack
from tests.server.visitors import words
from tests.server.world import AFTER, DURING, World

pytestmark = pytest.mark.one_database

BOARD = "/tasks/small/boards/evaluation"
FIRST, SECOND, THIRD = (f"{BOARD}/releases/{number}" for number in (1, 2, 3))
FORMATS = {"json": "json", "tsv": "tsv", "csv": "csv", "md": "markdown", "tex": "latex", "txt": "text"}
FEED = "/tasks/small/releases.atom"
LATER = AFTER + timedelta(hours=1)


def stood(world: World) -> None:
    """Release 1 with two runs; release 2 under another gold, which the second of them answers better."""
    world.upload(world.run(), "p2s")
    world.upload(world.run("=two|"), "p2s", b"3.5\n2.5\n2.0\n0.5\n")
    world.upload(world.run("=two|"), "s2p")
    world.upload(world.run("late"), "s2p", b"2\n2\n2\n2\n", at=AFTER - timedelta(hours=99))
    world.release()
    world.fix_gold("p2s", b"4\n3\n1.5\n0\n", AFTER)
    world.release(LATER)


def test_exports_equal_scorer_output_byte_for_byte(world: World, tmp_path: Path) -> None:
    stood(world)
    folder = unpack(packed(world.site), tmp_path / "bundle")
    visitor, page = world.client(), world.client().get(SECOND).text
    for ending, format_ in FORMATS.items():
        offline = CliRunner().invoke(
            cli, ["board", str(folder), "--phase", "evaluation", "--format", format_]
        )
        got = visitor.get(f"{SECOND}.{ending}")
        assert (got.status_code, got.data) == (200, offline.stdout_bytes), ending
        name = f"small-evaluation-release-2.{ending}"
        assert got.headers["Content-Disposition"] == f'attachment; filename="{name}"'
        assert f'href="{SECOND}.{ending}"' in page
    assert hashlib.sha256(visitor.get(f"{SECOND}.json").data).hexdigest() in page
    assert visitor.get(f"{FIRST}.json").data != visitor.get(f"{SECOND}.json").data
    assert visitor.get(f"{BOARD}.json").data == visitor.get(f"{SECOND}.json").data
    assert f'<link rel="canonical" href="https://assay.test{SECOND}">' in visitor.get(BOARD).text
    assert "text/csv" in visitor.get(f"{SECOND}.csv").content_type
    bib = visitor.get(f"{SECOND}.bib")
    assert bib.content_type == "text/x-bibtex; charset=utf-8"
    assert html.escape(bib.text) in page.replace("&#39;", "&#x27;")


def test_citation_names_the_organizers_and_comes_after_that_of_the_task(world: World) -> None:
    world.release()
    visitor = world.client()
    generated = visitor.get(f"{FIRST}.bib").text
    assert generated.startswith("@misc{small-evaluation-release-1,\n  author = {{The Forest Group}},\n")
    assert "The Forest Group (2026). A small task: Evaluation leaderboard, release 1." in words(
        visitor.get(FIRST)
    )
    entry = "@misc{small,\r\n  title = {A task}\r\n}\r\n"
    with db.writing(world.session):
        world.task.citation = entry
    assert visitor.get(f"{FIRST}.bib").text == "@misc{small,\n  title = {A task}\n}\n\n" + generated
    page = words(visitor.get(FIRST))
    assert page.index("@misc{small, title = {A task} }") < page.index("@misc{small-evaluation-release-1,")


def test_release_shows_changes_since_the_previous_one(world: World, tmp_path: Path) -> None:
    """Against a manual comparison of the two JSON files."""
    stood(world)
    visitor = world.client()
    assert "This is the first release of this leaderboard." in words(visitor.get(FIRST))
    before, after = (visitor.get(f"{path}.json").json["official"] for path in (FIRST, SECOND))
    assert [row["run"] for row in before] != [row["run"] for row in after]
    page = visitor.get(SECOND).text
    changed_gold = (
        "Gold standard of Paragraph to sentence: version 1 → now version 2, "
        "in force since 19 Mar 2026, 16:00 UTC"
    )
    assert changed_gold in words(visitor.get(SECOND)).split("Overall ranks")[0]
    world.release(LATER, opens_gold=True)
    changes = words(visitor.get(THIRD)).split("Changes since the previous release")[1].split("Download")[0]
    assert (
        "Gold standard: hidden → now public Only the rules changed. Systems, scores and ranks are the same."
        in changes
    )
    assert "mistyped" not in page, "the reason is for organizers"
    table = page.split('aria-label="Changed ranks"')[1].split("</table>")[0]
    changed_ranks = re.findall(
        r'run">([^<]*)</span></th><td class="num">(\d+)</td><td class="num">(\d+)</td>', table
    )
    ranks = [{row["run"]: row["total"]["pearson"]["rank"] for row in rows} for rows in (before, after)]
    assert {run: (int(a), int(b)) for run, a, b in changed_ranks} == {
        run: (ranks[0][run], ranks[1][run]) for run in ranks[0] if ranks[0][run] != ranks[1][run]
    }
    values = [
        {
            (row["run"], metric, where): cell["value"]
            for row in rows
            for where, by in (("total", row["total"]), *row["levels"].items())
            for metric, cell in by.items()
        }
        for rows in (before, after)
    ]
    changed = {key for key in values[0] if values[0][key] != values[1][key]}
    table = page.split('aria-label="Changed scores"')[1].split("</table>")[0]
    pairs = re.findall(r'<data value="([^"]*)".*?<data value="([^"]*)"', table)
    official = [(values[0][key], values[1][key]) for key in changed]
    assert len(changed) > 3
    assert set(official) <= {(float(a), float(b)) for a, b in pairs}
    assert "organizers LCS" in words(visitor.get(SECOND)).split("Changes since the previous release")[1]
    boards_at = [tmp_path / "1.json", tmp_path / "2.json"]
    for path, address in zip(boards_at, (FIRST, SECOND), strict=True):
        path.write_bytes(visitor.get(f"{address}.json").data)
    for ending, format_ in {"txt": "text", "tsv": "tsv", "json": "json"}.items():
        offline = CliRunner().invoke(cli, ["changes", *map(str, boards_at), "--format", format_])
        assert visitor.get(f"{SECOND}/changes.{ending}").data == offline.stdout_bytes
    assert visitor.get(f"{FIRST}/changes.tsv").status_code == 404


def test_superseded_releases_stay_and_withdrawn_ones_are_gone_everywhere(world: World) -> None:
    stood(world)
    visitor = world.client()
    first, second = visitor.get(f"{FIRST}.json"), visitor.get(f"{SECOND}.json")
    assert "Superseded by release 2." in words(visitor.get(FIRST))
    world.withdraw_release("Item 3 was <b>mistyped</b>.", LATER)
    page = visitor.get(SECOND)
    assert page.status_code == 410
    assert (
        "Item 3 was <b>mistyped</b>. It was released on 19 Mar 2026, 17:00 UTC and withdrawn on "
        "19 Mar 2026, 17:00 UTC." in words(page)
    )
    answers = [page, visitor.get(SECOND, headers={"If-None-Match": second.headers["ETag"]})]
    for ending in (*FORMATS, "bib"):
        answer = visitor.get(f"{SECOND}.{ending}", headers={"If-None-Match": second.headers["ETag"]})
        assert answer.content_type == "text/plain; charset=utf-8"
        assert answer.text == "Release 2 was withdrawn on 19 Mar 2026: Item 3 was <b>mistyped</b>.\n"
        answers.append(answer)
    hidden = ["birch", hashlib.sha256(second.data).hexdigest(), second.headers["ETag"]]
    digits = [repr(row["total"]["pearson"]["value"]) for row in second.json["official"]]
    for answer in answers:
        assert (answer.status_code, answer.headers["Cache-Control"]) == (410, "no-store")
        assert not [word for word in hidden + digits if word in answer.text + str(answer.headers)]
    assert "The later release 2 was withdrawn." in words(visitor.get(FIRST))
    assert f'<a href="{SECOND}">Earlier releases</a>' in visitor.get(BOARD).text
    assert "The earlier release 1 is still available" in words(page)
    world.upload(world.run("two"), "p2s")
    world.release(LATER)
    assert "Superseded by release 3." in words(visitor.get(FIRST))
    page = words(visitor.get(THIRD))
    assert "This is the latest release." in page
    assert (
        "Since release 1 of 19 Mar 2026, 16:00 UTC, the latest earlier release that was not withdrawn" in page
    )
    assert "birch two is new (official)." in page
    assert "Go to release 3" in words(visitor.get(SECOND))
    assert visitor.get(f"{FIRST}.json").data == first.data


def test_caches_revalidate_and_a_guessed_etag_reveals_nothing(world: World) -> None:
    world.upload(world.run(), "p2s")
    visitor = world.client()
    paths = [FIRST, f"{FIRST}.csv", f"{FIRST}.bib", f"{BOARD}.json"]
    with db.writing(world.session):
        text = boards.board_text(world.session, world.phase())
        world.session.rollback()
    future = f'"{hashlib.sha256(text.encode()).hexdigest()}"'
    for path in (*paths, f"{FIRST}.json"):
        answers = [visitor.get(path, headers=each) for each in ({}, {"If-None-Match": future})]
        assert raw(answers[0]) == raw(answers[1])
        assert answers[0].status_code == 404
    world.release()
    assert visitor.get(f"{FIRST}.json").headers["ETag"] == future
    for path in paths:
        whole = visitor.get(path)
        assert whole.headers["ETag"] == f'"{hashlib.sha256(whole.data).hexdigest()}"'
        again = visitor.get(path, headers={"If-None-Match": whole.headers["ETag"]})
        assert (again.status_code, again.data) == (304, b"")
        kept = "private" if path == FIRST else "public"
        assert {each.headers["Cache-Control"] for each in (whole, again)} == {f"{kept}, no-cache"}
        head = visitor.open(path, method="HEAD")
        assert (head.status_code, head.data, head.headers["ETag"]) == (200, b"", whole.headers["ETag"])
    assert "Cookie" in visitor.get(FIRST).headers["Vary"]
    member = world.client("bo").get(FIRST)
    assert (member.headers["Cache-Control"], "ETag" in member.headers) == ("no-store", False)
    assert "birch one (your team)" in words(member)
    assert "your team" not in words(visitor.get(FIRST)) + words(world.client("dee").get(FIRST))


def test_live_release_has_a_url_only_until_the_next_one(world: World) -> None:
    with db.writing(world.session):
        world.phase().feedback, world.phase().board = "scores", "live"
    world.upload(world.run(), "p2s")
    world.work(DURING)
    visitor = world.client()
    page = words(visitor.get(FIRST))
    assert "A live release is replaced by the next one" in page
    assert "BibTeX" not in page
    world.upload(world.run("two"), "p2s")
    world.work(DURING + timedelta(minutes=2))
    assert [visitor.get(path).status_code for path in (FIRST, f"{FIRST}.csv", SECOND)] == [404, 404, 200]
    world.release()
    assert [visitor.get(path).status_code for path in (SECOND, THIRD)] == [404, 200]
    assert "This is the first release of this leaderboard." in words(visitor.get(THIRD))


def test_anonymous_release_names_nobody_until_names_are_revealed(world: World) -> None:
    """The page, its tables, the files of runs, their zip and the feed; then the same addresses with names."""
    with db.writing(world.session):
        world.phase().runs_public = True
    world.upload(world.run("zander"), "p2s", b"0.5\n1.75\n1.25\n3.5\n")
    world.release(anonymous=True)
    visitor, bo = world.client(), world.client("bo")
    archive = f"{FIRST}/runs.zip"
    paths = [FIRST, f"{FIRST}.json", f"{FIRST}.csv", f"{FIRST}.bib", BOARD, FEED, "/tasks/small/"]
    answers = {path: visitor.get(path) for path in paths}
    assert [path for path, each in answers.items() if b"birch" in raw(each) or b"zander" in raw(each)] == []
    assert "Team A run 1 (your team)" in words(bo.get(FIRST))
    assert "your team" not in words(answers[FIRST])
    file = "Team-A/run-1/p2s.tsv"
    assert f'href="{FIRST}/runs/{file}"' in answers[FIRST].text
    assert visitor.get(f"{FIRST}/runs/{file}").data == b"0.5\n1.75\n1.25\n3.5\n"
    packed_files = zipped(visitor.get(archive))
    assert b"birch" not in b"".join([*packed_files.values(), *map(str.encode, packed_files)])
    assert packed_files[f"runs/{file}"] == b"0.5\n1.75\n1.25\n3.5\n"
    named = packed_files["files.tsv"].decode().splitlines()[-1].split("\t")[0]
    below = "/api/v1/tasks/small/phases/evaluation/releases/1"
    assert visitor.get(f"{below}/{named}").data == packed_files[named]
    assert packed_files["board.json"] == answers[f"{FIRST}.json"].data
    tag = visitor.get(archive).headers["ETag"]
    assert visitor.get(archive, headers={"If-None-Match": tag}).status_code == 304
    world.upload(world.run("two"), "p2s")
    world.release(LATER)
    apart = "because it does not show team names and this one does"
    assert apart in words(visitor.get(SECOND))
    with db.writing(world.session):
        pseudonyms.reveal_names(world.session, world.actor("ada"), world.phase(), LATER)
    page = words(visitor.get(FIRST))
    for sha256 in (visitor.get(f"{FIRST}.json").data, answers[f"{FIRST}.json"].data):
        assert hashlib.sha256(sha256).hexdigest() in page
    assert "birch zander" in page
    assert "birch two is new (official)." in words(visitor.get(SECOND))
    assert visitor.get(f"{FIRST}/runs/{file}").status_code == 404
    assert visitor.get(f"{FIRST}/runs/birch/zander/p2s.tsv").data == b"0.5\n1.75\n1.25\n3.5\n"
    assert visitor.get(archive, headers={"If-None-Match": tag}).status_code == 200
    world.withdraw_release(at=LATER)
    assert (
        visitor.get(f"{SECOND}/runs.zip").status_code
        == visitor.get(f"{SECOND}/runs/{file}").status_code
        == 410
    )


def zipped(response: TestResponse) -> dict[str, bytes]:
    """What is in a zip, by the names below its folder."""
    with zipfile.ZipFile(BytesIO(response.data)) as archive:
        return {name.split("/", 1)[1]: archive.read(name) for name in archive.namelist()}


def test_feed_lists_releases_name_reveals_and_withdrawals(world: World) -> None:
    visitor = world.client()
    empty = visitor.get(FEED)
    assert empty.content_type == "application/atom+xml; charset=utf-8"
    assert entries(empty) == []
    with db.writing(world.session):
        world.phase("practice").board = "live"
    world.upload(world.run("one", "practice"), "p2s")
    world.work(DURING)
    world.upload(world.run(), "p2s")
    world.release(anonymous=True, note="As <b>planned</b>,\n\n- *late*")
    world.upload(world.run("two"), "p2s")
    world.release(LATER, note="A hasty word")
    assert "A hasty word SHA-256" in visitor.get(FEED).text
    world.withdraw_release("Item 3: \x1b<b>wrong</b> & late", LATER + timedelta(hours=1))
    feed = visitor.get(FEED)
    gone, first = entries(feed)
    assert (gone["id"], first["id"]) == (f"https://assay.test{SECOND}", f"https://assay.test{FIRST}")
    assert (gone["title"], gone["published"], gone["updated"]) == (
        "Evaluation leaderboard, release 2 (withdrawn)",
        "2026-03-19T17:00:00Z",
        "2026-03-19T18:00:00Z",
    )
    assert gone["summary"] == "Withdrawn: Item 3: \ufffd<b>wrong</b> & late"
    assert first["summary"].startswith("Released without team names. As <b>planned</b>,\n\n- *late* SHA-256 ")
    assert "From the organizers: As <b>planned</b>, late" in words(visitor.get(FIRST))
    assert "<li><em>late</em></li>" in visitor.get(FIRST).text
    assert "<b>planned" not in visitor.get(FIRST).text
    assert "hasty" not in feed.text + visitor.get(SECOND).text + visitor.get(FIRST).text
    assert b"birch" not in feed.data
    again = visitor.get(FEED, headers={"If-None-Match": feed.headers["ETag"]})
    assert (again.status_code, again.headers["Cache-Control"]) == (304, "public, no-cache")
    assert f'href="{FEED}"' in visitor.get("/tasks/small/").text


def entries(response: TestResponse) -> list[dict[str, str]]:
    """The entries of a feed that has what RFC 4287 requires, in its forms."""
    root = ElementTree.fromstring(response.data)  # noqa: S314  (our own answer)
    names = {"": "http://www.w3.org/2005/Atom"}
    assert root.tag == "{http://www.w3.org/2005/Atom}feed"
    assert root.findtext("author/name", namespaces=names) == "Organizers of A small task"
    found = root.findall("entry", names)
    stamps = [root.findtext("updated", namespaces=names)]
    for element in (root, *found):
        for name in ("id", "title", "updated"):
            assert len(element.findall(name, names)) == 1
        links = {each.get("rel"): each.get("href") for each in element.findall("link", names)}
        assert links["alternate"].startswith("https://assay.test/tasks/small/")
        assert element.findtext("id", namespaces=names).startswith("https://assay.test/")
        stamps.append(element.findtext("updated", namespaces=names))
    assert root.find("link[@rel='self']", names).get("href") == root.findtext("id", namespaces=names)
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", each) for each in stamps)
    return [{child.tag.split("}")[1]: child.text for child in element} for element in found]
