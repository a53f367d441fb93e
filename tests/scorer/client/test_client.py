"""What the client does with addresses, tokens, and sites that are slow, away or none."""

import json
import os
import re
import signal
import stat
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from types import MappingProxyType, SimpleNamespace

import pytest
from click.testing import CliRunner, Result

from scorer.cli.__main__ import cli
from scorer.cli.site import _site_command
from scorer.client.addresses import read_address
from scorer.client.client import Client
from scorer.client.local_files import sha256_of
from scorer.client.proxies import find_proxy
from scorer.client.settings import (
    Settings,
    choose_site,
    find_login,
    read_settings,
    with_login,
    without_login,
    write_settings,
)
from scorer.errors import RequestError, SiteError, SiteUnavailable, TokenError
from tests.stopping import heeding

END = "2027-01-01T12:00:00.123456+00:00"
NO_TEXT = os.fsdecode(b"x\xff")
ROOT = Path(__file__).parents[3]
PROBLEM = {"code": "phase_shut", "detail": "The phase is over.", "status": 409}

ONE_LINE = {"count": 1, "others": []}
"""Of a problem that is not that of several lines."""


@contextmanager
def site(*answers: tuple[int, dict[str, str], object]) -> Iterator[tuple[str, list[str]]]:
    """A server that gives these answers in turn. Yields its address and the requests that it received.

    A status of 0 closes the connection; one below it does so, too, after the signal of that number.
    """
    left, requests = list(answers), list[str]()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            named = self.headers.get("Authorization", self.headers.get("Proxy-Authorization"))
            requests.append(f"{self.command} {self.path} {named} {len(body) > 0}")
            status, headers, values = left.pop(0)
            if status <= 0:
                os.kill(os.getpid(), -status)
                self.close_connection = True
                return
            data = values if isinstance(values, bytes) else json.dumps(values).encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_POST = do_GET  # noqa: N815  (its name is the method's)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", requests
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def asked(
    *answers: tuple[int, dict[str, str], object],
) -> Iterator[tuple[Client, list[str], list[float]]]:
    """A connection to such a server that notes how long it would have waited."""
    waited: list[float] = []
    with site(*answers) as (address, requests), Client(address, "assay_t", sleep=waited.append) as found:
        yield found, requests, waited


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is not the address"),
        ("ftp://example.org", "is not the address"),
        ("http://example.org", "write https://example.org"),
        ("http://example org", "not the address of a site"),
        ("https://bo:x@example.org", "without a user name"),
        ("https://example.org:x", "is not the address"),
    ],
)
def test_invalid_site_url_says_what_is_expected(text: str, words: str) -> None:
    with pytest.raises(RequestError, match=words):
        read_address(text)


def test_tokens_are_stored_per_site_readable_only_by_their_owner(tmp_path: Path) -> None:
    path = tmp_path / "new" / "client.toml"
    settings = with_login(Settings(None, {}), "https://one.example.org", 'a"\\t')
    settings = with_login(settings, "http://127.0.0.1:8000", "assay_two")
    write_settings(path, settings)
    assert read_settings(path) == settings
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.write_text(path.read_text(encoding="utf-8"), encoding="utf-8-sig")  # as some editors save it
    assert read_settings(path) == settings
    assert os.listdir(path.parent) == ["client.toml"]  # noqa: PTH208  nothing is left beside it
    assert find_login(path, {}).token == "assay_two"
    assert find_login(path, {"ASSAY_SITE": "one.example.org"}).token == 'a"\\t'
    assert find_login(path, {"ASSAY_TOKEN": "mine"}, "https://three.example.org").token == "mine"
    assert without_login(settings, "http://127.0.0.1:8000").site == "https://one.example.org"
    with pytest.raises(TokenError, match="scorer login https://three"):
        find_login(path, {}, "https://three.example.org").require_token()
    with pytest.raises(RequestError, match="scorer login SITE"):
        choose_site(Settings(None, {}), {})


