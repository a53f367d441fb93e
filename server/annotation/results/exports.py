"""The export of a round for organizers: everything from which the scorer recomputes its figures and its gold.

The same answers give the same bytes. Nothing in it says who an annotator is.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from io import BytesIO
from typing import Any
from zipfile import ZipFile

from sqlalchemy.orm import Session

from scorer.campaigns.counted import AnswerOutcome
from scorer.reports.records import write_csv
from server.access import service as access
from server.annotation.assignments import plans
from server.annotation.campaigns import service as campaigns
from server.annotation.models import Campaign, Unit
from server.annotation.results import answer_rows, gold
from server.annotation.results.answer_rows import AnswerRow, RoundAnswers
from server.core.actors import Actor
from server.core.storage import Storage

AGREE_OPTIONS = (
    "--unit", "unit", "--annotator", "annotator", "--rating", "rating", "--time", "at",
    "--seconds", "seconds", "--genre", "genre", "--by-genre", "--bootstrap", "1000",
)  # fmt: skip
"""The options with which `scorer agree` reads `ratings.csv`."""
RATING_COLUMNS = ("unit", "annotator", "rating", "at", "seconds", "clock", "genre", "turn")


def list_export_files(
    session: Session, storage: Storage, actor: Actor, campaign: Campaign
) -> list[tuple[str, Callable[[], bytes]]]:
    """List the files of an export by name, the manifest last.

    Raises:
        Forbidden, NotFound: `actor` may not see all of the task.
    """
    access.require_observer(session, actor, campaign.task)
    of_round = campaigns.get_round(campaign)
    answers, units = answer_rows.load_answers(session, of_round), plans.list_units(session, of_round)
    files = {
        **_read_bundle(storage.get(campaign.bundle_sha256)),
        "units.tsv": _write_units(units),
        **{
            f"plan-{plan.number}.json": storage.get(plan.sha256)
            for plan in plans.list_plans(session, of_round)
        },
        "answers.jsonl": _write_answers(answers),
        **{name_ratings(slug): write_ratings(answers, slug) for slug in answers.passes},
    }
    if campaign.gold_rule is not None:
        files["gold.tsv"] = gold.write_gold(gold.preview_gold(session, campaign))
    files["README.md"] = _README.format(slug=campaign.slug, options=" ".join(AGREE_OPTIONS)).encode()
    outcomes = Counter(answers.outcomes.values())
    manifest = {
        "schema": "assay.campaign/1",
        "campaign": campaign.slug,
        "round": of_round.slug,
        "answers": len(answers.rows),
        "outcomes": dict(sorted(outcomes.items())),
        "withdrawn answers": answer_rows.count_withdrawn_answers(session, of_round),
        "excluded": {name: exclusion.reason for name, exclusion in answers.exclusions.items()},
        "files": {name: hashlib.sha256(data).hexdigest() for name, data in files.items()},
    }
    files["manifest.json"] = (json.dumps(manifest, ensure_ascii=False, indent=1) + "\n").encode()
    return [(name, partial(files.__getitem__, name)) for name in files]


def _read_bundle(data: bytes) -> dict[str, bytes]:
    """Return the files from which the campaign was made, which the site packed itself."""
    with ZipFile(BytesIO(data)) as zipped:
        return {f"campaign/{name.rpartition('/')[2]}": zipped.read(name) for name in zipped.namelist()}


def name_ratings(pass_slug: str) -> str:
    """Return the name of the file with the ratings of a pass."""
    return f"ratings-{pass_slug}.csv" if pass_slug else "ratings.csv"


def write_ratings(answers: RoundAnswers, pass_slug: str) -> bytes:
    """Write the counted answers of a pass as a table that `scorer agree` reads: by unit and slot."""
    table = [
        [
            row.unit,
            row.annotator,
            row.value,
            format_time(row.arrived_at),
            round(row.elapsed, 3) if row.visible is None else row.visible,
            "elapsed" if row.visible is None else "visible",
            row.genre or "",
            row.position,
        ]
        for row in sorted(answers.list_counted(pass_slug), key=lambda row: (row.unit, row.slot, row.id))
    ]
    return write_csv(RATING_COLUMNS, table).encode()


def format_time(at: datetime) -> str:
    """Format an instant as ISO 8601 in UTC, with milliseconds."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _write_answers(answers: RoundAnswers) -> bytes:
    """Write every answer ever given, one JSON object on each line."""
    return "".join(
        json.dumps(_answer_values(row, answers.passes, answers.outcomes[row.id]), ensure_ascii=False) + "\n"
        for row in answers.rows
    ).encode()


def _answer_values(row: AnswerRow, passes: Sequence[str], outcome: AnswerOutcome) -> dict[str, Any]:
    return {
        "id": row.id,
        "plan": row.plan,
        "assignment": row.assignment,
        "pass": passes[row.pass_number - 1],
        "block": row.block,
        "turn": row.position,
        "step": row.step_id,
        "slot": row.slot,
        "unit": row.unit,
        "annotator": row.annotator,
        "value": row.value,
        "picks": row.picks,
        "standing": row.standing,
        "outcome": outcome,
        "supersedes": row.supersedes_id,
        "shown": format_time(row.shown_at),
        "arrived": format_time(row.arrived_at),
        "elapsed": round(row.elapsed, 3),
        "visible": row.visible,
        "input": row.input,
        "comment": row.comment,
        "reason": row.reason,
        "texts_sha256": row.texts_sha256,
    }


def _write_units(units: Sequence[Unit]) -> bytes:
    names = sorted({name for unit in units for name in unit.texts})
    lines = ["\t".join(("key", "group", "genre", *names))]
    for unit in units:
        texts = (unit.texts.get(name, "") for name in names)
        lines.append("\t".join((unit.key, unit.group or "", unit.genre or "", *texts)))
    return "".join(f"{line}\n" for line in lines).encode()


_README = """# Campaign {slug}

`ratings.csv` has the answers that count, one on each line; `answers.jsonl` has every answer ever given. Its
`outcome` says what became of each: counted, superseded by a later one, surplus (the unit had enough answers),
excluded, late (after the round was closed), or "no value" (the annotator could not judge the unit). Times are
in UTC. `seconds` is how long the page was in front (clock `visible`), or, where there was no script, the time
from the page to the answer (`elapsed`). Annotators have pseudonyms.

    scorer agree ratings.csv {options}
    scorer assignments check plan-1.json campaign answers.jsonl

`gold.tsv`, if the campaign makes one, has one value for each unit of `units.tsv` in its order; an empty line
had too few answers. `manifest.json` has the SHA-256 of each file.
"""
