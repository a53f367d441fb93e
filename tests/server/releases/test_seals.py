"""The statement of a release: signed as it is made and as it is named, and carried along as it is."""

import json
from pathlib import Path

import pytest

from scorer.proof.signing import gold_commitment, has_valid_signature, read_signed, sign
from scorer.proof.statements import ReleaseStatement, read_statement
from server import bundles
from server.audit.models import AuditEntry
from server.core import db
from server.core.errors import InvalidFile
from server.core.storage import text_sha256
from server.gold.models import GoldVersion
from server.releases import pseudonyms, seals
from server.releases.models import Release, ReleaseSeal
from tests.server.round_trip import packed, unpack
from tests.server.world import AFTER, LATE, World


def statement_of(seal: ReleaseSeal) -> ReleaseStatement:
    signed = read_signed(seal.text.encode(), "release.json")
    assert has_valid_signature(signed)
    assert signed.as_written
    return read_statement(signed, "release.json")


def sealed(world: World, release: Release) -> list[ReleaseStatement]:
    seals_of = world.session.query(ReleaseSeal).filter_by(release_id=release.id)
    return sorted((statement_of(seal) for seal in seals_of), key=lambda said: said.made)


def entry(world: World, action: str) -> AuditEntry:
    return world.session.query(AuditEntry).filter_by(action=action).one()


def test_release_signature_covers_board_rules_gold_and_audit_log(world: World) -> None:
    world.upload(world.run(), "p2s")
    world.fix_gold("s2p", b"3.5\n0.25\n2.25\n1\n", LATE)
    release = world.release()
    (said,) = sealed(world, release)
    assert (said.site, said.task, said.phase, said.split, said.number, said.made) == (
        "https://assay.test", "small", "evaluation", "test", 1, AFTER,
    )  # fmt: skip
    assert said.board == release.sha256
    assert said.rules == text_sha256(seals.format_rules(release.rules))
    made = entry(world, "release.add")
    assert (said.audit_number, said.audit_sha256) == (made.number, made.sha256)
    versions = {(one.split.level.slug, one.number): one for one in world.session.query(GoldVersion)}
    assert said.gold == {
        slug: (
            number,
            gold_commitment(
                bytes.fromhex(versions[slug, number].salt), world.storage.get(versions[slug, number].sha256)
            ),
        )
        for slug, number in (("p2s", 1), ("s2p", 2))
    }
    client = world.client()
    answer = client.get("/tasks/small/boards/evaluation/releases/1/release.json")
    assert answer.text == seals.get_seal(world.session, release.id, release.sha256).text
    world.withdraw_release()
    assert client.get("/tasks/small/boards/evaluation/releases/1/release.json").status_code == 410


def test_team_names_are_signed_only_once_they_are_revealed(world: World) -> None:
    world.upload(world.run(), "p2s")
    release = world.release(AFTER - (AFTER - LATE) / 2, anonymous=True)
    (first,) = sealed(world, release)
    assert first.board == release.sha256
    seal = seals.get_seal(world.session, release.id, release.sha256)
    assert release.named_sha256 is not None
    assert release.named_sha256 not in seal.text
    with db.writing(world.session):
        pseudonyms.reveal_names(world.session, world.actor("ada"), world.phase(), AFTER)
    assert [said.board for said in sealed(world, release)] == [release.sha256, release.named_sha256]
    named = sealed(world, release)[1]
    assert (named.gold, named.rules, named.made) == (first.gold, first.rules, AFTER)
    assert named.audit_sha256 == entry(world, "release.name").sha256


def change(folder: Path, content: dict[str, object], *, key: bytes | None = None) -> None:
    """Replace the statement of the export and fix its hash; sign it again with `key`."""
    source, files = folder / "history.json", folder / "history" / "files"
    sha256 = json.loads(source.read_text("utf-8"))["release_seals"][0]["text"]
    values = json.loads((files / sha256).read_text("utf-8"))
    values["signed"] |= content
    text = json.dumps(values, indent=1) + "\n" if key is None else sign(values["signed"], key)
    source.write_text(source.read_text("utf-8").replace(sha256, text_sha256(text)), "utf-8")
    (files / text_sha256(text)).write_text(text, "utf-8")


OTHERS = (
    ({"split": "trial"}, False, "its signature is not of this content: it was changed"),
    ({"board": "0" * 64}, True, "it is of another board"),
    ({"rules": "0" * 64}, True, "it is of other rules"),
    ({"gold": []}, True, "it is of other gold"),
    ({"number": 2}, True, "it is of another task, phase or release"),
    ({"made": "2026-03-10T12:00:00.000000Z"}, True, "it is of another time"),
    ({"note": "x"}, True, "note: is not known to this version"),
)


def test_import_rejects_statement_not_signed_for_this_release(world: World, tmp_path: Path) -> None:
    world.upload(world.run(), "p2s")
    world.release()
    out = packed(world.site)
    for number, (content, resigned, why) in enumerate(OTHERS):
        history = unpack(out, tmp_path / str(number))
        change(history, content, key=b"k" * 32 if resigned else None)
        with pytest.raises(InvalidFile) as refused:
            bundles.plan_import(history)
        (problem,) = refused.value.problems
        assert problem.message.startswith("release_seals[0].text: is n")
        assert problem.message.endswith(why)
