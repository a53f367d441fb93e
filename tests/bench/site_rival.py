"""The naive rival of the board: each time one query over all submissions, and a table of what it found."""

import os
from collections.abc import Iterable, Iterator
from typing import Any

from flask import Flask, render_template_string
from sqlalchemy import create_engine, text

QUERY = """
SELECT team.name, run.name, level.slug, score.value
FROM submission JOIN run ON run.id = submission.run_id JOIN team ON team.id = run.team_id
JOIN level ON level.id = submission.level_id JOIN score ON score.submission_id = submission.id
WHERE score.metric = 'pearson' ORDER BY submission.id
"""
PAGE = """<!doctype html><title>Board</title><table>
{% for total, system, values in rows %}
<tr><td>{{ loop.index }}</td><td>{{ system[0] }}</td><td>{{ system[1] }}</td>
{% for level in levels %}<td>{{ "%.3f"|format(values[level]) if level in values else "-" }}</td>{% endfor %}
<td>{{ "%.3f"|format(total) }}</td></tr>
{% endfor %}</table>"""

app = Flask(__name__)
engine = create_engine(os.environ["RIVAL_DATABASE"])


def newest(rows: Iterable[Any]) -> dict[tuple[str, str], dict[str, float]]:
    """The newest score of each system and level."""
    systems: dict[tuple[str, str], dict[str, float]] = {}
    for team, run, level, value in rows:
        systems.setdefault((team, run), {})[level] = value
    return systems


def ordered(systems: dict[tuple[str, str], dict[str, float]]) -> Iterator[Any]:
    """Total, name and values of each system, the best first."""
    totals = ((sum(values.values()), system, values) for system, values in systems.items())
    yield from sorted(totals, key=lambda row: row[0], reverse=True)


@app.get("/")
def board() -> str:
    """The current board."""
    with engine.connect() as connection:
        systems = newest(connection.execute(text(QUERY)))
    levels = sorted({level for values in systems.values() for level in values})
    return render_template_string(PAGE, rows=ordered(systems), levels=levels)