def test_temporary_failures_are_retried_as_the_site_asks() -> None:
    answers = (503, {"Retry-After": "7"}, PROBLEM), (0, {}, None), (429, {}, PROBLEM), (502, {}, b"<h1>")
    again = 200, {"Idempotency-Replayed": "true"}, {"files": [{"id": 3, "new": True}]}
    with asked(*answers, again) as (found, requests, waited):
        assert found.upload("/runs/1/files", [("a.tsv", b"1\n")], "key", {}) == (
            [{"id": 3, "new": False}],
            None,
        )
    assert waited == [7.0, 2.0, 4.0, 8.0]
    assert requests == ["POST /api/v1/runs/1/files Bearer assay_t True"] * 5


def test_a_wait_of_some_seconds_is_announced(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    waited: list[float] = []
    monkeypatch.setattr(_site_command.time, "sleep", waited.append)
    _site_command.wait(1.0)
    assert capsys.readouterr().err == ""
    _site_command.wait(60.0)
    assert capsys.readouterr().err == "The site cannot accept this now; trying again in 60 seconds.\n"
    assert waited == [1.0, 60.0]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((0, {}, None), "cannot be reached: Server disconnected without sending a response; check"),
        ((504, {}, b"<h1>"), "^http://.* is not available: only its proxy answers .status 504"),
    ],
)
def test_non_idempotent_request_is_not_retried_if_its_outcome_is_unknown(
    answer: tuple[int, dict[str, str], object], words: str
) -> None:
    with asked(answer) as (found, requests, waited), pytest.raises(SiteUnavailable, match=words):
        found.make("/tasks/small/phases/test/runs", {"name": "one"})
    assert (len(requests), waited) == (1, [])


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        ((409, {}, PROBLEM), SiteError, "^The phase is over.$"),
        ((429, {"Retry-After": "3000"}, PROBLEM), SiteError, "over"),
        (
            (401, {}, {"code": "bad_token", "detail": "It ended."}),
            TokenError,
            "It ended.\nCreate a new token at http://127.0.0.1:[0-9]+/account/tokens/ and use it in place of",
        ),
        (
            (403, {}, {"code": "scope_missing", "detail": "It lacks “read”."}),
            TokenError,
            "It lacks “read”.\nCreate a new token at http://127.0.0.1",
        ),
        (
            (
                422,
                {},
                {"code": "x", "detail": "See fields.", "fields": [{"field": "name", "detail": "Long."}]},
            ),
            SiteError,
            "^the site does not accept this:\nname: Long.$",
        ),
        ((404, {}, b"<h1>no"), SiteUnavailable, "is the address right"),
        ((200, {}, b"<h1>welcome"), SiteUnavailable, "is the address right"),
        (
            (301, {"Location": "https://example.org/"}, b""),
            SiteUnavailable,
            "redirects to 'https://example.org/'",
        ),
    ],
)
def test_other_error_answers_are_reported(
    answer: tuple[int, dict[str, str], object], error: type[SiteError], words: str
) -> None:
    with asked(answer) as (found, requests, _):
        with pytest.raises(error, match=words) as refused:
            found.json("/me")
        assert type(refused.value) is error
    assert len(requests) == 1


def test_every_bad_line_is_printed_without_control_characters() -> None:
    lines = [{"source": "run\x1b.tsv", "line": 2, "code": "x", "message": "is no number", "text": "n/a"}]
    problem = {"code": "refused", "detail": "1 problem", "problems": lines, "count": 120}
    with asked((422, {}, problem)) as (found, *_), pytest.raises(SiteError) as refused:
        found.json("/me")
    assert (
        str(refused.value)
        == "1 problem\nrun\N{REPLACEMENT CHARACTER}.tsv:2: is no number\nand 119 more problems"
    )


def command(
    folder: Path, *arguments: str, environ: Mapping[str, str] = MappingProxyType({}), **options: str
) -> Result:
    environment = {
        "XDG_CONFIG_HOME": str(folder),
        "HOME": str(folder),
        "ASSAY_SITE": None,
        "ASSAY_TOKEN": None,
        **environ,
    }
    return CliRunner(env=environment).invoke(cli, arguments, **options)  # type: ignore[arg-type]  # click's own


