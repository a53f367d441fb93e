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


def test_a_sentence_stays_one_line_and_sends_nothing_to_the_terminal() -> None:
    text = render_proof("a receipt", FINDINGS, "text")
    assert (
        text.splitlines()[2]
        == "FAILED: The file\N{REPLACEMENT CHARACTER}is\N{REPLACEMENT CHARACTER}[2J another."
    )
    assert text.splitlines()[-1] == "1 FAILED: 1 proved, 1 not covered."


def test_json_has_every_sentence_as_it_is() -> None:
    values = json.loads(render_proof("a receipt", FINDINGS, "json"))
    assert values["schema"] == "assay.verify/1"
    assert values["proved"] is False
    assert [(each["state"], each["text"]) for each in values["findings"]] == [
        (each.state, each.text) for each in FINDINGS
    ]


def test_what_is_left_open_fails_nothing_and_proves_nothing() -> None:
    assert is_proved([FINDINGS[0], FINDINGS[2]])
    assert not is_proved([FINDINGS[2]])
    assert not is_proved(FINDINGS)


def test_another_format_is_refused() -> None:
    with pytest.raises(RequestError, match='no format "xml"'):
        render_proof("a receipt", FINDINGS, "xml")
