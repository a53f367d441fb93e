"""Writes a draft as a commented task.toml, with placeholders for what the data does not say."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from scorer.baselines.run_file import BASELINES, Baseline
from scorer.boards.board import BoardRules
from scorer.bundles.drafts.data_files import group_by_reason
from scorer.bundles.drafts.draft import Draft, DraftLevel, DraftRun, DraftSplit
from scorer.bundles.placeholders import PLACEHOLDER_WORD, PLACEHOLDER_YEAR
from scorer.bundles.toml_values import toml_list, toml_table, toml_text
from scorer.errors import printable

_MAX_LISTED = 20
"""The number of unused files that a comment lists for one reason."""
_HEAD = f"""\
# Written by `scorer bundle new` from the files in this folder. It is a proposal: read it once.
# Texts that begin with {PLACEHOLDER_WORD} and dates in the year {PLACEHOLDER_YEAR} are placeholders.
#
#     scorer bundle check FOLDER     lists what is wrong, what a site would host, and what is still to do
#     scorer bundle keys             explains every key
"""
_TOTALS = {
    "sum": "add the levels; or mean, weighted (by items), none",
    "mean": "the mean of the levels; or sum, weighted (by items), none",
    "weighted": "the mean, weighted by the scored items of each level; or sum, mean, none",
    "none": "each level is ranked separately; or sum, mean, weighted (by items)",
}


def write_task_file(draft: Draft) -> str:
    """Write a task.toml for a draft.

    Parameters
    ----------
    draft : Draft
        What is None becomes a placeholder, which `scorer bundle check` lists.

    Returns
    -------
    str
        TOML with comments, in the order of the reference.
    """
    parts = [
        _HEAD,
        *("".join(f"# NOTE: {note}\n" for note in notes) for notes in [draft.notes] if notes),
        _lines(_task(draft)),
        *([_lines(_board(draft))] if len(draft.levels) > 1 else []),
        *(_lines(_level(level)) for level in draft.levels),
        *_phases(draft),
        *_baselines(draft),
        *(_lines(_run(run)) for run in draft.runs),
        *([_lines(_unused(draft))] if draft.unused else []),
    ]
    return "\n".join(parts)


def _lines(lines: Iterator[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _todo(words: str) -> str:
    return f"{PLACEHOLDER_WORD}: {words}"


def _task(draft: Draft) -> Iterator[str]:
    yield "[task]"
    yield f"slug = {toml_text(draft.slug)}  # the name of the task in addresses and commands"
    yield f"title = {toml_text(draft.title or _todo('the title of the task'))}"
    about = _todo("what the task is about, in Markdown (or the name of a file: description.md)")
    yield f"description = {toml_text(draft.description or about)}"
    yield f"terms = {toml_text(draft.terms or 'none')}  # what teams must accept before they submit"
    licence = f"see {draft.licence}" if draft.licence else _todo("the licence of the data")
    yield f"licence = {toml_text(licence)}"
    yield f"organizers = {toml_text(_todo('the names of the organizers'))}"
    yield f"contact = {toml_text(_todo('an email address or a link, which everyone can see'))}"
    yield from _scale(draft)
    yield f"metrics = {toml_list(draft.metrics)}  # the first one is official"
    if draft.keyed is None:
        yield 'run_format = "aligned"  # line X of a run has the score of item X'
    else:
        keyed = {name: getattr(draft.keyed, name) for name in ("id", "score", "gold", "confidence")}
        yield 'run_format = "keyed"  # a run is a table with a header and a row for each item'
        named = {name: column for name, column in keyed.items() if column}
        yield f"keyed = {toml_table(named)}  # the columns of a run"
    if draft.confidence != 1:
        yield f"confidence = {draft.confidence:g}  # the upper end of the scale of confidences"


def _scale(draft: Draft) -> Iterator[str]:
    low, high = (f"{end:g}" for end in draft.scale)
    step = f", step = {draft.step:g}" if draft.step is not None else ""
    why = "a guess from the gold labels" if draft.scale_is_known else "there is no gold: correct this"
    yield f"scale = {{ min = {low}, max = {high}{step} }}  # {why}"
    lowest, highest = _todo("what the lowest rating means"), _todo("what the highest rating means")
    yield f'labels = {{ "{low}" = {toml_text(lowest)}, "{high}" = {toml_text(highest)} }}'


def _board(draft: Draft) -> Iterator[str]:
    yield "[board]"
    yield f"total = {toml_text(draft.total)}  # {_TOTALS[draft.total]}"
    if draft.total != "none" and not BoardRules(draft.total, "entered").rewards_gaps(draft.metrics[0]):
        yield 'total_needs = "entered"  # a system has a total of the levels that it entered'
        if len(draft.levels) > 2:
            yield "enter_at_least = 2  # levels that a system must enter to be in the overall ranking"
    elif draft.total != "none":
        yield 'total_needs = "all"  # only systems that entered every level have a total'
    yield "runs_per_team = 3"


def _level(level: DraftLevel) -> Iterator[str]:
    yield "[[level]]"
    yield f"slug = {toml_text(level.slug)}  # the names of run files contain it"
    yield f"title = {toml_text(level.title)}"
    if isinstance(level.columns, Mapping):
        yield f"columns = {toml_table(level.columns)}  # name in Assay = name in your header"
    elif level.columns:
        rest = "  # the rest is ignored" if "..." in level.columns else ""
        yield f"columns = {toml_list(level.columns)}{rest}"
    if level.delimiter != "tab":
        yield f"delimiter = {toml_text(level.delimiter)}"
    if level.sides is not None:
        yield f"sides = {toml_list(level.sides)}"
    if level.genre is not None:
        why = "  # the part of the id before its last hyphen" if level.genre == "id-prefix" else ""
        yield f"genre = {toml_text(level.genre)}{why}"
    if level.senses is not None:
        yield f"senses = {toml_text(level.senses)}  # the dictionary of the baselines"
    for name, split in level.splits.items():
        yield from _split(name, split)


def _split(name: str, split: DraftSplit) -> Iterator[str]:
    yield f"[level.{name}]  # {split.n} items"
    yield f"items = {toml_text(split.items)}"
    if split.gold is None:
        yield "# gold: none was found. You can also add it on the site."
        return
    yield f"gold = {toml_text(split.gold)}"
    if split.scored is not None:
        yield f"scored = {split.scored}  # the gold file ends here; the other items are not scored"
    if name == "test" and split.shows_gold:
        yield "# Everyone can download the items, and these have the gold. To hide it, write the items to"
        yield "# a file without the column of the labels, name that file in items, and remove public_gold."
    if split.public_gold:
        yield "public_gold = true"


def _phases(draft: Draft) -> Iterator[str]:
    if draft.practice is not None:
        yield _lines(_practice(draft.practice))
    if draft.evaluation:
        yield _lines(_evaluation(draft))
    else:
        yield "# There are no test items yet. When you have them, add [level.test] and a [[phase]] on them.\n"


def _practice(split: str) -> Iterator[str]:
    yield "[[phase]]"
    yield 'slug = "practice"'
    yield f"split = {toml_text(split)}"
    yield 'feedback = "scores"  # teams see their scores at once'


def _evaluation(draft: Draft) -> Iterator[str]:
    yield "[[phase]]"
    yield 'slug = "evaluation"'
    yield 'split = "test"'
    yield f"opens = {_moment(draft.opens, '01-01T00:00:00Z')}"
    yield f"closes = {_moment(draft.closes, '12-31T23:59:59-12:00')}  # -12:00 is anywhere on earth"
    yield "grace_hours = 0  # for late files, which are never ranked"
    yield 'feedback = "hidden"  # or scores, rounded, public-part, ladder'
    yield "runs_public = false  # true: a release publishes the files that count and the late ones"


def _moment(moment: datetime | None, placeholder: str) -> str:
    return (
        f"{PLACEHOLDER_YEAR}-{placeholder}" if moment is None else moment.isoformat().replace("+00:00", "Z")
    )


def _baselines(draft: Draft) -> Iterator[str]:
    if draft.needs_wordnet:
        yield "# At a word-to-sense level, baselines need WordNet 3.0, or a file of definitions (senses).\n"
    for name, baseline in BASELINES.items():
        yield _lines(_baseline(name, baseline))


def _baseline(name: str, baseline: Baseline) -> Iterator[str]:
    yield "[[run]]"
    yield 'team = "organizers"'
    yield f"name = {toml_text(baseline.title)}"
    yield f"baseline = {toml_text(name)}  # {baseline.method}; the scorer computes it"


def _run(run: DraftRun) -> Iterator[str]:
    yield "[[run]]"
    yield f"team = {toml_text(run.team)}"
    yield f"name = {toml_text(run.name)}"
    if run.phase is not None:
        yield f"phase = {toml_text(run.phase)}"
    yield f"files = {toml_table(run.files)}"


def _unused(draft: Draft) -> Iterator[str]:
    yield "# Files that are not used:"
    for reason, paths in group_by_reason(draft.unused).items():
        yield f"# - {printable(reason)}:"
        yield from (f"#       {printable(path)}" for path in paths[:_MAX_LISTED])
        if len(paths) > _MAX_LISTED:
            yield f"#       and {len(paths) - _MAX_LISTED} more"