def test_each_kind_of_unreachable_site_has_a_message_and_exit_code(tmp_path: Path) -> None:
    nobody = command(tmp_path, "tasks")
    assert (nobody.exit_code, "scorer login SITE" in nobody.stderr) == (2, True)
    with site() as (gone, _):
        pass
    away = command(tmp_path, "login", gone, input="assay_x\n")
    assert (away.exit_code, "cannot be reached" in away.stderr) == (3, True)
    tls = command(tmp_path, "tasks", "--site", "https" + gone.removeprefix("http"))
    assert tls.exit_code == 3
    with site((401, {}, {"code": "bad_token", "detail": "It ended."})) as (address, _):
        refused = command(tmp_path, "login", address, input="assay_x\n")
    assert (refused.exit_code, "It ended." in refused.stderr) == (4, True)
    with site((200, {}, {"items": 3})) as (address, _):
        strange = command(tmp_path, "tasks", "--site", address)
    assert (strange.exit_code, "/packages/" in strange.stderr) == (3, True)


@pytest.mark.parametrize(
    ("variable", "value", "exit_code", "words"),
    [
        (
            "SSL_CERT_FILE",
            "/nonexistent",
            2,
            "the certificates in '/nonexistent', which is set by SSL_CERT_FILE",
        ),
        (
            "ALL_PROXY",
            "socks5h://u:pw@127.0.0.1:1",
            2,
            "ALL_PROXY is set to the proxy socks5h://127.0.0.1:1,",
        ),
        (
            "http_proxy",
            "socks5://127.0.0.1:1",
            2,
            "http_proxy is set to the proxy socks5://127.0.0.1:1, which",
        ),
        ("HTTPS_PROXY", "socks4://127.0.0.1:1", 3, ":1 cannot be reached: "),
        (
            "http_proxy",
            "http://u:pw@127.0.0.1:1",
            3,
            "the proxy http://127.0.0.1:1, which is set by http_proxy",
        ),
        ("ALL_PROXY", "127.0.0.1:1", 3, "through the proxy http://127.0.0.1:1, which is set by ALL_PROXY"),
        ("NO_PROXY", "127.0.0.1", 3, ":1 cannot be reached: "),
        ("http_proxy", " ", 3, ":1 cannot be reached: "),
        ("ASSAY_TOKEN", "ümlaut", 4, "the value of ASSAY_TOKEN is not a token"),
        ("ASSAY_TOKEN", "a" * 501, 4, "the value of ASSAY_TOKEN is not a token"),
    ],
)
def test_invalid_environment_variable_is_named(
    tmp_path: Path, variable: str, value: str, exit_code: int, words: str
) -> None:
    environ = {"ASSAY_SITE": "http://127.0.0.1:1", variable: value}
    environ |= {"http_proxy": "http://127.0.0.1:2"} if variable == "NO_PROXY" else {}
    done = command(tmp_path, "tasks", environ=environ)
    assert (done.exit_code, words in done.stderr, "pw" in done.stderr) == (exit_code, True, False), (
        done.output
    )


