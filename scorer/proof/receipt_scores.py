"""Recompute the scores of a receipt from the run and the gold, and compare every digit."""

from collections.abc import Iterator

from scorer._version import __version__
from scorer.bundles.bundle import parse_gold_for
from scorer.errors import DataError, RequestError
from scorer.files.public_items import ItemsPart, parse_public_items
from scorer.files.reading import Items, parse_gold, parse_items, parse_run
from scorer.metrics import needs_groups, needs_sds
from scorer.proof.document_verification import NamedFile, VerificationInputs
from scorer.proof.findings import Finding, failed, not_covered, proved
from scorer.proof.receipts import Receipt, ReceiptScore
from scorer.scoring.evaluate import Result, evaluate
from scorer.values import Undefined

_ANY_SCALE = (float("-inf"), float("inf"))


class _MissingInput(Exception):
    """An input that is needed to recompute the scores of a receipt was not given."""


def compare_scores(
    receipt: Receipt, inputs: VerificationInputs, run: NamedFile, gold: NamedFile
) -> Iterator[Finding]:
    """Recompute the scores of a receipt from its files and compare them with those that it shows."""
    try:
        results = _compute_scores(receipt, inputs, run, gold)
    except _MissingInput as error:
        yield not_covered(f"The scores were not recomputed. {error}")
    except (DataError, RequestError) as error:
        yield not_covered(f"The scores cannot be recomputed here: {_first_problem(error)}.")
    else:
        if receipt.scores is None:
            now = ", ".join(str(_as_score(result)) for result in results.values())
            yield not_covered(
                f"The receipt does not contain the scores. Scorer {__version__} computes {now}."
            )
        for score in receipt.scores or ():
            yield _compare_score(receipt, score, results.get(score.metric))


def _compute_scores(
    receipt: Receipt, inputs: VerificationInputs, run: NamedFile, gold: NamedFile
) -> dict[str, Result]:
    items, keyed = None, inputs.keyed
    if inputs.items is not None:
        items = parse_items(inputs.items.data, inputs.items.source, inputs.layout)
    part, with_sds = _find_part(receipt, inputs, items), needs_sds(receipt.metrics)
    if items is not None:
        gold_values = parse_gold_for(items, gold.data, gold.source, keyed, _ANY_SCALE, with_sds=with_sds)
    elif keyed is None and not needs_groups(receipt.metrics):
        gold_values = parse_gold(gold.data, gold.source, with_sds=with_sds)
    else:
        raise _MissingInput("The run file or a metric needs the items: give --items FILE.")
    pred = parse_run(
        run.data,
        run.source,
        n=receipt.items_count,
        ids=None if items is None else items.ids,
        keyed=keyed,
        confidence_max=inputs.confidence_max,
        first_is_score=True,  # the site accepted it
    )
    return {
        result.metric: result for result in evaluate(gold_values, pred, receipt.metrics, part=part).results
    }


def _find_part(receipt: Receipt, inputs: VerificationInputs, items: Items | None) -> ItemsPart | None:
    """Return the public items if the scores of the receipt were computed on them, else None."""
    if not any("part:public" in (score.signature or "").split("|") for score in receipt.scores or ()):
        return None
    if items is None or inputs.public_items is None:
        raise _MissingInput(
            "They were computed on the public items: give --items FILE and --public-items FILE."
        )
    groups = items.groups if needs_groups(receipt.metrics) else None
    return parse_public_items(inputs.public_items.data, inputs.public_items.source, items.ids, groups)[0]


def _compare_score(receipt: Receipt, score: ReceiptScore, result: Result | None) -> Finding:
    if result is None:
        return not_covered(
            f"The score {score} was not checked, because this scorer did not compute {score.metric}."
        )
    options = _options(score)
    now = str(_as_score(result, options.get("places")))
    if "ladder" in options:
        return not_covered(
            f"The score {score} cannot be checked, because a value by the Ladder depends on earlier files. "
            f"For this file alone, scorer {__version__} computes {now}."
        )
    older = receipt.scorer != __version__
    version_note = f" The receipt was made with scorer {receipt.scorer}." if older else ""
    if str(score) == now and _same_items(score, result):
        return proved(f"Scorer {__version__} computes {now}, as in the receipt.{version_note}")
    differs = f"The receipt has {score}, but scorer {__version__} computes {now} ({result.signature})."
    if not older:
        return failed(differs)
    return not_covered(f"{differs}{version_note} Only that version can show whether the receipt is right.")


def _options(score: ReceiptScore) -> dict[str, str]:
    """Return the options in a score's signature: always `n`, and maybe `places`, `ladder` or `part`."""
    parts = (score.signature or "").split("|")[1:]
    return {name: value for name, _, value in (part.partition(":") for part in parts)}


def _same_items(score: ReceiptScore, result: Result) -> bool:
    """Whether two scores have the same number of items, part of the items and options of the metric."""
    if score.signature is None:
        return True
    return _comparable_parts(score.signature) == _comparable_parts(result.signature)


def _comparable_parts(signature: str) -> list[str]:
    return [part for part in signature.split("|") if not part.startswith(("v:", "places:"))]


def _as_score(result: Result, places: str | None = None) -> ReceiptScore:
    value = result.value
    if isinstance(value, Undefined):
        return ReceiptScore(result.metric, None, value, result.signature)
    if places is not None and places.isdecimal():
        value = round(value, int(places[:2]))
    return ReceiptScore(result.metric, repr(value), None, result.signature)


def _first_problem(error: DataError | RequestError) -> str:
    """Return the first problem of an error as one line."""
    first = str(error).split("\n", 1)[0]
    keyed = isinstance(error, DataError) and any(problem.code == "keyed_file" for problem in error.problems)
    return (
        f"{first}; to read a table with a header, name its columns with --id and --score" if keyed else first
    )
