"""The findings of a verification: sentences about what is proved, claimed, wrong or open."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from scorer.errors import RequestError, printable
from scorer.reports.records import write_document

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
    """A finding about a signed document.

    Parameters
    ----------
    state : "holds", "says", "fails" or "open"
        "holds": it was proved. "says": the signer claims it, and the signature proves only that the signer
        said it. "fails": a check failed. "open": neither the document nor the other input can show it.
    text : str
        A sentence for people.
    """

    state: FindingState
    text: str


def proved(text: str) -> Finding:
    """Return a finding that something is proved."""
    return Finding("holds", text)


def claimed(text: str) -> Finding:
    """Return a finding that the signer claims something."""
    return Finding("says", text)


def failed(text: str) -> Finding:
    """Return a finding that a check failed."""
    return Finding("fails", text)


def not_covered(text: str) -> Finding:
    """Return a finding that something cannot be shown with this input."""
    return Finding("open", text)


def has_failed(findings: Iterable[Finding]) -> bool:
    """Whether any check failed."""
    return any(finding.state == "fails" for finding in findings)


def run_checks(*stages: Iterable[Finding]) -> list[Finding]:
    """Run stages of checks in order, stop after the first stage that fails, and return all findings so far.

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
    """Whether something is proved and nothing failed. What is not covered does not count as a failure.

    >>> is_proved([Finding("holds", "It is signed."), Finding("open", "The signer is not known.")])
    True
    >>> is_proved([])
    False
    """
    return any(finding.state == "holds" for finding in findings) and not has_failed(findings)


def render_proof(title: str, findings: Sequence[Finding], format_: str) -> str:
    """Render findings as text or JSON.

    Parameters
    ----------
    title : str
        One line that names the document that was verified.
    findings : sequence of Finding
        The findings, in the order in which they are listed.
    format_ : str
        One of `FORMATS`.

    Returns
    -------
    str
        The report, which ends in a newline.

    Raises
    ------
    RequestError
        If the format is unknown.

    Examples
    --------
    >>> found = [Finding("holds", "It is signed."), Finding("open", "The signer is not known.")]
    >>> print(render_proof("a note", found, "text"), end="")
    a note
    proved: It is signed.
    open: The signer is not known.
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
    return "".join(f"{printable(line)}\n" for line in lines)


def _summary(findings: Sequence[Finding]) -> str:
    holds, says, fails, uncovered = (
        sum(finding.state == state for finding in findings) for state in ("holds", "says", "fails", "open")
    )
    verdict = f"{fails} FAILED" if fails else "Nothing failed"
    says_text = f" {says} claimed," if says else ""
    return f"{verdict}: {holds} proved,{says_text} {uncovered} open."


def _json(title: str, findings: Sequence[Finding]) -> str:
    rows = [asdict(finding) for finding in findings]
    return write_document(SCHEMA, title=title, proved=is_proved(findings), findings=rows)
