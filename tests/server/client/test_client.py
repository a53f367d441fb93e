"""A participant’s way with the command alone, at a site that is served: from a login to receipts."""

import http.client
import json
import os
import re
import signal
import tomllib
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from scorer.cli.__main__ import cli
from scorer.client.client import Client
from scorer.errors import RequestError
from server.access import terms
from server.accounts import tokens
from server.core import db
from server.pages.help.notebook import OFFLINE
from server.releases import service as releases
from server.submissions.models import Submission
from tests.server.pages.help.test_help import examples, run_session
from tests.server.small_task import GOOD, variant
from tests.server.test_serving import Browser, served
from tests.server.world import World
from tests.stopping import heeding

pytestmark = pytest.mark.one_database


class Shell:
    """A person's terminal: a home, a folder, and the command."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.stderr = folder, ""
        home = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "config")}
        self.runner = CliRunner(env={"ASSAY_SITE": None, "ASSAY_TOKEN": None, **home})

    def __call__(self, *arguments: str, code: int = 0, said: str = "") -> str:
        done = self.runner.invoke(cli, arguments, input=said)
        assert done.exit_code == code, done.output
        self.stderr = done.stderr
        return done.stdout if code == 0 else done.stdout + done.stderr


def shell_json(said: str) -> tuple[dict[str, Any], str]:
    """The one document that a command printed, and the words behind it."""
    document, end = json.JSONDecoder().raw_decode(said)
    return document, said[end:].removeprefix("\n")


def write_run(folder: Path, **files: bytes) -> Path:
    folder.mkdir(exist_ok=True)
    for level, data in files.items():
        (folder / f"{level}.tsv").write_bytes(data)
    return folder


def stored(world: World) -> int:
    world.session.rollback()
    return world.session.query(Submission).join(Submission.run).filter_by(team_id=world.team.id).count()


def test_client_commands_work_from_login_to_receipts(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    now = datetime.now(UTC)
    with db.writing(world.session):
        token = tokens.make_token(world.session, world.actor("bo"), "script", ["read", "submit"], 1, now)[1]
        small = tokens.make_token(world.session, world.actor("bo"), "small", ["submit"], 1, now)[1]
        world.phase().opens, world.phase().closes = now + timedelta(hours=1), now + timedelta(days=1)
        terms.put_terms(world.session, world.actor("ada"), world.task, "Be kind.", now)
    world.add_kit_file()
    with served(world) as browser:
        shell, site = Shell(tmp_path), f"http://127.0.0.1:{browser.port}"
        assert "as bo" in shell("login", site, said=f"{token}\n")
        kept = tomllib.loads((tmp_path / "config" / "assay" / "client.toml").read_text(encoding="utf-8"))
        assert kept == {"site": site, "sites": {site: {"token": token}}}
        begin(shell, world, now, site, small)
        listed, window = shell("tasks"), world.phase().window
        assert "small  evaluation  open" in listed
        assert [f"{end:%Y-%m-%d %H:%M:%S} UTC" in listed for end in (window.closes, window.grace_ends)] == [
            True,
            True,
        ]
        download(shell)
        submit(shell, world)
        receipts(shell)
        submit_past_a_gateway(shell, world, token, browser.port)
        stop_while_sending(shell, world, token, browser.port)
        submit_late(shell, world, now, Client(site, token))
        submit_level(shell, world)
        assert "No results of this phase have been released." in shell("standings", "small", code=1)
        release(shell, world, now)
        run_page_examples(browser, tmp_path)
        world.session.rollback()
        board = releases.get_public(world.session, world.phase()).text
        for phase in (("evaluation",), ("--phase", "evaluation"), ("evaluation", "--phase", "evaluation")):
            assert shell("standings", "small", *phase, "--format", "json") == board
        for phase in (("practice",), ("--phase", "practice")):
            assert "No results of this phase have been released." in shell(
                "standings", "small", *phase, code=1
            )
        both = shell("standings", "small", "practice", "--phase", "evaluation", code=2)
        assert "two phases are given, practice and --phase evaluation; give one" in both
        world.withdraw_release("wrong gold", now)
        assert "Release 2 was withdrawn" in (said := shell("standings", "small", code=1))
        assert "wrong gold" in said
        assert "Removed the token" in shell("logout")
        assert "scorer login" in shell("status", "--site", site, code=4)


def release(shell: Shell, world: World, now: datetime) -> None:
    """How well people would do is a row of the leaderboard once no file can come."""
    world.add_human_ceiling(0.8153246)
    world.release(now)
    assert "birch  quay" in shell("standings", "small")
    assert "12 annotators" not in shell("standings", "small")
    world.release(now + timedelta(days=5))
    assert re.search(r"People +12 annotators +0\.815\n", shell("standings", "small"))


def run_page_examples(browser: Browser, folder: Path) -> None:
    """The help page for Python shows what a client does at a site, here with the token of `scorer login`."""
    page = browser.send("GET", "/help/python").body
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
        patch.chdir(folder)
        run_session(examples(page)[len(OFFLINE) :])
        board = CliRunner().invoke(cli, ["board", "evidence.zip"])
    assert "birch  quay" in board.stdout


def begin(shell: Shell, world: World, now: datetime, site: str, small: str) -> None:
    """What prevents the first upload is reported with a way to resolve it: terms, a date, a scope."""
    assert f"{site}/tasks/small/terms" in shell("download", "small", code=1)
    command = "submit", "none", "--task", "small", "--phase", "evaluation"
    opens = f"{world.phase().opens:%Y-%m-%d %H:%M:%S} UTC"
    assert f"does not accept files yet: it opens at {opens}" in shell(*command, code=1)
    early = shell("standings", "small", "evaluation", code=1)
    assert f"Error: evaluation opens at {opens}; it has no results yet" in early
    assert re.search(rf"^small +evaluation +not yet open +{opens} ", shell("tasks"), re.MULTILINE)
    assert f'there is no task "smal" at {site}; `scorer tasks`' in shell(
        "submit", "none", "--task", "smal", code=1
    )
    with db.writing(world.session):
        world.phase().opens = now - timedelta(days=1)
        sha256 = terms.version_hash(terms.list_versions(world.session, world.task)[-1])
        terms.accept_terms(world.session, world.actor("bo"), world.task, sha256, now)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(shell.runner.env, "ASSAY_TOKEN", small)
        for asked in (("status",), ("receipt", "all")):
            assert "lacks the scope “read” or “organize”" in shell(*asked, code=4)


@contextmanager
def gateway(port: int, number: int = 0, at: str = "/files") -> Iterator[str]:
    """A proxy that passes everything on, and answers 502 in place of what the site says at an address.

    It first sends a signal of this number.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as behind:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                behind.request(self.command, self.path, body, dict(self.headers))
                answer = behind.getresponse()
                data = answer.read()
            lost = self.path.endswith(at)
            os.kill(os.getpid(), number if lost else 0)
            with suppress(ConnectionError):  # whom the signal stopped waits for no answer
                self.send_response(502 if lost else answer.status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(b"?" * len(data) if lost else data)

        do_POST = do_GET  # noqa: N815  (its name is the method's)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def submit_past_a_gateway(shell: Shell, world: World, token: str, port: int) -> None:
    """A file whose answer was lost is never reported as not stored."""
    write_run(shell.folder / "reed", s2p=variant(4))
    command = "submit", "reed", "--task", "small", "--phase", "evaluation", "--yes"
    asked = shell(*command, code=1)
    assert "the same file already counts for Sentence to phrase in the run quay" in asked
    command = *command, "--sure"
    before = stored(world)
    with gateway(port) as address, pytest.MonkeyPatch.context() as patch:
        patch.setattr("scorer.client.connection.TRIES", 1)
        patch.setitem(shell.runner.env, "ASSAY_TOKEN", token)
        said = shell(*command, "--site", address, code=3)
    place = 'sending to evaluation, run "reed" of birch'
    assert f"no file for: p2s\n{place}\nstored: none\nnot known: s2p; run the same command again" in said
    assert "not stored" not in said
    assert stored(world) == before + 1
    assert shell(*command).startswith("s2p: stored (already stored); receipt")
    assert json.loads(shell(*command, "--format", "json"))["no_file"] == ["p2s"]
    assert stored(world) == before + 1


def stop_while_sending(shell: Shell, world: World, token: str, port: int) -> None:
    """An interrupted command says what is stored and what is unknown, and saves the receipts that arrived."""
    run = write_run(shell.folder / "reed", p2s=variant(8))
    command = "submit", "reed", "--task", "small", "--phase", "evaluation"
    before, receipt = stored(world), next(run.glob("receipts/*"))
    kept = receipt.read_bytes()
    with db.writing(world.session):
        world.phase().files_per_level = 9
    with pytest.MonkeyPatch.context() as patch, heeding(signal.SIGINT):
        patch.setitem(shell.runner.env, "ASSAY_TOKEN", token)
        with gateway(port, signal.SIGTERM, "/counts") as address:
            said = shell(*command, "--site", address, "--format", "json", code=128 + signal.SIGTERM)
        document, words = shell_json(said)
        assert (document["sent"], document["code"], words.strip()) == ("none", "stopped", document["detail"])
        for number in (signal.SIGINT, signal.SIGTERM):
            receipt.unlink()
            with gateway(port, number) as address:
                options = "--site", address, "--format", "json"
                document, words = shell_json(shell(*command, *options, code=128 + number))
            assert (document["sent"], document["not_known"]) == ("not known", ["p2s"])
            assert "stored: s2p\nnot known: p2s; run the same command again" in words
            assert document["code"] == document["refused"]["code"] == "stopped"
            assert ([one["level"] for one in document["files"]], document["no_file"]) == (["s2p"], [])
            assert receipt.read_bytes() == kept
            write_run(run, p2s=variant(9))
    assert stored(world) == before + 2
    assert "p2s: stored (already stored)" in shell(*command)
    assert stored(world) == before + 2


def submit_late(shell: Shell, world: World, now: datetime, client: Client) -> None:
    """In the grace period no quota is used without confirmation, and on-time files are not sent again."""
    with db.writing(world.session):
        closes, world.phase().closes = world.phase().closes, now - timedelta(hours=1)
    command = "submit", "reed", "--task", "small", "--phase", "evaluation"
    before = stored(world)
    assert shell(*command).count("stored (already stored); receipt") == 2
    write_run(shell.folder / "reed", p2s=variant(5))
    files = {"p2s": shell.folder / "reed" / "p2s.tsv"}
    with client, pytest.raises(RequestError, match=r"are not ranked\. To send them, add late=True"):
        client.submit(files, task="small", phase="evaluation", run=" reed\n")
    said = shell(*command, code=2)
    assert f"accepts late submissions until {world.phase().window.grace_ends:%Y-%m-%d %H:%M}" in said
    assert "Late submissions are not ranked. Add --yes to send them" in said
    assert stored(world) == before
    late = "Late submissions are not ranked."
    lines = shell(*command, "--yes").splitlines()
    assert [line.split(";")[0] for line in lines] == ["p2s: stored (late)", "s2p: stored (already stored)"]
    assert late in shell.stderr
    shell(*command, "--yes")
    assert late not in shell.stderr
    assert 'There is no run "reed 2" in evaluation yet' in shell(*command, "--run", " reed\t2\n", code=2)
    other = *command, "--run", " quay\t\n"
    for said in ("n\n", "y\nn\n"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(
                "scorer.cli.site.submit.sys", SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True))
            )
            questions = shell(*command, "--run", "sedge", "--format", "json", said=said, code=130)
        document, words = shell_json(questions)
        assert (document["sent"], document["code"], words.splitlines()[-1]) == (
            "none",
            "stopped",
            document["detail"],
        )
        assert 'There is no run "sedge" in evaluation yet. Create it? [y/N]' in questions
        assert (f"{late} Send them? [y/N]" in questions) == (said == "y\nn\n")
        assert "There is no run" in shell(*command, "--run", "sedge", code=2)
    assert shell(*other, "--yes").startswith("p2s: stored (late); receipt")
    assert late in shell.stderr
    assert shell(*other).startswith("p2s: stored (late, already stored); receipt")
    assert stored(world) == before + 2
    with db.writing(world.session):
        world.phase().closes = closes


