"""Multiple choice: does a system give the candidate with the highest gold score the highest score?"""

from collections.abc import Sequence
from math import fsum, sqrt

from scorer.errors import RequestError, UndefinedError
from scorer.metrics.validation import check_pair


def choice_credits(
    gold: Sequence[float], pred: Sequence[float], groups: Sequence[str | None]
) -> dict[str, float]:
    """How right a system is in each group: its chance to pick a best candidate.

    Parameters
    ----------
    gold, pred : (n,) float
        Finite. Candidates without a gold value have been left out.
    groups : (n,) str or None
        Which candidates are compared with each other; None: with none.

    Returns
    -------
    dict of str to float
        From 0 to 1 for each group where there is a choice: two candidates or more, with different gold.

    Raises
    ------
    RequestError
        If the lengths differ or a value is not finite.

    Notes
    -----
    The system picks among the candidates to which it gives its highest score, each with the same chance; a
    pick is right if no candidate of the group has a higher gold value. So a constant system gets what chance
    gets, and no tie is decided by the order of a file. Where all gold values of a group are the same no pick
    can be wrong, and the group says nothing of a system.

    Examples
    --------
    >>> choice_credits([0, 1, 1, 0, 2], [5, 5, 4, 1, 2], ["a", "a", "a", "b", "b"])
    {'a': 0.5, 'b': 1.0}
    """
    check_pair(gold, pred, at_least=0)
    if len(groups) != len(gold):
        raise RequestError(f"gold has {len(gold)} values and there are {len(groups)} groups")
    candidates_by_group: dict[str, list[tuple[float, float]]] = {}
    for group, value, score in zip(groups, gold, pred, strict=True):
        if group is not None:
            candidates_by_group.setdefault(group, []).append((value, score))
    return {
        group: _credit(candidates)
        for group, candidates in candidates_by_group.items()
        if len({value for value, _ in candidates}) > 1
    }


def choice_accuracy(gold: Sequence[float], pred: Sequence[float], groups: Sequence[str | None]) -> float:
    """Accuracy of picking, in each group of candidates, the one with the highest gold score.

    Parameters
    ----------
    gold, pred : (n,) float
        Finite. Candidates without a gold value have been left out.
    groups : (n,) str or None
        Which candidates are compared with each other: the dialogue whose next turn they are. None: with none.

    Returns
    -------
    float
        From 0 to 1: the mean of `choice_credits`.

    Raises
    ------
    UndefinedError
        "no_choice" if no group has candidates with different gold.
    RequestError
        If the lengths differ or a value is not finite.

    Notes
    -----
    Each group counts once, however many candidates it has. Ties, and groups that are left out:
    `choice_credits`.

    References
    ----------
    Asaadi, Kolagar, Liebel & Zarcone (2022), "GiCCS: A German in-context conversational similarity
    benchmark", Workshop on Generation, Evaluation and Metrics (GEM).

    Examples
    --------
    >>> choice_accuracy([0, 1, 0, 2], [3, 4, 2, 1], ["a", "a", "b", "b"])
    0.5
    """
    group_credits = choice_credits(gold, pred, groups)
    if not group_credits:
        reason = "no group has two candidates with different gold values, so there is nothing to choose"
        raise UndefinedError("no_choice", reason)
    return fsum(group_credits.values()) / len(group_credits)


def choice_standard_error(accuracy: float, n: int) -> float:
    """Standard error of an accuracy over groups.

    Parameters
    ----------
    accuracy : float
        From 0 to 1.
    n : int
        How many groups there was a choice in, at least 2.

    Returns
    -------
    float
        At least 0.

    Raises
    ------
    UndefinedError
        "too_few_groups" if n < 2.
    RequestError
        If the accuracy is none.

    Notes
    -----
    sqrt(p (1 - p) / (n - 1)). With credits between 0 and 1, which ties give, it is an upper bound. At p = 0
    and p = 1 it is 0, which is no certainty: ask for a bootstrap interval, or for more groups.

    References
    ----------
    Asaadi, Kolagar, Liebel & Zarcone (2022), as above, who print .133 with .063 for 30 dialogues.

    Examples
    --------
    >>> round(choice_standard_error(4 / 30, 30), 3)
    0.063
    """
    if not 0 <= accuracy <= 1:
        raise RequestError(f"{accuracy} is no accuracy; it must be from 0 to 1")
    if n < 2:
        groups = "group" if n == 1 else "groups"
        raise UndefinedError("too_few_groups", f"{n} {groups} with a choice; a standard error needs 2")
    return sqrt(accuracy * (1 - accuracy) / (n - 1))


def _credit(candidates: Sequence[tuple[float, float]]) -> float:
    best, highest = max(value for value, _ in candidates), max(score for _, score in candidates)
    picked = [value for value, score in candidates if score == highest]
    return picked.count(best) / len(picked)