@pytest.mark.parametrize(
    ("names", "address", "direct"),
    [
        ("127.0.0.1", "http://127.0.0.1:1", True),
        ("127.0.0.1:1", "http://127.0.0.1:1", True),
        ("127.0.0.1:2", "http://127.0.0.1:1", False),
        ("::1", "http://[::1]:1", True),
        ("10.0.0.0/8, 127.0.0.0/8", "http://127.0.0.1:1", True),
        ("10.0.0.0/8, 127.0.0.2/32, 1/2/3", "http://127.0.0.1:1", False),
        ("127.0.0.0/8", "https://tasks.example.org", False),
        ("*", "https://tasks.example.org", True),
        ("other.example, example.org", "https://tasks.example.org", True),
        (".example.org", "https://tasks.example.org", True),
        ("*.example.org", "https://tasks.example.org", True),
        ("example.com", "https://tasks.example.org", False),
        ("", "https://tasks.example.org", False),
    ],
)
def test_unusable_proxy_does_not_matter_if_none_is_needed(
    names: str, address: str, direct: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks4://u:pw@127.0.0.1:1")
    monkeypatch.setenv("NO_PROXY", names)
    found = find_proxy(address)
    assert (found is None) == direct
    if direct:
        with Client(address, "assay_t"):
            pass
    else:
        assert "pw" not in repr(found)
        said = "^ALL_PROXY is set to the proxy socks4://127.0.0.1:1, which scorer cannot use"
        with pytest.raises(RequestError, match=said), Client(address, "assay_t"):
            pass


def test_proxy_exceptions_of_the_system_are_respected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    assert find_proxy("https://tasks.example.org") is not None
    monkeypatch.setattr("urllib.request.proxy_bypass", "tasks.example.org".__eq__)
    assert find_proxy("https://tasks.example.org") is None


@pytest.mark.parametrize("variable", ["http_proxy", "ALL_PROXY"])
def test_site_is_requested_through_the_configured_proxy(
    variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    with site((200, {}, {"name": "bo"})) as (address, requests):
        monkeypatch.setenv(variable, address.replace("//", "//u:pw@"))
        with Client("http://127.0.0.1:1") as found:
            assert found.json("/me") == {"name": "bo"}
    assert requests == [f"GET http://127.0.0.1:1/api/v1/me Basic {b64encode(b'u:pw').decode()} False"]


def test_rejected_token_message_says_how_to_renew_it(tmp_path: Path) -> None:
    ended = 401, {}, {"code": "bad_token", "detail": "It ended."}
    with site(ended, ended, ended) as (address, _):
        made = f"It ended.\nCreate a new token at {address}/account/tokens/"
        typed = command(tmp_path, "login", address, input="assay_x\n")
        named = command(tmp_path, "status", "--site", address, environ={"ASSAY_TOKEN": "assay_x"})
        write_settings(tmp_path / "assay" / "client.toml", with_login(Settings(None, {}), address, "assay_x"))
        kept = command(tmp_path, "status")
    assert f"{made} and use it in place of this one." in typed.stderr
    assert (
        f"{made} and set ASSAY_TOKEN to it. ASSAY_TOKEN takes precedence over `scorer login`." in named.stderr
    )
    assert f"{made} and run `scorer login {address}`." in kept.stderr


def test_damaged_settings_matter_only_to_commands_that_need_them(tmp_path: Path) -> None:
    path = tmp_path / "assay" / "client.toml"
    path.parent.mkdir()
    path.write_text("site = [", encoding="utf-8")
    environ = {"ASSAY_TOKEN": "assay_x"}
    with site(*[(200, {}, {"items": []})] * 2) as (address, _):
        assert command(tmp_path, "status", "--site", address, environ=environ).exit_code == 0
        assert command(tmp_path, "tasks", environ={**environ, "ASSAY_SITE": address}).exit_code == 0
        needed = command(tmp_path, "tasks", "--site", address)
    assert (needed.exit_code, f"{path}: is damaged" in needed.stderr) == (1, True)
    path.write_text(f'[sites."{address}"]\ntoken = "ü"\n', encoding="utf-8")
    edited = command(tmp_path, "tasks", "--site", address)
    assert (edited.exit_code, f"the token of {address} in {path} is not a token" in edited.stderr) == (
        4,
        True,
    )


@pytest.mark.parametrize(
    ("arguments", "answer", "exit_code", "code"),
    [
        (("tasks", "--site", "SITE"), (409, {}, PROBLEM), 1, "phase_shut"),
        (
            ("tasks", "--site", "SITE"),
            (401, {}, {"code": "bad_token", "detail": "It ended."}),
            4,
            "bad_token",
        ),
        (("tasks", "--site", "SITE"), (200, {}, b"<h1>"), 3, "site_away"),
        (("download", "small", "--site", "SITE"), (200, {}, {"files": 3}), 3, "site_away"),
        (("standings", "small", "--site", "SITE"), (409, {}, PROBLEM), 1, "phase_shut"),
        (("status", "--site", "SITE"), None, 4, "bad_token"),
        (("tasks",), None, 2, "bad_request"),
        (("receipt", "x"), None, 2, "bad_request"),
        (("submit", "none"), None, 2, "bad_request"),
        (("login", "SITE", "--format=json"), None, 2, "bad_request"),
        (("receipt", "1", "--run", "none.tsv"), None, 1, "bad_data"),
    ],
)
def test_json_output_is_one_document_for_any_error(
    tmp_path: Path,
    arguments: tuple[str, ...],
    answer: tuple[int, dict[str, str], object] | None,
    exit_code: int,
    code: str,
) -> None:
    with site(*([] if answer is None else [answer])) as (address, _):
        given = [address if each == "SITE" else each for each in arguments]
        done = command(tmp_path, *given, "--format", "json")
    error = json.loads(done.stdout)
    assert (done.exit_code, error["schema"], error["code"]) == (exit_code, "assay.error/1", code)
    assert error["detail"] in done.stderr
    assert error.get("problem") == (answer[2] if answer is not None and exit_code in (1, 4) else None)
    assert ("problems" in error) == (code == "bad_data")


@pytest.mark.parametrize(
    ("asked", "number"),
    [
        (("login", "SITE"), signal.SIGINT),
        (("tasks", "--site", "SITE"), signal.SIGTERM),
        (("download", "small", "--site", "SITE"), signal.SIGINT),
        (("status", "--site", "SITE"), signal.SIGINT),
        (("receipt", "all", "--site", "SITE"), signal.SIGINT),
        (("standings", "small", "--site", "SITE"), signal.SIGINT),
    ],
)
def test_interrupted_command_is_reported_in_json(
    tmp_path: Path, asked: tuple[str, ...], number: signal.Signals
) -> None:
    environ = {} if asked[0] == "login" else {"ASSAY_TOKEN": "assay_x"}
    with site((-number, {}, None)) as (address, requests), heeding(signal.SIGINT):
        given = [address if each == "SITE" else each for each in asked]
        done = command(tmp_path, *given, "--format", "json", environ=environ, input="assay_x\n")
    assert (done.exit_code, len(requests)) == (128 + number, 1)
    assert json.loads(done.stdout) == {
        "schema": "assay.error/1",
        "code": "stopped",
        "detail": "stopped before the command was finished",
    }
    assert done.stderr.splitlines()[-1] == "stopped before the command was finished"


@pytest.mark.parametrize(
    ("token", "hint"), [("", "write the token there"), ("assay_x", "use ASSAY_TOKEN without a login")]
)
def test_login_without_terminal_and_token_prints_a_message(tmp_path: Path, token: str, hint: str) -> None:
    done = command(tmp_path, "login", "https://tasks.example.org", input="\n", environ={"ASSAY_TOKEN": token})
    assert (done.exit_code, "standard input has no token" in done.stderr) == (4, True)
    assert hint in done.stderr


def test_unanswered_prompt_stops_a_login(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "scorer.cli.site.login.sys", SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True))
    )
    done = command(tmp_path, "login", "https://tasks.example.org", "--format", "json", input="")
    assert (done.exit_code, json.loads(done.stdout)["code"]) == (130, "stopped")
    assert done.stderr.splitlines()[-1] == "stopped before the command was finished"


