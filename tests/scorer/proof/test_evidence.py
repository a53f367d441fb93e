"""Evidence offline: what holds is said, and whatever a forger or a careless site changes fails by name."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest
from click.testing import CliRunner, Result

from scorer.cli.__main__ import cli
from scorer.proof.signing import public_key
from tests.bench.bench_flips_evidence import in_files, in_zip
from tests.scorer import small_evidence
from tests.scorer.small_evidence import KEY, packed, resign, sealed, sha256, statement, write, write_evidence

OTHER = b"k" * 32
EARLY, LATER = "2026-03-01T12:00:00.000000Z", "2026-03-21T12:00:00.000000Z"


def scorer(*arguments: object) -> Result:
    found = CliRunner().invoke(cli, [str(argument) for argument in arguments])
    assert found.exception is None or isinstance(found.exception, SystemExit), found.exception
    return found


def verify(path: Path, *more: object) -> Result:
    return scorer("verify", path, *more)


def test_folder_and_zip_verify_and_the_board_is_recomputed(tmp_path: Path) -> None:
    folder = write_evidence(tmp_path / "evidence", inference=True)
    found = verify(folder, "--key", folder / "keys.json")
    assert found.exit_code == 0, found.stdout
    for words in (
        "proved: All 20 files listed in evidence.json are here and unchanged, and there are no others.",
        "keys.json, this key is key 1 of https://assay.test.",
        "proved: release.json is signed by https://assay.test (with its key 1 in ",
        "claimed: release.json was signed at 2026-03-20 12:00:00 UTC.",
        "proved: 4 receipts are signed by https://assay.test (with its key 1 in ",
        "claimed: The files of these 4 receipts arrived at 2026-03-10 12:00:00 UTC.",
        "open: The evidence does not prove the dates and attributes of the files",
        "proved: The ranks, totals and order in board.json follow from its values and rules.",
        "proved: gold/p2s.tsv is gold version 1 of p2s. With its salt, it has the hash in the release.",
        "proved: board.json was recomputed from the items, gold labels and runs. It is the same",
        "proved: inference.json was recomputed, with its intervals, tests, rank ranges and clusters.",
        "open: The evidence says that entry 40 of the activity log of https://assay.test ",
    ):
        assert words in found.stdout
    zipped = verify(packed(folder), "--no-inference")
    assert zipped.exit_code == 0
    assert "open: The evidence does not prove that the key belongs to the site" in zipped.stdout
    assert f"proved: release.json is signed by the holder of the key {public_key(KEY)}." in zipped.stdout
    assert f"proved: 4 receipts are signed by the holder of the key {public_key(KEY)}." in zipped.stdout
    assert "https://assay.test (with" not in zipped.stdout
    assert "open: The evidence does not prove how the zip file is packed" in zipped.stdout
    assert "open: inference.json was not recomputed, because --no-inference was given." in zipped.stdout
    printed = scorer("board", packed(folder), "--format", "json")
    assert (printed.exit_code, printed.stdout) == (0, (folder / "board.json").read_text("utf-8"))
    assert "board.json was recomputed" in printed.stderr
    inferred = scorer("board", folder, "--bootstrap", 200, "--significance", "--format", "json")
    assert json.loads(inferred.stdout)["inference"] == json.loads(
        (folder / "inference.json").read_text("utf-8")
    )


def test_run_that_the_site_accepted_is_not_refused_for_its_first_column(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "1\t0.9\n2\t0.5\n3\t0.7\n4\t0.1\n5\t0.3\n"
    monkeypatch.setitem(small_evidence.FILES, "runs/evaluation/birch/one/p2s.tsv", text)
    folder = write_evidence(tmp_path / "evidence")
    assert "proved: board.json was recomputed from the items" in verify(folder).stdout
    assert scorer("board", folder).exit_code == 0


def test_runs_are_not_added_to_evidence(tmp_path: Path) -> None:
    result = scorer("board", write_evidence(tmp_path / "evidence"), "--runs", tmp_path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--runs adds runs to a bundle, and this is evidence" in result.stderr


def test_board_of_evidence_mentions_receipts_only_if_there_are_any(tmp_path: Path) -> None:
    with_receipts = scorer("board", write_evidence(tmp_path / "with")).stderr
    without = scorer("board", write_evidence(tmp_path / "without", receipts=False)).stderr
    assert "Verified: files, signatures, 4 receipts and ranks." in with_receipts
    assert "Verified: files, signatures and ranks. The evidence has no receipts." in without


def test_without_gold_signed_values_are_ranked_again(tmp_path: Path) -> None:
    folder = write_evidence(tmp_path / "evidence", inference=True)
    said = statement(folder)
    for path in [*(folder / "gold").iterdir(), folder / "salts.json"]:
        path.unlink()
    text = (folder / "task.toml").read_text("utf-8")
    for level in ("p2s", "s2p"):
        text = text.replace(f', gold = "gold/{level}.tsv", public_gold = true', "")
    write(folder, "task.toml", text)
    sealed(folder, (("gold", "It is not public."),))
    found = verify(folder)
    assert found.exit_code == 0, found.stdout
    assert said["gold"][0]["commitment"] in (folder / "release.json").read_text("utf-8")
    assert "open: The evidence lacks gold, or part of it. It is not public." in found.stdout
    assert "The ranks, totals and order in board.json follow" in found.stdout
    assert "was recomputed" not in found.stdout
    for values in ("the values in board.json", "the intervals and tests in inference.json"):
        for more in ((), ("--no-inference",)):
            why = f"open: {values[0].upper()}{values[1:]} cannot be recomputed, because the evidence lacks"
            assert why in verify(folder, *more).stdout
    printed = scorer("board", folder, "--format", "json")
    assert (printed.exit_code, printed.stdout) == (0, (folder / "board.json").read_text("utf-8"))
    assert "The evidence has no gold: It is not public." in printed.stderr
    assert f"signed with the key {public_key(KEY)}. They were not recomputed" in printed.stderr
    inferred = scorer("board", folder, "--significance", "--format", "json")
    assert json.loads(inferred.stdout)["inference"] == json.loads(
        (folder / "inference.json").read_text("utf-8")
    )
    assert "they were not recomputed." in inferred.stderr
    assert re.search(r"\[\S+, \S+\]", scorer("board", folder, "--bootstrap", 1000).stdout)
    (folder / "inference.json").unlink()
    sealed(folder, (("gold", "It is not public."), ("inference", "It is not computed yet.")))
    plain = scorer("board", folder, "--significance")
    assert (plain.exit_code, plain.stdout) == (0, scorer("board", folder).stdout)
    assert (
        "Intervals and tests are not available: they need gold and runs, or inference.json." in plain.stderr
    )
    for option, words in (
        ("--without-baselines", "a signed leaderboard cannot change"),
        ("--phase=practice", 'this bundle has no phase "practice"'),
    ):
        refused = scorer("board", folder, option)
        assert (refused.exit_code, words in refused.output) == (2, True), refused.output


def reranked(folder: Path) -> None:
    """A board with its two rows swapped, signed as if it were the released one."""
    values = json.loads((folder / "board.json").read_text("utf-8"))
    values["official"].reverse()
    write(folder, "board.json", json.dumps(values, ensure_ascii=False, indent=1) + "\n")
    resign(folder, "release.json", lambda said: said.update(board=sha256(folder, "board.json")))


def rescored(folder: Path) -> None:
    """A board with another value at the place that moves no rank."""
    text = (folder / "board.json").read_text("utf-8")
    row = json.loads(text)["late"][0]["levels"]["s2p"]["pearson"]["value"]
    write(folder, "board.json", text.replace(repr(row), "0.125"))
    resign(folder, "release.json", lambda said: said.update(board=sha256(folder, "board.json")))


def other_inference(folder: Path) -> None:
    write(folder, "inference.json", '{"schema": "assay.inference/1", "systems": []}')
    sealed(folder)


def other_gold(folder: Path) -> None:
    write(folder, "gold/p2s.tsv", "4\n3\n0\n2\n1.5\n")
    sealed(folder)


def one_receipt(**change: object) -> Callable[[Path], None]:
    return lambda folder: resign(folder, "receipts/1.json", lambda said: said.update(change))


def one_statement(**change: object) -> Callable[[Path], None]:
    return lambda folder: resign(folder, "release.json", lambda said: said.update(change))


def swapped_receipts(folder: Path) -> None:
    first, second = ((folder / f"receipts/{n}.json").read_text("utf-8") for n in (3, 4))
    write(folder, "receipts/3.json", second)
    write(folder, "receipts/4.json", first)
    sealed(folder)


CONTRADICTIONS = (
    (lambda folder: write(folder, "items/p2s.tsv", "x\n"), "items/p2s.tsv has 2 bytes, not"),
    (lambda folder: (folder / "items/p2s.tsv").unlink(), "items/p2s.tsv is missing."),
    (lambda folder: write(folder, "runs/more.tsv", "1\n"), "runs/more.tsv is not listed in evidence.json."),
    (lambda folder: (folder / "x").symlink_to("/etc/passwd"), "x is not listed in evidence.json."),
    (lambda folder: sealed(folder, key=OTHER), "keys.json does not have the key of evidence.json."),
    (reranked, "The ranks, totals or order in board.json do not follow from its values and rules."),
    (rescored, "It is different: late[1].total.pearson.value is 0.125 in the file"),
    (other_inference, "inference.json does not have the systems of board.json in the same order."),
    (other_gold, "gold/p2s.tsv is not gold version 1 of p2s. With its salt, it does not have the hash"),
    (one_statement(board="0" * 64), "release.json names another board.json than"),
    (one_statement(rules="0" * 64), "release.json names another rules.json than"),
    (one_statement(number=2), "release.json names another number than"),
    (one_statement(split="trial"), "do not agree about the split."),
    (one_statement(gold=[]), "do not agree about the gold versions."),
    (one_statement(made=EARLY), "keys.json does not have the key of release.json for"),
    (one_receipt(arrived=LATER), "receipts/1.json is for a file that arrived after the release was made."),
    (one_receipt(late=True), "receipts/1.json and task.toml differ about whether"),
    (one_receipt(phase="practice"), "receipts/1.json is for another task or phase."),
    (one_receipt(level="s2p"), "receipts/1.json is for the level s2p, test"),
    (one_receipt(gold={"version": 1, "commitment": "0" * 64}), "receipts/1.json has another salted hash of"),
    (one_receipt(items={"sha256": "0" * 64, "count": 5, "public_sha256": None}), "is for other items than"),
    (swapped_receipts, "receipts/3.json is for the level s2p"),
)  # fmt: skip


@pytest.mark.parametrize(("change", "words"), CONTRADICTIONS, ids=[words for _, words in CONTRADICTIONS])
def test_every_mismatch_is_reported_and_fails(
    tmp_path: Path, change: Callable[[Path], None], words: str
) -> None:
    folder = write_evidence(tmp_path / "evidence")
    change(folder)
    found = verify(folder)
    assert found.exit_code == 1
    assert [line for line in found.stdout.splitlines() if line.startswith("FAILED: ") and words in line], (
        found.stdout
    )
    printed = scorer("board", folder)
    assert printed.exit_code == 1
    assert words in printed.stderr


def test_signature_by_a_foreign_key_fails(tmp_path: Path) -> None:
    folder = write_evidence(tmp_path / "evidence")
    resign(folder, "receipts/2.json", lambda _: None, OTHER)
    found = verify(folder)
    assert found.exit_code == 1
    assert "receipts/2.json is signed with a key that https://assay.test did not have" in found.stdout


def test_after_a_failed_key_nothing_else_is_verified(tmp_path: Path) -> None:
    folder = write_evidence(tmp_path / "evidence", receipts=False)
    unreceipted = verify(folder)
    assert "open: 4 run files have no receipt in the evidence" in unreceipted.stdout
    resign(folder, "release.json", lambda _: None, OTHER)
    for path, more in ((folder, ()), (folder, ("--key", folder / "keys.json"))):
        found = verify(path, *more)
        assert found.exit_code == 1
        said = found.stdout[found.stdout.index("FAILED: ") :]
        assert "keys.json does not have the key of release.json for the claimed time" in said
        assert "proved: " not in said
        assert "open: Nothing else was checked." in said


def test_documents_of_another_site_are_not_verified(tmp_path: Path) -> None:
    """A task that moved to another site keeps them."""
    folder = write_evidence(tmp_path / "evidence")
    resign(folder, "release.json", lambda said: said.update(site="https://first.test"), OTHER)
    resign(folder, "receipts/2.json", lambda said: said.update(site="https://first.test"), OTHER)
    found = verify(folder)
    assert found.exit_code == 0, found.stdout
    assert "The release was made at https://first.test." in found.stdout
    assert "that receipts that name https://first.test are" in found.stdout
    vouched = verify(folder, "--key", folder / "keys.json").stdout
    assert f"release.json is signed by the holder of the key {public_key(OTHER)}." in vouched
    assert f"1 receipt is signed by the holder of the key {public_key(OTHER)}." in vouched
    assert "3 receipts are signed by https://assay.test (with its key 1 in " in vouched


def test_board_of_another_version_is_checked_by_values_and_ranks(tmp_path: Path) -> None:
    folder = write_evidence(tmp_path / "evidence")
    text = (folder / "board.json").read_text("utf-8")
    version = json.loads(text)["scorer"]
    write(folder, "board.json", text.replace(version, "9.8.7"))
    resign(folder, "release.json", lambda said: said.update(board=sha256(folder, "board.json")))
    found = verify(folder)
    assert found.exit_code == 0, found.stdout
    assert f"It was made with scorer 9.8.7; this is scorer {version}" in found.stdout


@pytest.mark.parametrize(
    "name", ["evidence.json", "board.json", "rules.json", "release.json", "salts.json", "inference.json"]
)
def test_odd_documents_give_messages_and_never_tracebacks(tmp_path: Path, name: str) -> None:
    for number, text in enumerate(
        ("", "[]", "{}", '{"schema": 1e999}', "[" * 9000, '{"a": "\\ud800"}', '{"left_out": 5}')
    ):
        folder = write_evidence(tmp_path / str(number))
        write(folder, name, text)
        if name != "evidence.json":
            sealed(folder)
        found = verify(folder)
        assert found.exit_code == 1
        assert found.output.strip()


def test_receipt_options_are_rejected_with_evidence(tmp_path: Path) -> None:
    folder = write_evidence(tmp_path / "evidence")
    found = verify(folder, "--run", folder / "task.toml")
    assert (found.exit_code, "--run cannot be used with the evidence" in found.output) == (2, True)
    plain = verify(folder / "items")
    assert (plain.exit_code, "items: has no evidence.json" in plain.output) == (1, True)


def test_surrounding_folder_is_ignored_and_additional_files_are_named(tmp_path: Path) -> None:
    folder = write_evidence(tmp_path / "outer" / "evidence")
    assert verify(folder.parent).exit_code == scorer("board", folder.parent).exit_code == 0
    data = packed(folder).read_bytes()
    (tmp_path / "more.zip").write_bytes(data)
    (tmp_path / "page.zip").write_text("<html>", "utf-8")
    with ZipFile(tmp_path / "more.zip", "a") as archive:
        archive.writestr("stranger.txt", "x")
    for name, words in (
        ("more.zip", "more.zip: has evidence in evidence/, and beside it stranger.txt, which nothing names"),
        ("page.zip", "page.zip: is not a zip file, or is incomplete; download it again"),
        ("gone.zip", "gone.zip: does not exist; is its name right?"),
    ):
        for found in (verify(tmp_path / name, "--no-inference"), scorer("board", tmp_path / name)):
            assert (found.exit_code, words in found.stderr) == (1, True), found.output


def test_flipped_bits_of_zip_and_files_are_detected(tmp_path: Path) -> None:
    """A thousand each: `tests/bench/bench_flips_evidence.py`."""
    folder = write_evidence(tmp_path / "evidence")
    zipped, files = list(in_zip(folder, 25)), list(in_files(folder, 25))
    assert {*zipped, *files} <= {"found", "said not to be covered"}
    assert zipped.count("found") > 15
    assert files.count("found") > 20
