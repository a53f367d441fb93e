"""Multiple-choice accuracy: does the candidate with the highest gold have the system's highest score?"""

from collections.abc import Sequence
from math import fsum, sqrt

from scorer.errors import RequestError, UndefinedError
from scorer.metrics.validation import check_pair


def choice_credits(
    gold: Sequence[float], pred: Sequence[float], groups: Sequence[str | None]
) -> dict[str, float]:
    """Compute a system's credit for each group: the probability that it picks a best candidate.

    Parameters
    ----------
    gold, pred : (n,) float
        The gold values and the predictions, finite. Candidates without a gold value must be left out.
    groups : (n,) str or None
        The group of each candidate. Candidates of one group are compared with each other; a candidate
        without a group is left out.

    Returns
    -------
    dict of str to float
        The credit, from 0 to 1, of each group that has a choice: two or more candidates with different gold.

    Raises
    ------
    RequestError
        If the lengths differ or a value is not finite.

    Notes
    -----
    The system picks one of the candidates to which it gives its highest score, with equal probabilities. A
    pick is right if no candidate of the group has a higher gold value. Therefore a constant system gets the
    same credit as a random choice, and ties are never decided by the order of a file. If all gold values of a
    group are the same, no pick can be wrong, so the group is left out.

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
    """Compute the accuracy of picking the candidate with the highest gold score in each group.

    Parameters
    ----------
    gold, pred : (n,) float
        The gold values and the predictions, finite. Candidates without a gold value must be left out.
    groups : (n,) str or None
        The group of each candidate, for example the dialogue whose next turn it could be. A candidate without
        a group is left out.

    Returns
    -------
    float
        The mean of `choice_credits`, from 0 to 1.

    Raises
    ------
    UndefinedError
        With the code "no_choice" if no group has candidates with different gold.
    RequestError
        If the lengths differ or a value is not finite.

    Notes
    -----
    All groups have the same weight. `choice_credits` documents ties and the groups that are left out.

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
    """Compute the standard error of an accuracy over groups.

    Parameters
    ----------
    accuracy : float
        The accuracy, from 0 to 1.
    n : int
        The number of groups with a choice, at least 2.

    Returns
    -------
    float
        The standard error, at least 0.

    Raises
    ------
    UndefinedError
        With the code "too_few_groups" if n < 2.
    RequestError
        If the accuracy is out of range.

    Notes
    -----
    sqrt(p (1 - p) / (n - 1)). If ties give credits between 0 and 1, this is an upper bound. At p = 0 and
    p = 1 it is 0, although the accuracy is still uncertain; use a bootstrap interval or more groups.

    References
    ----------
    Asaadi, Kolagar, Liebel & Zarcone (2022), as above, who report .133 with .063 for 30 dialogues.

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
