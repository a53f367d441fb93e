"""How a release is cited: as words, and as an entry for BibTeX."""

from dataclasses import dataclass
from datetime import date, datetime

from scorer.reports.cells import latex_cell

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_BRACES = {r"\{": r"\textbraceleft{}", r"\}": r"\textbraceright{}"}
"""BibTeX counts braces that LaTeX has escaped, too."""


@dataclass(frozen=True, slots=True)
class Citation:
    """What identifies a release for its readers."""

    key: str
    task: str
    board: str
    number: int
    made_at: datetime
    url: str
    sha256: str
    scorer: str

    @property
    def author(self) -> str:
        """The organizers, as one author."""
        return f"Organizers of {self.task}"

    @property
    def title(self) -> str:
        """The task, the board and the number."""
        return f"{self.task}: {self.board} board, release {self.number}"

    @property
    def note(self) -> str:
        """What lets a reader check the copy that they have."""
        return f"SHA-256 {self.sha256}; computed by the scorer of Assay, version {self.scorer}"

    def words(self, accessed: date) -> str:
        """A line for a list of references."""
        return (
            f"{self.author} ({self.made_at.year}). {self.title}. {self.url} "
            f"({self.note}; accessed {accessed.isoformat()})."
        )

    def bibtex(self, accessed: date) -> str:
        """An entry whose key never changes; for BibTeX and biblatex alike."""
        fields = {
            "author": f"{{{_escaped(self.author)}}}",
            "title": f"{{{_escaped(self.title)}}}",
            "year": str(self.made_at.year),
            "month": _MONTHS[self.made_at.month - 1],
            "url": self.url,
            "urldate": accessed.isoformat(),
            "note": f"{_escaped(self.note)}; accessed {accessed.isoformat()}",
        }
        lines = [
            f"  {name} = {value}" if name == "month" else f"  {name} = {{{value}}}"
            for name, value in fields.items()
        ]
        return f"@misc{{{self.key},\n" + ",\n".join(lines) + "\n}\n"


def _escaped(text: str) -> str:
    escaped = latex_cell(text)
    for sign, word in _BRACES.items():
        escaped = escaped.replace(sign, word)
    return escaped
