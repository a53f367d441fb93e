"""Reads the answers of a campaign's export, `answers.jsonl`: one JSON object on each line."""

from dataclasses import dataclass

from scorer.campaigns.counted import AnswerOutcome, AnswerRecord
from scorer.errors import RatingsError
from scorer.files.text import BLANKS, Problems, decode_lines
from scorer.typed_json import PLAIN_READER, Fault, list_members, parse_json


@dataclass(frozen=True, slots=True)
class ExportedAnswer:
    """An answer of an export, the numbers of its plan and assignment, and what the site says became of it.

    `turn`: the position in the assignment. `elapsed`, `visible`: the seconds by the server's clock, and by
    that of the page, if its script ran. `input`: how the answer was given.
    """

    record: AnswerRecord
    plan: int
    assignment: int
    turn: int
    outcome: AnswerOutcome
    elapsed: float
    visible: float | None
    input: str

    @property
    def seconds(self) -> float:
        """The time for the answer: by the page's clock if it is known."""
        return self.elapsed if self.visible is None else self.visible


_OTHERS = {key: member for key, member in list_members(ExportedAnswer).items() if key != "record"}


def parse_answers(data: bytes, source: str) -> list[ExportedAnswer]:
    """Read the answers of an export.

    Parameters
    ----------
    data : bytes
        The file, in UTF-8. Keys other than those of the answer are ignored.
    source : str
        The name of the file in messages.

    Returns
    -------
    list of ExportedAnswer
        In the order of the file.

    Raises
    ------
    RatingsError
        Lists every line that is not an answer, and ids that occur twice.
    """
    problems = Problems(source)
    answers = []
    seen: dict[int, int] = {}
    for number, line in enumerate(decode_lines(data, problems), start=1):
        if line is None or not line.strip(BLANKS):
            continue
        answer = _read_answer(line)
        if answer is None:
            message = "is not an answer as a campaign's export has it; use answers.jsonl unchanged"
            problems.add_line(number, "bad_answer", message)
            continue
        first = seen.setdefault(answer.record.id, number)
        if first != number:
            message = f"answer {answer.record.id} is on line {first} already; keep one of them"
            problems.add_line(number, "duplicate_id", message)
        answers.append(answer)
    problems.raise_as(RatingsError)
    return answers


def _read_answer(line: str) -> ExportedAnswer | None:
    """Read a line; None: it is not an answer."""
    faults = list[Fault]()
    try:
        values = parse_json(line)
    except ValueError:
        return None
    record = PLAIN_READER.read(AnswerRecord, values, faults)
    others = PLAIN_READER.read_members(_OTHERS, values, faults)
    return None if faults else ExportedAnswer(record, **others)
