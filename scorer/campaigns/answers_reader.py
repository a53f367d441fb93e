"""Reads the answers of a campaign's export, `answers.jsonl`: one JSON object on each line."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any, get_args

from scorer.campaigns.counted import AnswerOutcome, AnswerRecord, Block, Picks
from scorer.campaigns.json_values import read_finite, read_text, read_whole
from scorer.errors import RatingsError
from scorer.files.text import BLANKS, Problems, decode_lines


@dataclass(frozen=True, slots=True)
class ExportedAnswer:
    """An answer of an export, the numbers of its plan and assignment, and what the site says became of it."""

    record: AnswerRecord
    plan: int
    assignment: int
    outcome: AnswerOutcome


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
        try:
            answer = _read_answer(json.loads(line))
        except (ValueError, TypeError, KeyError, RecursionError):
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


def _read_answer(values: dict[str, Any]) -> ExportedAnswer:
    late, outcome, value = values["late"], values["outcome"], values["value"]
    block, picks = values.get("block", "main"), values.get("picks")
    is_known = type(late) is bool and outcome in get_args(AnswerOutcome)
    if not is_known or block not in get_args(Block):
        raise ValueError(outcome)
    arrived = datetime.fromisoformat(values["arrived"])
    if arrived.tzinfo is None:
        raise ValueError(arrived)
    record = AnswerRecord(
        id=read_whole(values["id"]),
        unit=read_text(values["unit"]),
        slot=read_whole(values["slot"]),
        annotator=read_text(values["annotator"]),
        value=None if value is None else read_finite(value),
        late=late,
        arrived=arrived,
        step=read_whole(values["step"]),
        block=block,
        pass_slug=read_text(values.get("pass", "")),
        picks=None if picks is None else Picks(read_text(picks["best"]), read_text(picks["worst"])),
    )
    return ExportedAnswer(record, read_whole(values["plan"]), read_whole(values["assignment"]), outcome)
