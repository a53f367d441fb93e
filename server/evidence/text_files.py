"""The text files of a release’s evidence: `task.toml`, from the rules of that release, and a README."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import tomli_w

from scorer.proof.evidence import INFERENCE, SALTS
from server.bundles import task_toml
from server.phases.models import Phase
from server.releases.run_files import ReleasedFile
from server.releases.service import ReleaseState
from server.tasks.models import Level, Split

FOLDERS = ("items", "public", "senses", "runs")
TOML_HEADER = "# Evidence of a release: `scorer verify` says what it proves, `scorer board` prints it.\n\n"


@dataclass(frozen=True, slots=True)
class EvidenceContents:
    """What `task.toml` of the evidence describes.

    `golds`: the gold's file by level. `baselines`: what each run file is.
    """

    phase: Phase
    state: ReleaseState
    levels: Sequence[tuple[Level, Split]]
    files: Mapping[str, str]
    golds: Mapping[str, str]
    baselines: Mapping[str, str | None]


def write_toml(of: EvidenceContents, runs: Mapping[str, ReleasedFile]) -> str:
    """The bundle as the release's rules have it, with one phase and one split."""
    rules = of.state.release.rules
    task = task_toml.task_values(of.phase.task) | {"title": of.state.board["title"], "terms": "none"}
    del task["history"]
    board = {**rules["board"], "oov": of.phase.task.oov, "runs_per_team": rules["runs_per_team"]}
    values = {
        "task": task,
        "board": board,
        "level": [
            _level(of, level, split, level_rules)
            for (level, split), level_rules in zip(of.levels, rules["levels"], strict=True)
        ],
        "phase": [_phase(rules)],
        "run": _runs(of, runs),
    }
    return TOML_HEADER + tomli_w.dumps({name: value for name, value in values.items() if value})


def _level(of: EvidenceContents, level: Level, split: Split, rules: Mapping[str, Any]) -> dict[str, Any]:
    file, gold = of.files[level.slug], of.golds.get(level.slug)
    values = {
        "slug": level.slug,
        "title": rules["title"],
        **level.layout,
        "sides": level.sides,
        "metrics": rules["metrics"],
        "counts": rules["counts"],
        "senses": None if level.senses_sha256 is None else f"senses/{file}",
        split.name: task_toml.drop_none(
            {
                "items": f"items/{file}",
                "gold": gold,
                "public_gold": gold is not None,
                "held_out_genres": split.held_out_genres,
                "public_items": None if split.public_items_sha256 is None else f"public/{file}",
            }
        ),
    }
    return task_toml.drop_none(values)


def _phase(rules: Mapping[str, Any]) -> dict[str, Any]:
    phase, feedback = rules["phase"], rules["feedback"]
    at = {name: datetime.fromisoformat(phase[name]) for name in ("opens", "closes") if phase[name]}
    return task_toml.drop_none(
        {
            **phase,
            **{name: at.get(name) for name in ("opens", "closes")},
            "feedback": feedback["kind"],
            "places": feedback["places"],
            "step": feedback["step"],
            "runs_public": rules["runs_public"],
            "runs_per_team": rules["runs_per_team"],
            "files_per_level": rules["files_per_level"],
            "files_per_day": rules["files_per_day"],
        }
    )


def _runs(of: EvidenceContents, files: Mapping[str, ReleasedFile]) -> list[dict[str, Any]]:
    """The runs with their files on time and late, baselines too: so that no dictionary is needed."""
    files_by_run: dict[tuple[str, str, str | None], dict[str, dict[str, str]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    for path, file in sorted(files.items()):
        key = (file.team, file.run, of.baselines[path])
        files_by_run[key]["late_files" if file.late else "files"][file.level] = path
    return [
        task_toml.drop_none({"team": team, "name": run, "phase": of.phase.slug, "baseline": baseline, **by})
        for (team, run, baseline), by in files_by_run.items()
    ]


def write_readme(phase: Phase, number: int, site: str, names: Collection[str], *, whole: bool) -> str:
    """What is in the bundle, and the commands that check it; `whole`: all gold and runs are in it."""
    address = f"{site}/tasks/{phase.task.slug}/boards/{phase.slug}/releases/{number}"
    inside = {name.partition("/")[0] for name in names}
    folders = "".join(f", `{folder}/`" for folder in FOLDERS if folder in inside)
    does = "computes the board from it" if whole else "prints the values that were signed, ranked anew"
    more = {
        f"scorer board . --bootstrap 10000 --significance    # with {INFERENCE}": INFERENCE in inside,
        "- `gold/`, `salts.json`: the gold, and what shows that it was not changed.": SALTS in inside,
        "- `receipts/`: what was signed as each file came.": "receipts" in inside,
        f"- `{INFERENCE}`: intervals, tests, rank ranges and clusters.": INFERENCE in inside,
    }
    again, *listed = (f"{text}\n" if present else "" for text, present in more.items())
    return f"""\
# Evidence of release {number}: {phase.task.title}, {phase.title}

From {address}. Every file is named, with its SHA-256, by `evidence.json`,
which is signed; it says what is left out, and why.

With the command `scorer` of Assay, which needs no network:

    scorer verify .                       # what this proves, and what it cannot, sentence by sentence
    scorer verify . --key ../keys.json    # with {site}/keys.json, fetched by yourself
    scorer board .                        # {does}
{again and "    " + again}
- `board.json`, `rules.json`: the board, and what it was made under. `release.json`: what was signed of it.
- `task.toml`{folders}: the task as the release has it.
{"".join(listed)}"""
