"""The statement of a release, verified alone and with the downloaded board."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from scorer.cli.__main__ import cli
from scorer.proof.document_verification import NamedFile
from scorer.proof.findings import Finding
from scorer.proof.keys import read_keys
from scorer.proof.signing import read_signed, sign
from scorer.proof.statements import read_statement, statement_title, verify_statement
from tests.scorer.small_receipt import FOLDER, PRIVATE, SITE, hash_of, keys

CONTENT: dict[str, Any] = {
    "schema": "assay.release/1",
    "site": SITE,
    "task": "harbour",
    "phase": "evaluation",
    "split": "test",
    "number": 2,
    "made": "2026-03-20T12:00:00.000000Z",
    "board": hash_of("after.json"),
    "rules": "cd" * 32,
    "gold": [{"level": "sentence2phrase", "version": 1, "commitment": "ef" * 32}],
    "audit": {"number": 2345, "sha256": "ab" * 32},
}


def verified(data: bytes, board: str | None = None, published: bytes | None = None) -> dict[str, list[str]]:
    """The sentences by their state."""
    document = read_signed(data, "release.json")
    statement = read_statement(document, "release.json")
    assert statement_title(statement, "release.json").startswith(
        f"release.json: release 2 of {SITE}, task harbour"
    )
    beside = None if board is None else NamedFile(board, (FOLDER / board).read_bytes())
    ring = None if published is None else ("keys.json", read_keys(published, "keys.json"))
    findings: list[Finding] = verify_statement(document, statement, ring, beside)
    return {
        state: [each.text for each in findings if each.state == state]
        for state in ("holds", "says", "fails", "open")
    }


def test_statement_proves_release_time_and_board_and_leaves_the_rest_open() -> None:
    alone = verified(sign(CONTENT, PRIVATE).encode())
    assert (len(alone["holds"]), len(alone["says"]), alone["fails"]) == (1, 2, [])
    assert [word in "\n".join(alone["open"]) for word in ("/keys", "--board FILE", "evidence", "2345")] == [
        True
    ] * 4
    beside = verified(sign(CONTENT, PRIVATE).encode(), "after.json", keys())
    assert (len(beside["holds"]), len(beside["open"])) == (3, 4)


@pytest.mark.parametrize(
    ("changed", "board", "published", "words"),
    [
        (("", ""), "before.json", None, "before.json is not the leaderboard of this statement"),
        (
            ("", ""),
            None,
            keys(until="2026-03-15"),
            "It was not in use at the claimed time of signing, 2026-03-20 12:00:00",
        ),
        (("2345", "2346"), None, None, "The signature by the key"),
        (("cdcd", "cdce"), "after.json", None, "The signature by the key"),
    ],
)
def test_mismatch_fails(
    changed: tuple[str, str], board: str | None, published: bytes | None, words: str
) -> None:
    found = verified(sign(CONTENT, PRIVATE).replace(*changed).encode(), board, published)
    (sentence,) = found["fails"]
    assert words in sentence
    assert found["says"] == [] or board == "before.json"


def test_verify_command_recognizes_a_statement_and_its_options(tmp_path: Path) -> None:
    path, board = tmp_path / "release.json", FOLDER / "after.json"
    path.write_text(sign(CONTENT, PRIVATE), encoding="utf-8")

    def verify(*arguments: object) -> Result:
        return CliRunner().invoke(cli, ["verify", *map(str, arguments)])

    result = verify(path, "--board", board)
    assert (result.exit_code, f"proved: {board} is the leaderboard of this statement" in result.stdout) == (
        0,
        True,
    )
    assert verify(path, "--board", FOLDER / "before.json").exit_code == 1
    refused = verify(path, "--run", board)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "--run cannot be used with the statement of a release, which this is" in refused.stderr
    assert verify(FOLDER / "receipt.json", "--board", board).exit_code == 2
    path.write_text(sign({**CONTENT, "more": 1}, PRIVATE), encoding="utf-8")
    assert verify(path).stderr == f"{path}: more: is not known to this version\n"