def test_interrupted_download_names_the_files_already_written(tmp_path: Path) -> None:
    task = task_of_files(b"1\n", b"2\n")
    with site(task, (200, {}, b"1\n"), (-signal.SIGINT, {}, None)) as (address, _), heeding(signal.SIGINT):
        asked = "download", "small", "--to", str(tmp_path), "--site", address, "--format", "json"
        done = command(tmp_path, *asked)
    document = json.loads(done.stdout)
    assert (done.exit_code, document["schema"], document["code"]) == (130, "assay.download/1", "stopped")
    assert [(one["file"], one["state"]) for one in document["files"]] == [
        (str(tmp_path / "0.tsv"), "written")
    ]
    assert [each.name for each in tmp_path.iterdir()] == ["0.tsv"]


def test_login_is_stored_and_deleted_without_printing_the_token(tmp_path: Path) -> None:
    me = {"name": "bo", "token": {"name": "script", "scopes": ["read", "submit"], "ends_at": END}}
    with site((200, {}, me)) as (address, requests):
        done = command(tmp_path, "login", address, input="assay_secret\n")
    assert (done.exit_code, done.stdout) == (
        0,
        f"Logged in to {address} as bo. The token may read, submit, until 2027-01-01 12:00:00 UTC.\n",
    )
    assert requests == ["GET /api/v1/me Bearer assay_secret False"]
    assert "secret" not in done.output
    assert "assay_secret" in (tmp_path / "assay" / "client.toml").read_text(encoding="utf-8")
    assert command(tmp_path, "logout").exit_code == 0
    assert "assay_secret" not in (tmp_path / "assay" / "client.toml").read_text(encoding="utf-8")


