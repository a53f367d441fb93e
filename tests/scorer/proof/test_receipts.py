"""`scorer verify RECEIPT`: what it proves, what it cannot, and everything that does not fit."""

import json
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, strategies as st

from scorer import __version__
from scorer.cli.__main__ import cli
from scorer.proof.signing import sign
from tests.bench.flips import flipped
from tests.scorer.small_receipt import CONTENT, FOLDER, PRIVATE, SALT, content, hash_of, keys, receipt

RUN, GOLD, ITEMS = (("--" + name, FOLDER / f"{name}.tsv") for name in ("run", "gold", "items"))
SCORED = (*RUN, *GOLD, "--salt", SALT.hex())


def verify(data: bytes, *arguments: object) -> Result:
    """The command on a receipt that comes by standard input."""
    result = CliRunner().invoke(cli, ["verify", "-", *map(str, arguments)], input=data)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def found(data: bytes, *arguments: object, state: str) -> list[str]:
    """The sentences of one state; the exit code goes by whether there are any that fail."""
    result = verify(data, *arguments, "--format", "json")
    values = json.loads(result.stdout)
    states = [each["state"] for each in values["findings"]]
    assert result.exit_code == ("fails" in states) != values["proved"]
    return [each["text"] for each in values["findings"] if each["state"] == state]


def test_golden_receipt_is_reproduced() -> None:
    assert (FOLDER / "receipt.json").read_bytes() == receipt()
    assert (FOLDER / "keys.json").read_bytes() == keys(until="2026-04-01")


def test_with_all_files_everything_provable_is_verified() -> None:
    key = ("--key", FOLDER / "keys.json")
    sentences = found(receipt(), *SCORED, *ITEMS, *key, state="holds")
    assert len(sentences) == 7
    assert (
        "key 2 of https://assay.example.org, which is in use from 2026-03-01 00:00:00 UTC until"
        in sentences[1]
    )
    assert sentences[-2].startswith(f"Scorer {__version__} computes pearson 0.9259298223980535")
    open_ = found(receipt(), *SCORED, *ITEMS, *key, state="open")
    assert [re.split("[.:]", sentence)[0] for sentence in open_[1:]] == [
        "A receipt does not prove that the file counted in the end",
        "A receipt does not prove that the site's clock was right",
        "A receipt does not show who uploaded the file",
    ]
    assert open_[0].startswith("The receipt says that entry 1234 of the activity log of https://")


def test_missing_evidence_leaves_a_point_open_and_says_how_to_verify_it() -> None:
    sentences = "\n".join(found(receipt(), state="open"))
    for hint in ("https://assay.example.org/keys", "--key FILE", "--run FILE", "--gold FILE --salt HEX"):
        assert hint in sentences


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"left_out": ["p2s"]},
            "Not stored with it, because the quota was used up: the files for p2s.",
        ),
        ({}, "The file was on time. It counted when it was accepted. It replaced the file of receipt 12."),
        ({"replaces": None}, "The file was on time. It counted when it was accepted."),
        ({"late": True}, "The file was late. It counted as a late submission when it was accepted"),
        ({"counts": False}, "The file was on time. It did not count."),
        ({"scores": None}, "The file was scored. The phase did not show the scores at that time."),
        ({"scores": []}, "The phase did not show any score of the file at that time."),
    ],
)
def test_counting_state_and_shown_scores_are_described(changes: dict[str, Any], words: str) -> None:
    assert any(words in text for text in found(receipt(**changes), state="says"))


