"""A receipt's scores against those that its run and gold give here, digit for digit."""

from collections.abc import Iterator

from scorer._version import __version__
from scorer.bundles.bundle import parse_gold_for
from scorer.errors import DataError, RequestError
from scorer.files.public_items import ItemsPart, parse_public_items
from scorer.files.reading import Gold, Items, Run, parse_gold, parse_items, parse_run
from scorer.metrics import needs_groups
from scorer.proof.document_verification import NamedFile, VerificationInputs
from scorer.proof.findings import Finding
from scorer.proof.receipts import Receipt, ReceiptScore
from scorer.scoring.evaluate import Result, evaluate
from scorer.values import Undefined

_ANY_SCALE = (float("-inf"), float("inf"))


class _MissingInput(Exception):
    """What is needed to compute a receipt's scores, and is not there."""


def compare_scores(
    receipt: Receipt, beside: VerificationInputs, run: NamedFile, gold: NamedFile
) -> Iterator[Finding]:
    """What is computed now from the files of a receipt, held against what it shows."""
    try:
        results = _compute_scores(receipt, beside, run, gold)
    except _MissingInput as error:
        yield Finding("open", f"the scores: {error}")
    except (DataError, RequestError) as error:
        yield Finding("open", f"the scores, which cannot be computed here: {_first_problem(error)}")
    else:
        if receipt.scores is None:
            now = ", ".join(str(_as_score(result)) for result in results.values())
            yield Finding(
                "open", f"the scores, which the receipt does not show; by scorer {__version__}: {now}"
            )
        yield from (
            _compare_score(receipt, score, results.get(score.metric)) for score in receipt.scores or ()
        )


def _compute_scores(
    receipt: Receipt, beside: VerificationInputs, run: NamedFile, gold: NamedFile
) -> dict[str, Result]:
    items = (
        None if beside.items is None else parse_items(beside.items.data, beside.items.source, beside.layout)
    )
    part = _find_part(receipt, beside, items)
    if items is None and (beside.keyed is not None or needs_groups(receipt.metrics)):
        raise _MissingInput("give the items as --items FILE, which the run or a metric needs")
    answers = _read_gold(gold, items, beside), _read_run(receipt, run, items, beside)
    return {result.metric: result for result in evaluate(*answers, receipt.metrics, part=part).results}


def _find_part(receipt: Receipt, beside: VerificationInputs, items: Items | None) -> ItemsPart | None:
    """The part of the items that the receipt's scores are on."""
    if not any("part:public" in (score.signature or "").split("|") for score in receipt.scores or ()):
        return None
    if items is None or beside.public_items is None:
        raise _MissingInput("they are on the public items; give --items FILE and --public-items FILE")
    groups = items.groups if needs_groups(receipt.metrics) else None
    return parse_public_items(beside.public_items.data, beside.public_items.source, items.ids, groups)[0]


def _read_gold(gold: NamedFile, items: Items | None, beside: VerificationInputs) -> Gold:
    if items is None:
        return parse_gold(gold.data, gold.source)
    return parse_gold_for(items, gold.data, gold.source, beside.keyed, _ANY_SCALE)


def _read_run(receipt: Receipt, run: NamedFile, items: Items | None, beside: VerificationInputs) -> Run:
    ids = None if items is None else items.ids
    return parse_run(
        run.data,
        run.source,
        n=receipt.items_count,
        ids=ids,
        keyed=beside.keyed,
        confidence_max=beside.confidence_max,
    )


def _compare_score(receipt: Receipt, score: ReceiptScore, result: Result | None) -> Finding:
    options = _options(score)
    if result is None:
        return Finding("open", f"{score.metric}, which this scorer did not compute")
    now = str(_as_score(result, options.get("places")))
    if "ladder" in options:
        return Finding("open", f"{score}: a ladder's value depends on earlier files; now {now}")
    version_note = (
        "" if receipt.scorer == __version__ else f"; the receipt was made with scorer {receipt.scorer}"
    )
    if str(score) == now and _same_items(score, result):
        return Finding(
            "holds", f"Computed anew by scorer {__version__}: {now}, as the receipt says{version_note}."
        )
    differs = f"{score} in the receipt is {now} ({result.signature}) computed anew by scorer {__version__}"
    if version_note:
        return Finding("open", f"{differs}{version_note}, which decides")
    return Finding("fails", f"{differs}.")


def _options(score: ReceiptScore) -> dict[str, str]:
    """What the signature of a score says of it: `n`, and perhaps `places`, `ladder` or `part`."""
    parts = (score.signature or "").split("|")[1:]
    return {name: value for name, _, value in (part.partition(":") for part in parts)}


def _same_items(score: ReceiptScore, result: Result) -> bool:
    """Whether two scores were computed from as many items of the same part, by the same options."""
    if score.signature is None:
        return True
    return _comparable_parts(score.signature) == _comparable_parts(result.signature)


def _comparable_parts(signature: str) -> list[str]:
    return [part for part in signature.split("|") if not part.startswith(("v:", "places:"))]


def _as_score(result: Result, places: str | None = None) -> ReceiptScore:
    value = result.value
    if isinstance(value, Undefined):
        return ReceiptScore(result.metric, value, result.signature)
    digits = None if places is None or not places.isdecimal() else int(places[:2])
    return ReceiptScore(
        result.metric, repr(value if digits is None else round(value, digits)), result.signature
    )


def _first_problem(error: DataError | RequestError) -> str:
    """The first of what is wrong, in one line."""
    first = str(error).split("\n", 1)[0]
    keyed = isinstance(error, DataError) and any(problem.code == "keyed_file" for problem in error.problems)
    return f"{first}; a keyed file is read if you name its columns with --id and --score" if keyed else first