def submit_level(shell: Shell, world: World) -> None:
    """The site finds the level of a file in its name, so the client sends it under another one."""
    with db.writing(world.session):
        files, world.phase().files_per_level = world.phase().files_per_level, None
    (shell.folder / "p2s-c.tsv").write_bytes(variant(7))
    command = "submit", "--task", "small", "--phase", "evaluation", "--run", "quay"
    assert shell(*command, "--level", "s2p=p2s-c.tsv").startswith("s2p: stored; receipt receipts/")
    write_run(shell.folder / "shared", s2p=variant(11))
    assert "s2p: stored; receipt receipts/" in shell(*command, "shared/s2p.tsv")
    assert [path.name for path in (shell.folder / "shared").iterdir()] == ["s2p.tsv"]
    (shell.folder / "numbered.tsv").write_bytes(b"0\t0.5\n1\t1\n2\t0.25\n3\t0.75\n")
    command = *command, "--level", "s2p=numbered.tsv"
    assert "note: to confirm that the first column has the scores, add --first-is-score" in shell(
        *command, code=1
    )
    assert shell(*command, "--first-is-score").startswith("s2p: stored; receipt receipts/")
    with db.writing(world.session):
        world.phase().files_per_level = files


def download(shell: Shell) -> None:
    shell("download", "small")
    items = shell.folder / "small" / "p2s.test.items.tsv"
    items.write_bytes(b"mine\n")
    assert "--force" in shell("download", "small", code=1)
    document, words = shell_json(shell("download", "small", "--format", "json", code=1))
    assert (document["schema"], document["code"], document["detail"]) == (
        "assay.download/1",
        "bad_data",
        words.strip(),
    )
    assert [(one["file"], one["code"]) for one in document["problems"]] == [
        (str(items.relative_to(shell.folder)), "other_file")
    ]
    assert items.read_bytes() == b"mine\n"
    refused = shell("download", "small", "--to", "small/p2s.test.items.tsv/in", code=1)
    assert refused == "small/p2s.test.items.tsv: is not a folder; name a folder to write to\n"
    assert "small/p2s.test.items.tsv: replaced" in shell("download", "small", "--force")
    assert (shell.folder / "small" / "starter-kit" / "check.py").read_bytes() == b"print('good')\n"