def test_receipts_verify_after_the_site_moved(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    path.write_bytes(keys(site="https://new.example.org"))
    assert found(receipt(), "--key", path, state="fails") == []
    assert any(
        "key 2 of https://new.example.org" in text and "The document names https://assay.example.org" in text
        for text in found(receipt(), "--key", path, state="holds")
    )


@pytest.mark.parametrize(
    ("published", "words"),
    [
        (
            keys(site="https://other.example.org", key=bytes(31) + b"x"),
            "has the keys of https://other.example.org, but the document is from",
        ),
        (
            keys(key=bytes(31) + b"x"),
            "does not have this key, so it is not a key of https://assay.example.org",
        ),
        (
            keys(until="2026-03-10"),
            "until 2026-03-10 00:00:00 UTC. It was not in use at the claimed time of signing, 2026-03-10",
        ),
        (keys(since="2026-03-11"), "which is in use from 2026-03-11 00:00:00 UTC. It was not in use"),
    ],
)
def test_a_key_of_another_site_or_time_fails(published: bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    path.write_bytes(published)
    (sentence,) = found(receipt(), "--key", path, *GOLD, "--salt", SALT.hex(), state="fails")
    assert words in sentence
    assert len(found(receipt(), "--key", path, *GOLD, "--salt", SALT.hex(), state="holds")) == 1


def test_old_receipt_verifies_after_key_rotation_and_an_upload_may_start_before_its_key(
    tmp_path: Path,
) -> None:
    path = tmp_path / "keys.json"
    path.write_bytes(keys(until="2026-03-11"))
    assert not found(receipt(), "--key", path, state="fails")
    assert not found(receipt(arrived="2026-02-28T23:51:00.000000Z"), "--key", path, state="fails")
    assert found(receipt(arrived="2026-02-28T22:30:00.000000Z"), "--key", path, state="fails")


def test_different_file_fails_and_is_described(tmp_path: Path) -> None:
    other = tmp_path / "other.tsv"
    other.write_bytes((FOLDER / "run.tsv").read_bytes() + b"\n")
    (sentence,) = found(receipt(), "--run", other, state="fails")
    assert "is not the run file of this receipt. It has 111 bytes with the SHA-256" in sentence
    for option, words in (("--items", "is not the items"), ("--public-items", "names no public items")):
        (sentence,) = found(receipt(), option, other, state="fails")
        assert words in sentence
    (sentence,) = found(receipt(), *RUN, "--gold", other, "--salt", SALT.hex(), state="fails")
    assert "is not gold version 1. With this salt, it does not have the hash" in sentence
    (sentence,) = found(receipt(), *GOLD, "--salt", "0" * 64, state="fails")
    assert "Check that the file and the salt were published together" in sentence


WRONG = {"scores__0__value": "0.925929822398054"}
ROUNDED = {"scores__0__value": "0.93", "scores__0__signature": "pearson|n:9|places:2|v:0.0.9"}
LADDER = {"scores__0__value": "0.95", "scores__0__signature": "pearson|n:9|ladder:0.05|v:0.0.9"}


@pytest.mark.parametrize(
    ("changes", "state", "words"),
    [
        (
            {**WRONG, "scorer__version": __version__},
            "fails",
            "The receipt has pearson 0.925929822398054, but scorer",
        ),
        (WRONG, "open", "The receipt was made with scorer 0.0.9. Only that version can show"),
        ({"scores__0__signature": "pearson|n:8|v:1", "scorer__version": __version__}, "fails", "n:9"),
        (ROUNDED, "holds", "pearson 0.93, as in the receipt."),
        (LADDER, "open", "depends on earlier files. For this file alone, scorer"),
        ({"scores": None}, "open", "The receipt does not contain the scores. Scorer"),
        ({"scores": None, "scorer__metrics": ["pearson", "bleu"]}, "open", "cannot be recomputed here"),
        (
            {"scores": None, "scorer__metrics": ["choice_accuracy"]},
            "open",
            "needs the items: give --items FILE",
        ),
        (
            {"scores__0__signature": "pearson|n:4|part:public|v:1"},
            "open",
            "give --items FILE and --public-items",
        ),
    ],
)
def test_recomputed_scores_are_checked_against_the_receipt(
    changes: dict[str, Any], state: str, words: str
) -> None:
    assert words in "\n".join(found(receipt(**changes), *SCORED, state=state))


def test_run_that_the_site_accepted_is_scored_whatever_its_first_column_looks_like(tmp_path: Path) -> None:
    run = tmp_path / "run.tsv"
    run.write_text("".join(f"{number}\t0.{number * 7 % 10}\n" for number in range(1, 11)))
    file = {"file__sha256": sha256(run.read_bytes()).hexdigest(), "file__bytes": run.stat().st_size}
    said = verify(receipt(**file), "--run", run, *GOLD, *ITEMS, "--salt", SALT.hex()).output
    assert "computes pearson -0.0765550" in said


def test_keyed_run_and_public_item_scores_are_verified(tmp_path: Path) -> None:
    public = tmp_path / "public.txt"
    public.write_text("".join(f"harbour-{number}\n" for number in (1, 2, 3, 4)))
    keyed, columns = FOLDER / "keyed.tsv", ("--id", "pair_ID", "--score", "Pred_Score")
    signature = "pearson|n:4|part:public|v:0.0.9"
    score = {"metric": "pearson", "value": "0.6", "undefined": None, "signature": signature}
    files = {
        "file__sha256": hash_of("keyed.tsv"),
        "file__bytes": keyed.stat().st_size,
        "items__public_sha256": sha256(public.read_bytes()).hexdigest(),
        "scorer__version": __version__,
    }
    beside = ("--run", keyed, *ITEMS, "--public-items", public, *GOLD, "--salt", SALT.hex())
    assert "name its columns with --id and --score" in "\n".join(
        found(receipt(**files, scores=[score]), *beside, state="open")
    )
    (wrong,) = found(receipt(**files, scores=[score]), *beside, *columns, state="fails")
    score["value"] = wrong.split(" computes pearson ")[1].split(" ")[0]
    assert not found(receipt(**files, scores=[score]), *beside, *columns, state="fails")


def test_changed_receipt_proves_nothing() -> None:
    changed = receipt().replace(b'"birch"', b'"birds"')
    result = verify(changed, *RUN)
    assert result.exit_code == 1
    assert "FAILED: The signature by the key" in result.stdout
    assert "proved:" not in result.stdout


def test_different_json_layout_is_noted_and_does_not_fail() -> None:
    result = verify(json.dumps(json.loads(receipt())).encode())
    assert result.exit_code == 0
    assert "open: The signature does not cover the layout of the file" in result.stdout


@pytest.mark.parametrize(
    ("changes", "places"),
    [
        ({"schema": "assay.receipt/2"}, ["is not known to this version of the scorer; install a newer one"]),
        ({"schema": "assay.note/1"}, ['signed.schema: is not "assay.receipt/1"']),
        (
            {"file": {}, "late": 0},
            ["file.sha256: is missing", "file.bytes: is missing", "late: is not true or"],
        ),
        ({"person": "ada"}, ["person: is not known to this version"]),
        ({"arrived": "2026-03-10T12:00:00Z"}, ["arrived: is not a time such as"]),
        ({"file__sha256": "AB" * 32}, ["file.sha256: is not 64 hexadecimal digits in lower case"]),
        ({"scores__1__value": "1e3"}, ["scores[2].value: is not a number as text"]),
        ({"scores__1__value": None}, ["scores[2]: must have either a value or a reason"]),
        ({"scores__1__metric": "pearson"}, ["scores[2].metric: stands there twice"]),
        ({"site": "assay"}, ["site: is not an address"]),
        (
            {"receipt": 0, "team__id": True, "split": ""},
            ["receipt: is not", "split: is not", "team.id: is not"],
        ),
    ],
)
def test_invalid_receipt_is_rejected_with_every_invalid_place(
    changes: dict[str, Any], places: list[str]
) -> None:
    result = verify(receipt(**changes))
    assert (result.exit_code, result.stdout) == (1, "")
    lines = result.stderr.splitlines()
    assert len(lines) == len(places)
    for line, place in zip(lines, places, strict=True):
        assert line.startswith("<stdin>: ")
        assert place in line


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("--salt", "00"), "--salt needs --gold FILE too"),
        (GOLD, "--gold needs --salt HEX too"),
        ((*GOLD, "--salt", "0" * 63), "--salt must be 64 hexadecimal digits, and this has 63 characters"),
        ((*GOLD, "--salt", "z" * 64), "--salt must be 64 hexadecimal digits"),
        (("--run", "-"), "only one of the files can be standard input"),
        (("--id", "a"), "--score is missing"),
        (("--gold-score", "a"), "also name the columns of the run with --id and --score"),
    ],
)
def test_usage_error_says_how_to_fix_it(arguments: tuple[object, ...], hint: str) -> None:
    result = verify(receipt(), *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert hint in result.stderr


def test_each_flipped_bit_is_detected() -> None:
    for bit, data in flipped(receipt(), 40, seed=1):
        result = verify(data)
        assert result.exit_code == 1, bit
        assert result.stderr or "FAILED" in result.stdout, bit


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab"), inner, max_size=3),
    max_leaves=5,
)


@given(st.binary(max_size=200) | st.builds(lambda value: json.dumps(value).encode(), JSON))
def test_arbitrary_bytes_are_rejected_with_a_message(data: bytes) -> None:
    assert verify(data).stderr.startswith("<stdin>")


@given(st.sampled_from(sorted(CONTENT)), JSON)
def test_arbitrary_signed_values_are_described_or_rejected(name: str, value: object) -> None:
    assert verify(sign({**content(), name: value}, PRIVATE).encode(), *RUN).output