def test_empty_run_name_is_a_usage_error(tmp_path: Path) -> None:
    for name in ("", " \n"):
        refused = command(tmp_path, "submit", str(tmp_path), "--task", "small", "--run", name)
        assert (refused.exit_code, "a run needs a name" in refused.output) == (2, True)


def test_status_shows_until_when_each_phase_accepts_files(tmp_path: Path) -> None:
    ends = {
        "trial": ("over", "A", "B", "has been closed since B"),
        "dev": ("grace", "A", "B", "accepts late files until B"),
        "test": ("open", END, "B", "accepts files until 2027-01-01 12:00:00 UTC, and late files until B"),
        "open": ("open", "A", "A", "accepts files until A"),
        "late": ("grace", "A", END, "accepts late files until 2027-01-01 12:00:00 UTC"),
        "after": ("open", None, None, "accepts files and has no deadline"),
        "own": (
            "open",
            "B",
            "C",
            "accepts files until B (your team only; other teams until A), and late files until C",
        ),
    }
    phases = [
        {
            "phase": slug,
            "state": state,
            "closes": closes,
            "grace_ends": late,
            "closes_for_all": "A" if slug == "own" else closes,
            "runs": [],
            "withdrawn": [],
        }
        for slug, (state, closes, late, _words) in ends.items()
    ]
    early = [
        {"phase": "soon", "state": "early", "opens": "O", "closes": END, "grace_ends": END},
        {"phase": "ever", "state": "early", "opens": "O", "closes": None, "grace_ends": None},
    ]
    with site((200, {}, {"team": {"name": "birch"}, "phases": phases, "early": early})) as (address, _came):
        known = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "ASSAY_TOKEN": "a-token"}
        done = CliRunner().invoke(cli, ["status", "small", "--site", address], env=known)
    assert done.exit_code == 0, done.output
    said = [f"{slug} {words}" for slug, (_state, _closes, _late, words) in ends.items()]
    said += ["soon opens at O and accepts files until 2027-01-01 12:00:00 UTC", "ever opens at O"]
    assert done.stdout.splitlines() == [
        "small, team birch",
        *said,
        "There are no runs yet in a phase that accepts files.",
    ]


SEES_ALL = 422, {}, {"code": "unprocessable_entity", "detail": "See fields.", "status": 422}
HIDDEN = 403, {}, {"code": "scope_missing", "detail": "It lacks “organize”.", "status": 403}
NO_TEAM = 403, {}, {"code": "forbidden", "detail": "Only members of a team can do this.", "status": 403}


@pytest.mark.parametrize(
    ("counted", "exit_code", "words"),
    [
        ([SEES_ALL, HIDDEN, (200, {}, {"team": {"name": "birch"}, "phases": []}), NO_TEAM], 0, ""),
        ([SEES_ALL, NO_TEAM], 0, "You are not in a team yet."),
        ([SEES_ALL, HIDDEN, NO_TEAM], 4, "It lacks “organize”."),
        ([SEES_ALL, (401, {}, {"code": "bad_token", "detail": "It ended.", "status": 401})], 4, "It ended."),
        ([(409, {}, PROBLEM)], 1, "The phase is over."),
    ],
)
def test_person_with_a_role_in_one_task_sees_status_of_the_others(
    tmp_path: Path, counted: list[tuple[int, dict[str, str], object]], exit_code: int, words: str
) -> None:
    tasks = [{"slug": f"task-{number}"} for number in range(len(counted))]
    with site((200, {}, {"items": tasks}), *counted) as (address, _):
        done = command(tmp_path, "status", "--site", address, environ={"ASSAY_TOKEN": "assay_x"})
    assert (done.exit_code, words in done.stderr) == (exit_code, True), done.output
    assert ("task-2, team birch" in done.stdout) == (not words)


