"""The export of a round for organizers: everything from which the scorer recomputes its figures and its gold.

The same answers give the same bytes. Nothing in it says who an annotator is.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from jinja2 import StrictUndefined, Template
from sqlalchemy import select
from sqlalchemy.orm import Session

from scorer.campaigns.drafts.next_stage import OPTIONS
from scorer.campaigns.highlights import RULE as HIGHLIGHTS
from scorer.campaigns.scales import expect_ratings, format_expected_ratings
from server.annotation.assignments import gates, plans
from server.annotation.campaigns import service as campaigns
from server.annotation.models import AnnotationRound, Unit, UnitRole
from server.annotation.results import answer_rows, gold, known_gold, tables
from server.annotation.results.compared_rounds import list_compared
from server.core.storage import storage_of

_README = Template(
    Path(__file__).with_name("readme.md").read_text(encoding="utf-8"),
    trim_blocks=True,
    keep_trailing_newline=True,
    undefined=StrictUndefined,
)


def name_folder(round_: AnnotationRound) -> str:
    """Return the name of the folder in the zip file, which is made of slugs."""
    return f"{round_.campaign.task.slug}-{round_.campaign.slug}-{round_.slug}"


def write_files(session: Session, round_: AnnotationRound, folder: Path) -> None:
    """Write the export of a round into an empty folder, for someone who may see all of the task."""
    campaign, files = round_.campaign, {}
    for plan in plans.list_plans(session, round_):
        files[f"plan-{plan.number}.json"] = storage_of(session).get(plan.sha256)
    if campaigns.get_gold_round(campaign) is round_ and campaign.gold_rule is not None:
        files["gold.tsv"] = gold.write_gold(gold.preview_gold(session, campaign))
    compared = list_compared(session, round_)
    scale = round_.rules.scale
    files["README.md"] = _README.render(
        round=round_,
        is_compared=bool(compared),
        decided=tables.list_decided(session, round_),
        next_kinds=OPTIONS,
        expected=format_expected_ratings(expect_ratings(scale.min, scale.max)),
    ).encode()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    answers = write_answers(session, round_, folder)
    write_figure_files(session, round_, compared, folder)
    _write_manifest(session, answers, folder)


def write_answers(session: Session, round_: AnnotationRound, folder: Path) -> answer_rows.RoundAnswers:
    """Write every answer that the export may have, and return what becomes of each."""
    answers = answer_rows.load_answers(session, round_)
    _write_lines(folder / "answers.jsonl", _list_answer_lines(session, answers))
    return answers


def write_figure_files(
    session: Session, round_: AnnotationRound, compared: Sequence[AnnotationRound], folder: Path
) -> None:
    """Write what `scorer figures` computes the figures from, except answers.jsonl and manifest.json."""
    tables.write_tables(session, round_, compared, folder)
    known_gold.write_known_gold(session, round_, folder)
    for role, name in _list_unit_files(round_).items():
        _write_lines(folder / name, _list_unit_lines(session, round_, role))
    (folder / "campaign").mkdir()
    with ZipFile(BytesIO(storage_of(session).get(round_.campaign.bundle_sha256))) as zipped:
        for name in zipped.namelist():
            (folder / "campaign" / name.rpartition("/")[2]).write_bytes(zipped.read(name))


def _write_lines(path: Path, lines: Iterator[str]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(f"{line}\n" for line in lines)


def _list_unit_files(round_: AnnotationRound) -> dict[UnitRole, str]:
    files: dict[UnitRole, str] = {"main": "units.tsv"}
    if round_.rules.calibration:
        files["calibration"] = "calibration.tsv"
    if round_.kind == "bws":
        files["item"] = "items.tsv"
    if round_.kind == "choose":
        files["sentence"] = "reports.tsv"
    return files


def _list_unit_lines(session: Session, round_: AnnotationRound, role: UnitRole) -> Iterator[str]:
    """Yield a header and a line for each unit with a role; tuples have the keys of their items."""
    query = select(Unit).where(Unit.round_id == round_.id, Unit.role == role).order_by(Unit.position)
    units = session.scalars(query.execution_options(yield_per=answer_rows.BATCH))
    names: list[str] = []
    for number, unit in enumerate(units):
        keys = [key for key, _text in unit.candidates or ()] if round_.kind == "bws" else []
        if number == 0:
            names = sorted(unit.texts)
            items = [f"Item{place}" for place in range(1, len(keys) + 1)]
            yield "\t".join(("key", "group", "genre", *items, *names))
        texts = (unit.texts.get(name, "") for name in names)
        yield "\t".join((unit.key, unit.group or "", unit.genre or "", *keys, *texts))


def _list_answer_lines(session: Session, answers: answer_rows.RoundAnswers) -> Iterator[str]:
    """Yield every answer as JSON on one line."""
    candidates = tables.list_candidates(session, answers.round_)
    for row in answer_rows.iterate_rows(session, answers.round_):
        values = _answer_values(row, answers)
        if row.unit in candidates:
            values["order"] = tables.order_shown(row, candidates[row.unit], answers.round_)
        yield json.dumps(values, ensure_ascii=False)


def _answer_values(row: answer_rows.AnswerRow, answers: answer_rows.RoundAnswers) -> dict[str, Any]:
    return {
        "id": answers.numbers[row.id],
        "plan": row.plan,
        "assignment": row.assignment,
        "pass": answers.passes[row.pass_number - 1],
        "block": row.block,
        "turn": row.position,
        "step": answers.step_numbers[row.step_id],
        "slot": row.slot,
        "unit": row.unit,
        "annotator": row.annotator,
        "value": row.value,
        "picks": row.picks,
        "written": row.written,
        "late": row.standing == "late",
        "outcome": answers.outcomes[row.id],
        "supersedes": None if row.supersedes_id is None else answers.numbers[row.supersedes_id],
        "shown": tables.format_time(row.shown_at),
        "arrived": tables.format_time(row.arrived_at),
        "since": tables.round_seconds(row.since),
        "elapsed": round(row.elapsed, 3),
        "visible": row.visible,
        "input": row.input,
        "comment": row.comment,
        "reason": row.reason,
        "texts_sha256": row.texts_sha256,
    }


def _write_manifest(session: Session, answers: answer_rows.RoundAnswers, folder: Path) -> None:
    """Write what the export is of, and the hashes of its other files."""
    round_, paths = answers.round_, sorted(path for path in folder.rglob("*") if path.is_file())
    hashes = {}
    for path in paths:
        with path.open("rb") as file:
            hashes[path.relative_to(folder).as_posix()] = hashlib.file_digest(file, "sha256").hexdigest()
    manifest: dict[str, Any] = {
        "schema": "assay.campaign/1",
        "campaign": round_.campaign.slug,
        "round": round_.slug,
        "answers": len(answers.outcomes),
        "outcomes": dict(sorted(Counter(answers.outcomes.values()).items())),
        "withdrawn answers": answer_rows.count_withdrawn_answers(session, round_),
        "excluded": {name: exclusion.reason for name, exclusion in answers.exclusions.items()},
        "files": hashes,
    }
    if round_.rules.gate is not None:
        manifest["failed"] = sum(not passed for passed in gates.list_verdicts(session, round_).values())
    if round_.kind == "choose":
        manifest["highlighting"] = HIGHLIGHTS if round_.rules.highlight else "none"
    text = json.dumps(manifest, ensure_ascii=False, indent=1) + "\n"
    (folder / "manifest.json").write_text(text, encoding="utf-8", newline="")
