"""The activity log of a task as a download: each entry as a sentence, with all that its hash covers."""

import json
from typing import IO, Literal, get_args

from sqlalchemy.orm import Session

from server.access import service as access
from server.activity import service as activity
from server.audit import service as audit
from server.core.actors import Actor
from server.core.table_formats import write_table
from server.tasks.models import Task

Ending = Literal["tsv", "jsonl"]
ENDINGS: tuple[Ending, ...] = get_args(Ending)
COLUMNS = ("number", "at", "words", "action", "actor", "task", "team", "details", "previous", "sha256")


def write_log(session: Session, actor: Actor, task: Task, ending: Ending, out: IO[bytes]) -> None:
    """Write all entries of a task, the oldest first, for people who may see all of it.

    Raises:
        Forbidden, NotFound: `actor` may not see all of the task.
    """
    access.require_observer(session, actor, task)
    if ending == "tsv":
        out.write(write_table("tsv", COLUMNS, ()).encode())
    for lines in activity.stream_task_log(session, task):
        out.write((_table(lines) if ending == "tsv" else "".join(map(_json_line, lines))).encode())


def _table(lines: list[activity.LogLine]) -> str:
    return write_table("tsv", COLUMNS, [_row(line) for line in lines]).partition("\n")[2]


def _row(line: activity.LogLine) -> list[str]:
    entry = line.entry
    details = json.dumps(entry.details, ensure_ascii=False, sort_keys=True)
    task, team = ("" if number is None else str(number) for number in (entry.task_id, entry.team_id))
    named = (entry.action, entry.actor, task, team, details, entry.previous, entry.sha256)
    return [str(entry.number), entry.at.isoformat(), line.words, *named]


def _json_line(line: activity.LogLine) -> str:
    content = audit.content_of(line.entry)
    values = {**content, "sha256": line.entry.sha256, "words": line.words}
    return json.dumps(values, ensure_ascii=False) + "\n"