@pytest.mark.parametrize("asked", [("status", "small"), ("receipt", "all", "--task", "small")])
def test_organizer_without_a_team_is_told_why_status_is_not_shown(
    tmp_path: Path, asked: tuple[str, ...]
) -> None:
    keys = 200, {}, {"schema": "assay.keys/1", "site": "https://x", "keys": []}
    answers = [keys, SEES_ALL] if asked[0] == "receipt" else [SEES_ALL]
    with site(*answers) as (address, _):
        done = command(tmp_path, *asked, "--site", address, environ={"ASSAY_TOKEN": "assay_x"})
    assert (done.exit_code, done.stderr) == (
        1,
        "Error: your role in small lets you see all teams, so you have no team of your own there; "
        "use the token of a member of the team\n",
    )


@pytest.mark.parametrize("asked", ["download", "standings", "status"])
@pytest.mark.parametrize("name", ["", "."])
def test_empty_task_name_is_a_usage_error(tmp_path: Path, asked: str, name: str) -> None:
    environ = {"ASSAY_TOKEN": "assay_x"}
    done = command(tmp_path, asked, name, "--site", "http://127.0.0.1:1", environ=environ)
    assert (done.exit_code, f'"{name}" is not the name of a task; `scorer tasks` lists' in done.stderr) == (
        2,
        True,
    )


def test_task_list_shows_when_a_phase_opens_and_until_when_it_accepts_files(tmp_path: Path) -> None:
    phases = [
        {"slug": "dev", "state": "open", "window": {"opens": END, "closes": None, "grace_ends": None}},
        {"slug": "test", "state": "early", "window": {"opens": END, "closes": END, "grace_ends": END}},
    ]
    task = {"slug": "small", "title": "Small", "state": "published", "levels": [], "phases": phases}
    answers = (200, {}, {"items": [{"slug": "small"}]}), (200, {}, task)
    with site(*answers, *answers) as (address, _):
        listed = command(tmp_path, "tasks", "--site", address).stdout.splitlines()
        document = json.loads(command(tmp_path, "tasks", "--site", address, "--format", "json").stdout)
    time = "2027-01-01 12:00:00 UTC"
    assert [re.split(" {2,}", line) for line in listed] == [
        ["task", "phase", "state", "opens", "closes", "late until", "title"],
        ["small", "dev", "open", "Small"],
        ["small", "test", "not yet open", time, time, "Small"],
    ]
    assert document["tasks"][0]["phases"] == phases


def test_task_list_shows_that_a_task_is_a_draft_or_archived(tmp_path: Path) -> None:
    phase = {"slug": "dev", "state": "open", "window": {"opens": None, "closes": None, "grace_ends": None}}
    for state, shown_state in (("draft", "draft, open"), ("archived", "archived")):
        task = {"slug": "small", "title": "Small", "state": state, "levels": [], "phases": [phase]}
        answers = (200, {}, {"items": [{"slug": "small"}]}), (200, {}, task)
        with site(*answers, *answers) as (address, _):
            listed = command(tmp_path, "tasks", "--site", address).stdout.splitlines()
            values = json.loads(command(tmp_path, "tasks", "--site", address, "--format", "json").stdout)
        assert re.split(" {2,}", listed[1]) == ["small", "dev", shown_state, "Small"]
        assert values["tasks"][0]["state"] == state


