"""Findings: sentences for people, JSON for programs."""

import json

import pytest

from scorer.errors import RequestError
from scorer.proof.findings import Finding, is_proved, render_proof

FINDINGS = [
    Finding("holds", "Signed."),
    Finding("fails", "The file\nis\x1b[2J another."),
    Finding("open", "By whom."),
]


def test_message_stays_on_one_line_without_terminal_control_characters() -> None:
    text = render_proof("a receipt", FINDINGS, "text")
    assert (
        text.splitlines()[2]
        == "FAILED: The file\N{REPLACEMENT CHARACTER}is\N{REPLACEMENT CHARACTER}[2J another."
    )
    assert text.splitlines()[-1] == "1 FAILED: 1 proved, 1 open."


def test_json_has_every_message_unchanged() -> None:
    values = json.loads(render_proof("a receipt", FINDINGS, "json"))
    assert values["schema"] == "assay.verify/1"
    assert values["proved"] is False
    assert [(each["state"], each["text"]) for each in values["findings"]] == [
        (each.state, each.text) for each in FINDINGS
    ]


def test_open_point_neither_fails_nor_proves() -> None:
    assert is_proved([FINDINGS[0], FINDINGS[2]])
    assert not is_proved([FINDINGS[2]])
    assert not is_proved(FINDINGS)


def test_unknown_format_is_rejected() -> None:
    with pytest.raises(RequestError, match='no format "xml"'):
        render_proof("a receipt", FINDINGS, "xml")
