"""What was found out about a signed document: a sentence for each thing proved, claimed, failed or open."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from scorer._version import __version__
from scorer.errors import RequestError

FORMATS = ("text", "json")
SCHEMA = "assay.verify/1"
FindingState = Literal["holds", "says", "fails", "open"]
_STATE_WORDS: dict[FindingState, str] = {
    "holds": "proved",
    "says": "claimed",
    "fails": "FAILED",
    "open": "open",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One sentence about a signed document.

    Parameters
    ----------
    state : "holds", "says", "fails" or "open"
        "says" is what its signer claims: the signature makes it theirs, and not true. "open" is what the
        document, or what was given beside it, cannot tell.
    text : str
        A sentence for people.
    """

    state: FindingState
    text: str


def proved(text: str) -> Finding:
    """What is certain."""
    return Finding("holds", text)


def claimed(text: str) -> Finding:
    """What the signer says."""
    return Finding("says", text)


def failed(text: str) -> Finding:
    """What is not as it should be."""
    return Finding("fails", text)


def not_covered(text: str) -> Finding:
    """What cannot be told."""
    return Finding("open", text)


def has_failed(findings: Iterable[Finding]) -> bool:
    """Whether something is not as it should be."""
    return any(finding.state == "fails" for finding in findings)


def run_checks(*stages: Iterable[Finding]) -> list[Finding]:
    """What stages of checks find, one after the other, up to the first in which something fails.

    >>> [finding.text for finding in run_checks([proved("One.")], [failed("Two.")], [proved("Three.")])]
    ['One.', 'Two.']
    """
    findings: list[Finding] = []
    for stage in stages:
        findings += stage
        if has_failed(findings):
            break
    return findings


def is_proved(findings: Sequence[Finding]) -> bool:
    """Whether something is proved and nothing failed; what is left open is no failure.

    >>> is_proved([Finding("holds", "It is signed."), Finding("open", "By whom.")])
    True
    >>> is_proved([])
    False
    """
    return any(finding.state == "holds" for finding in findings) and not has_failed(findings)


def render_proof(title: str, findings: Sequence[Finding], format_: str) -> str:
    """Write findings in one of the formats.

    Parameters
    ----------
    title : str
        What was looked at, in one line.
    findings : sequence of Finding
        In the order in which they are told.
    format_ : str
        One of `FORMATS`.

    Returns
    -------
    str
        With a newline at its end.

    Raises
    ------
    RequestError
        If there is no such format.

    Examples
    --------
    >>> found = [Finding("holds", "It is signed."), Finding("open", "By whom.")]
    >>> print(render_proof("a note", found, "text"), end="")
    a note
    proved: It is signed.
    open: By whom.
    Nothing failed: 1 proved, 1 open.
    """
    if format_ not in FORMATS:
        raise RequestError(f'there is no format "{format_}" (known: {", ".join(FORMATS)})')
    return (_text if format_ == "text" else _json)(title, findings)


def _text(title: str, findings: Sequence[Finding]) -> str:
    lines = [
        title,
        *(f"{_STATE_WORDS[finding.state]}: {finding.text}" for finding in findings),
        _summary(findings),
    ]
    return "".join(f"{_printable(line)}\n" for line in lines)


def _summary(findings: Sequence[Finding]) -> str:
    holds, says, fails, uncovered = (
        sum(finding.state == state for finding in findings) for state in ("holds", "says", "fails", "open")
    )
    verdict = f"{fails} FAILED" if fails else "Nothing failed"
    says_text = f" {says} claimed," if says else ""
    return f"{verdict}: {holds} proved,{says_text} {uncovered} open."


def _printable(line: str) -> str:
    """A line that stays one, and that a terminal takes for nothing but text."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in line)


def _json(title: str, findings: Sequence[Finding]) -> str:
    import json  # noqa: PLC0415  the other format does not pay for it

    values = {
        "schema": SCHEMA,
        "scorer": __version__,
        "title": title,
        "proved": is_proved(findings),
        "findings": [{"state": finding.state, "text": finding.text} for finding in findings],
    }
    return json.dumps(values, ensure_ascii=False, indent=1) + "\n"