def test_written_and_unwritten_files_are_all_listed(tmp_path: Path) -> None:
    contents = [b"a\tb\n", b"c\td\n", b"1\n"]
    answers = task_of_files(*contents), *((200, {}, data) for data in contents[1:])
    (tmp_path / "0.tsv").write_bytes(contents[0])
    for mine in ("1.tsv", "2.tsv"):
        (tmp_path / mine).write_bytes(b"mine\n")
    with site(*answers) as (address, _):
        asked = "download", "small", "--to", str(tmp_path), "--site", address, "--format", "json"
        done = command(tmp_path, *asked)
    document = json.loads(done.stdout)
    words = "already exists and differs; move it away, or replace it with --force"
    assert (done.exit_code, document["schema"], document["code"]) == (1, "assay.download/1", "bad_data")
    assert [(one["file"], one["state"]) for one in document["files"]] == [
        (str(tmp_path / "0.tsv"), "there already")
    ]
    faults = [str(tmp_path / mine) for mine in ("1.tsv", "2.tsv")]
    assert document["problems"] == [
        {"file": fault, "line": None, "code": "other_file", "message": words, "text": None} | ONE_LINE
        for fault in faults
    ]
    assert (document["count"], done.stderr.splitlines()) == (2, [f"{fault}: {words}" for fault in faults])


def test_unwritable_folder_is_named_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task = task_of_files(b"a\tb\n", b"c\td\n")
    monkeypatch.setattr("scorer.client.local_files.TemporaryFile", shut)
    with site(task, task) as (address, requests):
        asked = "download", "small", "--to", str(tmp_path), "--site", address, "--format", "json"
        done = command(tmp_path, *asked)
        assert len(requests) == 1
        for number, data in enumerate((b"a\tb\n", b"c\td\n")):
            (tmp_path / f"{number}.tsv").write_bytes(data)
        assert command(tmp_path, *asked).exit_code == 0
    message = "no file can be written here: Permission denied; name another folder"
    document = json.loads(done.stdout)
    assert (done.exit_code, done.stderr) == (1, f"{tmp_path}: {message}\n")
    assert document["problems"] == [
        {"file": str(tmp_path), "line": None, "code": "not_written", "message": message, "text": None}
        | ONE_LINE
    ]


def task_of_files(*contents: bytes) -> tuple[int, dict[str, str], object]:
    """A site's answer: a task with these files, which are named by their numbers."""
    files = [
        {
            "level": "p2s",
            "split": "test",
            "kind": "items",
            "filename": f"{number}.tsv",
            "sha256": sha256_of(data),
            "n_items": 1,
            "run_limit": None,
        }
        for number, data in enumerate(contents)
    ]
    return 200, {}, {"files": files, "starter_kit": []}


def shut(**_options: object) -> None:
    """The error of a folder without write permission."""
    raise PermissionError(13, "Permission denied")


@pytest.mark.parametrize("asked", ["download", "standings", "status"])
def test_unknown_task_is_named_with_the_command_that_lists_tasks(tmp_path: Path, asked: str) -> None:
    missing = 404, {}, {"code": "not_found", "detail": "There is no such task.", "status": 404}
    environ = {"ASSAY_TOKEN": "assay_x"}
    with site(missing) as (address, _):
        done = command(tmp_path, asked, "smal", "--site", address, environ=environ)
    assert (done.exit_code, done.stderr) == (
        1,
        f'Error: there is no task "smal" at {address}; `scorer tasks` lists all tasks\n',
    )


@pytest.mark.parametrize(
    ("arguments", "exit_code", "code"),
    [(("download", NO_TEXT), 2, "bad_request"), (("receipt", "1", "--to", NO_TEXT), 1, "bad_data")],
)
def test_names_that_are_not_utf8_are_reported_in_json_too(
    tmp_path: Path, arguments: tuple[str, ...], exit_code: int, code: str
) -> None:
    (tmp_path / NO_TEXT).write_bytes(b"1")
    environ = {"ASSAY_SITE": "http://127.0.0.1:1", "ASSAY_TOKEN": "assay_x", "HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "scorer.cli", *arguments, "--format", "json"],
        cwd=tmp_path,
        env={**environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8:strict"},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, json.loads(done.stdout)["code"]) == (exit_code, code), done.stderr
    problems = json.loads(done.stdout).get("problems", [{"file": NO_TEXT}])
    assert [one["file"] for one in problems] == [NO_TEXT]
    assert b"not UTF-8" in done.stderr or b"is not a folder" in done.stderr