def submit(shell: Shell, world: World) -> None:
    run = write_run(shell.folder / "quay", p2s=GOOD, s2p=b"0.5\nn/a\n")
    command = ("submit", "quay", "--task", "small", "--phase", "evaluation")
    checked = shell("check", "small/s2p.test.items.tsv", "quay/s2p.tsv", "--scale", "0", "4", code=1)
    checked = f"nothing was sent:\n{checked}"
    assert shell(*command, "--yes", code=1) == checked
    document, words = shell_json(shell(*command, "--yes", "--format", "json", code=1))
    assert (document["schema"], document["sent"], document["code"], words) == (
        "assay.submit/1",
        "none",
        "bad_data",
        checked,
    )
    assert [one["line"] for one in document["problems"]] == [None, 2]
    assert stored(world) == 0

    write_run(run, s2p=variant(1))
    assert "--yes" in shell(*command, code=2)
    assert "quay/p2s.tsv: is not a folder; name a folder" in shell(
        *command, "--yes", "--receipts", "quay/p2s.tsv", code=1
    )
    assert stored(world) == 0
    lines = shell(*command, "--yes").splitlines()
    assert 'sending to evaluation, run "quay" of birch\n' in shell.stderr
    assert [line.split(";")[0] for line in lines] == ["p2s: stored", "s2p: stored"]
    again = json.loads(shell(*command, "--format", "json"))
    assert [(one["level"], one["new"]) for one in again["files"]] == [("p2s", False), ("s2p", False)]
    assert (stored(world), again["sent"]) == (2, "all")
    assert {name: again["run"][name] for name in ("name", "phase", "team")} == {
        "name": "quay",
        "phase": "evaluation",
        "team": "birch",
    }
    for data in (variant(2), GOOD):  # the first file once more is meant to count
        write_run(run, p2s=data)
        shell(*command)
    assert stored(world) == 4

    status = shell("status")
    assert "evaluation  quay  p2s" in status
    assert "0 at this level" in status
    assert re.search(
        r"^evaluation accepts files until \S+ \S+ UTC, and late files until \S+ \S+ UTC$",
        status,
        re.MULTILINE,
    ), status
    write_run(run, p2s=variant(3))
    assert "stored: s2p\nnot stored: p2s\n" in shell(*command, code=1)
    write_run(run, s2p=variant(4))
    for code in ("left_out", "run_refused"):
        document, words = shell_json(shell(*command, "--format", "json", code=1))
        assert (document["sent"], document["code"], document["refused"]["code"]) == ("some", code, code)
        assert document["detail"] in words
        assert "p2s.tsv (quota_used): Your team has used 3 of 3 submissions" in words
        assert [(one["filename"], one["code"]) for one in document["refused"]["files"]] == [
            ("p2s.tsv", "quota_used")
        ]
        assert "stored: s2p\nnot stored: p2s\n" in words
        assert stored(world) == 5


