"""The board of a release, recomputed from the files of its evidence: the same bytes."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from scorer._version import __version__
from scorer.boards.serialization import board_json
from scorer.bundles.recompute import Recomputation, open_recomputation
from scorer.errors import DataError, ScorerError
from scorer.proof.evidence import BOARD, INFERENCE, Evidence, omitted_inputs
from scorer.proof.findings import Finding, failed, not_covered, proved
from scorer.proof.signing import read_json

ProgressFactory = Callable[[int], AbstractContextManager[Callable[[int], None]]]
"""Shows how far work of so many steps is."""


def _no_progress(_steps: int) -> AbstractContextManager[Callable[[int], None]]:
    return nullcontext(lambda _: None)


def can_recompute(evidence: Evidence) -> bool:
    """Whether gold and runs are in it."""
    return not omitted_inputs(evidence.left_out)


def check_board(
    evidence: Evidence, *, inference: bool, steps: ProgressFactory = _no_progress
) -> Iterator[Finding]:
    """Recompute the board and its inference.

    Parameters
    ----------
    evidence : Evidence
        Whose files are those that its manifest names.
    inference : bool
        Whether intervals and tests are computed too, which takes up to minutes.
    steps : callable, optional
        Shows how far that is.

    Yields
    ------
    Finding
        One for the board, one for the baselines that could be computed, one for what was inferred.

    Notes
    -----
    A board of another version of the scorer is compared in values and ranks: its bytes name that version.
    """
    if gone := " and ".join(omitted_inputs(evidence.left_out)):
        why = f"follow from gold and runs: {gone} left out, wholly or in part"
        yield not_covered(f"that the values of {BOARD} {why}")
        if evidence.has(INFERENCE):
            yield not_covered(f"that the figures of {INFERENCE} {why}")
        return
    try:
        work = open_recomputation(evidence.bundle)
        yield compare_board(evidence, work)
    except ScorerError as error:
        why = str(error).splitlines()[0]
        yield not_covered(f"that {BOARD} follows from the runs: this scorer, {__version__}, says {why}")
        return
    yield from _check_baselines(work)
    if evidence.has(INFERENCE) and inference:
        yield _check_inference(evidence, work, steps)
    elif evidence.has(INFERENCE):
        why = "it was not recomputed, as was asked for"
        yield not_covered(f"that {INFERENCE} follows from the files: {why}")


def compare_board(evidence: Evidence, work: Recomputation) -> Finding:
    """Hold the board that was signed against one computed here.

    Parameters
    ----------
    evidence : Evidence
        With the signed board.
    work : Recomputation
        From its files, or from others.

    Returns
    -------
    Finding
        Whether the bytes are the same; or, from another version of the scorer, values and ranks.

    Raises
    ------
    DataError
        If a file cannot be read, or a baseline has neither a file nor the dictionary that it needs.
    """
    released, task = evidence.read(BOARD), work.bundle.task
    text = board_json(work.board(), task=task.slug, title=task.title, split=work.split)
    if text.encode() == released:
        return proved(f"Recomputed from items, gold and runs: the very bytes of {BOARD}.")
    before, after = evidence.board, json.loads(text)
    place = next(json_differences(_without_versions(before), _without_versions(after)), None)
    if place is not None:
        return failed(f"Recomputed from items, gold and runs, the leaderboard is different: {place}.")
    same = (
        f"the same values and ranks as {BOARD}, which names scorer {before['scorer']}; this is {__version__}"
    )
    return proved(f"Recomputed from items, gold and runs: {same}.")


def _without_versions(values: Any) -> Any:
    """A board without the versions of the scorer that it names."""
    if isinstance(values, dict):
        return {
            key: value.rpartition("|v:")[0] if key == "signature" else _without_versions(value)
            for key, value in values.items()
            if key != "scorer"
        }
    return [_without_versions(value) for value in values] if isinstance(values, list) else values


def json_differences(before: Any, after: Any, place: str = "") -> Iterator[str]:
    """Where two JSON values differ, in words.

    >>> list(json_differences({"a": [1, 2]}, {"a": [1, 3]}))
    ['a[2] is 2 there and 3 here']
    """
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys():
        for key in before:
            yield from json_differences(before[key], after[key], f"{place}.{key}" if place else key)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, pair in enumerate(zip(before, after, strict=True), start=1):
            yield from json_differences(*pair, f"{place}[{number}]")
    elif before != after or type(before) is not type(after):
        short = (json.dumps(value, ensure_ascii=False)[:60] for value in (before, after))
        yield f"{place} is {next(short)} there and {next(short)} here"


def _check_baselines(work: Recomputation) -> Iterator[Finding]:
    """Whether the files of baselines are those that this scorer computes."""
    same = 0
    for run in work.bundle.runs:
        for level in work.levels if run.baseline else ():
            path = run.files.get(level.slug)
            if run.baseline is None or path is None:
                continue
            try:
                equal = work.baseline(run.baseline, level).encode() == work.bundle.read(path)
                why = f"this scorer, {__version__}, computes another file"
            except DataError as error:
                equal, why = False, error.problems[0].message
            same += equal
            if not equal:
                yield not_covered(f"that {path} is what the baseline {run.baseline} gives: {why}")
    if same:
        yield proved(f"{same} files of baselines, recomputed from the items, are those in here.")


def _check_inference(evidence: Evidence, work: Recomputation, steps: ProgressFactory) -> Finding:
    """Intervals, tests, ranges and clusters with the options that the file names."""
    released = evidence.read(INFERENCE)
    values = read_json(released, INFERENCE)
    made_by = values.get("scorer") if isinstance(values, dict) else None
    left_out = isinstance(values, dict) and values.get("left_out")
    if made_by != __version__ or left_out:
        why = "it leaves systems out that a later scorer refused" if left_out else f"scorer {made_by} made it"
        return not_covered(f"that {INFERENCE} follows from the files: {why}, and this is {__version__}")
    try:
        inference = recompute_inference(work, values["options"], steps)
    except (ScorerError, LookupError, TypeError, ValueError) as error:
        return failed(f"{INFERENCE} names options that give nothing: {error}.")
    if released in (_inference_bytes(inference), _inference_bytes(_without_test_signatures(inference))):
        figures = "Intervals, tests, ranges and clusters, recomputed"
        return proved(f"{figures}: the very bytes of {INFERENCE}.")
    place = next(json_differences(values, json.loads(json.dumps(inference))), "in how it is written")
    return failed(f"Recomputed, what is inferred is not {INFERENCE}: {place}.")


def _inference_bytes(inference: Mapping[str, Any]) -> bytes:
    return (json.dumps(inference, ensure_ascii=False) + "\n").encode()


def _without_test_signatures(inference: Mapping[str, Any]) -> dict[str, Any]:
    """The same as it was written before tests had signatures: releases of that time still verify."""
    columns = [
        {**column, "tests": {name: value for name, value in column["tests"].items() if name != "signature"}}
        if "tests" in column
        else column
        for column in inference["columns"]
    ]
    return {**inference, "columns": columns}


def recompute_inference(
    work: Recomputation, options: Mapping[str, Any], steps: ProgressFactory = _no_progress
) -> dict[str, Any]:
    """What `infer_board` finds with the options that an inference names."""
    from scorer.inference.board_inference import InferenceOptions, count_steps, infer_board  # noqa: PLC0415

    names = ["b", "seed", "interval", "level", *(["alpha"] if "alpha" in options else [])]
    values = {name: options[name] for name in names}
    chosen = InferenceOptions(**values, significance="test" in options)
    board = work.board()
    with steps(count_steps(board, chosen)) as advance:
        return infer_board(board, work.level_data(), work.systems(), chosen, advance)
