"""Recompute the board of a release from the files of its evidence, and compare it byte for byte."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from scorer._version import __version__
from scorer.boards.serialization import board_json
from scorer.bundles.bundle import OWN_BASELINE
from scorer.bundles.recompute import Recomputation, open_recomputation
from scorer.errors import DataError, ScorerError
from scorer.proof.evidence import BOARD, INFERENCE, Evidence, omitted_inputs
from scorer.proof.findings import Finding, claimed, failed, not_covered, proved
from scorer.proof.signing import read_json

ProgressFactory = Callable[[int], AbstractContextManager[Callable[[int], None]]]
"""Called with the number of steps, it returns a context manager whose value is the progress callback."""


def no_progress(_steps: int) -> AbstractContextManager[Callable[[int], None]]:
    """Show no progress bar."""
    return nullcontext(lambda _: None)


def check_board(
    evidence: Evidence, *, inference: bool, steps: ProgressFactory = no_progress
) -> Iterator[Finding]:
    """Recompute the board, the baselines and the inference, and compare them with the released files.

    Parameters
    ----------
    evidence : Evidence
        The evidence, whose files have already been checked against its manifest.
    inference : bool
        Whether to recompute confidence intervals and tests too, which can take minutes.
    steps : callable, optional
        Shows the progress of the inference.

    Yields
    ------
    Finding
        A finding for the board, for the baselines that could be computed, and for the inference.

    Notes
    -----
    If the board was made by another version of the scorer, its values and ranks are compared instead of its
    bytes, because the file contains the version.
    """
    if missing := " and ".join(omitted_inputs(evidence.manifest.left_out)):
        why = f"cannot be recomputed, because the evidence lacks {missing}, or part of it."
        yield not_covered(f"The values in {BOARD} {why}")
        if evidence.has(INFERENCE):
            yield not_covered(f"The intervals and tests in {INFERENCE} {why}")
        return
    try:
        work = open_recomputation(evidence.bundle)
        yield compare_board(evidence, work)
    except ScorerError as error:
        why = str(error).splitlines()[0]
        yield not_covered(f"{BOARD} cannot be recomputed. Scorer {__version__} reports this error: {why}")
        return
    yield from _check_baselines(work)
    if evidence.has(INFERENCE) and inference:
        yield _check_inference(evidence, work, steps)
    elif evidence.has(INFERENCE):
        yield not_covered(f"{INFERENCE} was not recomputed, because --no-inference was given.")


def compare_board(evidence: Evidence, work: Recomputation) -> Finding:
    """Compare the signed board with a recomputed board.

    Parameters
    ----------
    evidence : Evidence
        The evidence with the signed board.
    work : Recomputation
        The recomputation from the files of the evidence or of another bundle.

    Returns
    -------
    Finding
        Whether the bytes are equal or, if another version of the scorer made the board, whether the values
        and ranks are equal.

    Raises
    ------
    DataError
        If a file cannot be read, or if a baseline has no run file and the dictionary that it needs is not
        available.
    """
    released, task = evidence.read(BOARD), work.bundle.task
    text = board_json(work.board(), task=task.slug, title=task.title, split=work.split)
    recomputed = f"{BOARD} was recomputed from the items, gold labels and runs."
    if text.encode() == released:
        return proved(f"{recomputed} It is the same, byte for byte.")
    made_by, before, after = evidence.board.scorer, json.loads(released), json.loads(text)
    place = next(json_differences(_without_versions(before), _without_versions(after)), None)
    if place is not None:
        return failed(f"{recomputed} It is different: {place}.")
    versions = f"It was made with scorer {made_by}; this is scorer {__version__}"
    return proved(f"{recomputed} The values and ranks are the same. {versions}.")


def _without_versions(values: Any) -> Any:
    """Return a board without the versions of the scorer that it contains."""
    if isinstance(values, dict):
        return {
            key: value.rpartition("|v:")[0] if key == "signature" else _without_versions(value)
            for key, value in values.items()
            if key != "scorer"
        }
    return [_without_versions(value) for value in values] if isinstance(values, list) else values


def json_differences(before: Any, after: Any, place: str = "") -> Iterator[str]:
    """Yield a phrase for each place where two JSON values differ.

    >>> list(json_differences({"a": [1, 2]}, {"a": [1, 3]}))
    ['a[2] is 2 in the file and 3 recomputed']
    """
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys():
        for key in before:
            yield from json_differences(before[key], after[key], f"{place}.{key}" if place else key)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, pair in enumerate(zip(before, after, strict=True), start=1):
            yield from json_differences(*pair, f"{place}[{number}]")
    elif before != after or type(before) is not type(after):
        short = (json.dumps(value, ensure_ascii=False)[:60] for value in (before, after))
        yield f"{place} is {next(short)} in the file and {next(short)} recomputed"


def _check_baselines(work: Recomputation) -> Iterator[Finding]:
    """Check whether this scorer computes the same run files for the baselines."""
    same = 0
    for run in work.bundle.runs:
        if run.baseline == OWN_BASELINE:
            yield claimed(f"The baseline {run.name} has files from the organizers, which are not recomputed.")
        for level in work.levels if run.computed else ():
            path = run.files.get(level.slug)
            if run.computed is None or path is None:
                continue
            try:
                equal = work.baseline(run.computed, level).encode() == work.bundle.read(path)
                why = f"Scorer {__version__} computes another file."
            except DataError as error:
                equal, why = False, f"It cannot be recomputed: {error.problems[0].message}."
            same += equal
            if not equal:
                yield not_covered(
                    f"{path} is not proved to be the run file of the baseline {run.baseline}. {why}"
                )
    if same:
        files, result = ("file", "It is the same") if same == 1 else ("files", "They are the same")
        yield proved(f"The scorer recomputed {same} run {files} of baselines from the items. {result}.")


def _check_inference(evidence: Evidence, work: Recomputation, steps: ProgressFactory) -> Finding:
    """Recompute intervals, tests, rank ranges and clusters with the released options, and compare them."""
    released = evidence.read(INFERENCE)
    values = read_json(released, INFERENCE)
    made_by = values.get("scorer") if isinstance(values, dict) else None
    left_out = isinstance(values, dict) and values.get("left_out")
    if made_by != __version__ or left_out:
        why = (
            "it leaves out systems that a later scorer rejected" if left_out else f"scorer {made_by} made it"
        )
        return not_covered(f"{INFERENCE} was not recomputed, because {why}. This is scorer {__version__}.")
    try:
        inference = recompute_inference(work, values["options"], steps)
    except (ScorerError, LookupError, TypeError, ValueError) as error:
        return failed(f"{INFERENCE} cannot be recomputed with the options that it names: {error}.")
    if released == (json.dumps(inference, ensure_ascii=False) + "\n").encode():
        figures = "with its intervals, tests, rank ranges and clusters"
        return proved(f"{INFERENCE} was recomputed, {figures}. It is the same, byte for byte.")
    place = next(json_differences(values, json.loads(json.dumps(inference))), "it is written differently")
    return failed(f"{INFERENCE} was recomputed. It is different: {place}.")


def recompute_inference(
    work: Recomputation, options: Mapping[str, Any], steps: ProgressFactory = no_progress
) -> dict[str, Any]:
    """Compute the inference of a recomputed board with the options that an inference file names."""
    from scorer.inference.board_inference import InferenceOptions, count_steps, infer_board  # noqa: PLC0415

    names = ("b", "seed", "interval", "level", *(name for name in ("alpha", "adjust") if name in options))
    values = {name: options[name] for name in names}
    chosen = InferenceOptions(**values, significance="test" in options)
    board, levels = work.board(), work.level_data()
    with steps(count_steps(board, levels, chosen)) as advance:
        return infer_board(board, levels, work.systems(), chosen, advance)
