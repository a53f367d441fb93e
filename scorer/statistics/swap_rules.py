"""The values that two systems swap in the permutation test, for signatures and notes, without numpy."""

from collections.abc import Iterable, Iterator, Mapping

SWAPPED_VALUES: Mapping[str, str] = {
    "pearson": "standardized-scores",
    "spearman": "standardized-ranks",
    "mse": "raw-scores",
    "rmse": "raw-scores",
    "mae": "raw-scores",
    "choice_accuracy": "raw-scores",
    "within_sd": "raw-scores",
}
"""The name of the swapped values in signatures, by metric."""
_EFFECT = (
    "So p may differ from that of a test that swaps raw scores "
    "(Deutsch, Dror & Roth 2021, doi:10.1162/tacl_a_00417)."
)
_NOTES = {
    "standardized-scores": "Scores are standardized (mean 0, variance 1) before they are swapped: a "
    f"correlation ignores scale, and a swap of raw scores would mix two scales. {_EFFECT}",
    "standardized-ranks": "Ranks over all items are standardized (mean 0, variance 1) before they are "
    f"swapped, because with ties, the ranks of two systems have different variances. {_EFFECT}",
}


FEW_GROUPS = 12
"""With fewer groups there are so few swaps that a note gives the smallest possible p value."""


def swap_notes(metrics: Iterable[str], groups: int | None = None) -> Iterator[str]:
    """Yield notes for readers about tests of these metrics. There is no note if raw scores are swapped.

    `groups` is the number of groups of items that are swapped as a whole.

    >>> [note.partition(" before")[0] for note in swap_notes(["mse", "spearman", "spearman"])]
    ['Ranks over all items are standardized (mean 0, variance 1)']
    """
    swapped = dict.fromkeys(SWAPPED_VALUES.get(metric) for metric in metrics)
    yield from (_NOTES[kind] for kind in swapped if kind in _NOTES)
    if groups is not None and groups < FEW_GROUPS:
        smallest = 2.0 ** (1 - groups)
        yield f"Only {groups} groups can be swapped, so hardly any p value can be below {smallest:.2g}."
