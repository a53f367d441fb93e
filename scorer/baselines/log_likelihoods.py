"""Multiple choice by a language model: the log-likelihoods of the candidates, as the run of a level."""

from collections.abc import Sequence
from fractions import Fraction
from math import exp, fsum

from scorer.baselines.rounding import round_half_up, shortest_decimal
from scorer.baselines.run_file import MAX_DIGITS, Scale, scale_ends
from scorer.errors import Problem, RequestError, RunError
from scorer.files.reading import Items, KeyedFormat, parse_run

LOG_LIKELIHOODS = KeyedFormat("id", "loglikelihood")
"""The columns of a file of candidates. It can have others, such as the text of the candidate."""


def log_likelihoods_run(
    items: Items,
    data: bytes,
    source: str,
    *,
    scale: Scale = 4,
    digits: int | None = None,
    per_character: bool = False,
) -> str:
    r"""Write the probability of each candidate among those of its group as an aligned run.

    Parameters
    ----------
    items : Items
        The items, with a group for each; the right side is the candidate.
    data : bytes
        A table with the columns ``id`` and ``loglikelihood`` (natural logarithm), in UTF-8, with a row for
        each item in any order.
    source : str
        The name of the table in messages.
    scale : number or (number, number), default 4
        The ends of the scale, to which the probabilities 0 and 1 are mapped. A single number is the upper
        end, with the lower end 0.
    digits : int, optional
        The number of decimal places to which probabilities are rounded, half up, before scaling;
        by default 15.
    per_character : bool, default False
        Whether log-likelihoods are divided by the number of characters of their candidate. Long candidates
        are less likely, so without this, short ones tend to be chosen.

    Returns
    -------
    str
        One value per line.

    Raises
    ------
    RunError
        If the table does not have one number for each item. The error lists all such rows. Also if all
        numbers are positive, as losses are.
    RequestError
        If the items have no groups, or the scale is not valid.

    References
    ----------
    Asaadi, Kolagar, Liebel & Zarcone (2022), "GiCCS: A German in-context conversational similarity
    benchmark", Workshop on Generation, Evaluation and Metrics (GEM), table 6.

    Examples
    --------
    >>> from scorer.files.reading import ItemsLayout, parse_items
    >>> layout = ItemsLayout(("left", "right", "id", "group"))
    >>> items = parse_items(b"Hi\tHello\ta\td1\nHi\tBye\tb\td1\n", "items.tsv", layout)
    >>> table = b"id\tloglikelihood\nb\t-3.2\na\t-3.2\n"
    >>> log_likelihoods_run(items, table, "table.tsv", scale=1)
    '0.5\n0.5\n'
    """
    low, high = scale_ends(scale)
    if items.groups is None:
        message = (
            "the items have no groups; name the column of the group, as in --columns left,right,id,group"
        )
        raise RequestError(message)
    values = parse_run(data, source, ids=items.ids, keyed=LOG_LIKELIHOODS).scores
    if min(values) > 0:
        message = "all log-likelihoods are positive, so they may be losses; write them with a minus"
        raise RunError([Problem(source, None, "positive_values", message)])
    if per_character:
        values = tuple(value / len(item.right) for value, item in zip(values, items.items, strict=True))
    digits = MAX_DIGITS if digits is None else digits
    shares = [round_half_up(Fraction(p), digits) for p in choice_probabilities(values, items.groups)]
    return "".join(f"{shortest_decimal(low + share * (high - low))}\n" for share in shares)


def choice_probabilities(values: Sequence[float], groups: Sequence[str | None]) -> list[float]:
    """Compute the probability of each candidate from its log-likelihood, if one of its group is chosen.

    Parameters
    ----------
    values : (n,) float
        The log-likelihoods, finite.
    groups : (n,) str or None
        The group of each candidate. A candidate without a group has the probability 1.

    Returns
    -------
    list of float
        ``exp(v) / sum of exp(v) over the group``, from 0 to 1.

    Examples
    --------
    >>> choice_probabilities([-1000.0, -1000.0, -5.0, -9000.0], ["a", "a", "b", "b"])
    [0.5, 0.5, 1.0, 0.0]
    """
    by_group: dict[str, list[float]] = {}
    for value, group in zip(values, groups, strict=True):
        if group is not None:
            by_group.setdefault(group, []).append(value)
    highest = {group: max(candidates) for group, candidates in by_group.items()}
    totals = {
        group: fsum([exp(value - highest[group]) for value in candidates])
        for group, candidates in by_group.items()
    }
    return [
        1.0 if group is None else exp(value - highest[group]) / totals[group]
        for value, group in zip(values, groups, strict=True)
    ]