def receipts(shell: Shell) -> None:
    names = sorted(path.name for path in (shell.folder / "quay" / "receipts").iterdir())
    first = names[0].removeprefix("receipt-").removesuffix(".json")
    shell.folder.joinpath("first.tsv").write_bytes(GOOD)
    assert "Nothing failed" in shell("receipt", first, "--to", "more", "--run", "first.tsv")
    assert shell("receipt", "all", "--to", "more").count(": good") == len(names) == 5
    assert sorted(path.name for path in (shell.folder / "more").iterdir()) == names
    there = shell.folder / "more" / f"receipt-{first}.json"
    good = there.read_bytes()
    there.write_bytes(b"mine\n")
    hint = f"scorer receipt {first} --to more --force"
    assert f"{there.name}: already exists and differs; move it away, or replace it: `{hint}`" in shell(
        "receipt", "all", "--to", "more", code=1
    )
    assert there.read_bytes() == b"mine\n"
    document, _words = shell_json(shell("receipt", "all", "--to", "more", "--format", "json", code=1))
    assert (document["schema"], document["problems"][0]["file"]) == ("assay.receipts/1", f"more/{there.name}")
    assert {one["file"] for one in document["receipts"]} == {f"more/{name}" for name in names[1:]}
    shell(*hint.split()[1:])
    assert there.read_bytes() == good
    assert "There is no such submission.\nThe number was 999 on http:" in shell("receipt", "999", code=1)
    assert 'there is no task "smal" at' in shell("receipt", "all", "--task", "smal", code=1)
    refused = shell("receipt", first, "--to", f"more/{there.name}", code=1)
    assert refused == f"more/{there.name}: is not a folder; name a folder to write to\n"
