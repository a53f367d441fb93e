"""Compare two correlations with the same gold: Williams's and Steiger's tests and Zou's interval.

All three use only the correlations and n, and assume a trivariate normal distribution. The module
`permutation` has a test without this assumption.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import atanh, erfc, sqrt, tanh
from statistics import NormalDist

from scorer.errors import RequestError, UndefinedError

_TOLERANCE = 1e-12
"""Correlations are compared at 12 decimal places. Runs whose correlation is this close to 1 are identical."""

_CANCELLATION_LIMIT = 1e-3
"""If the denominator is smaller than this, floats lose more than three of their sixteen digits."""
_ROUNDING_ERROR = 1e-9
"""The determinant of three computed correlations can be this far below zero because of rounding."""


@dataclass(frozen=True, slots=True)
class DependentTest:
    """The result of a test of two dependent correlations.

    Parameters
    ----------
    statistic : float
        The test statistic. It is positive if the first correlation is larger.
    p : float
        The two-sided p value, in [0, 1].
    df : int, optional
        The degrees of freedom of Student's t, or None if the statistic has a normal distribution.
    """

    statistic: float
    p: float
    df: int | None = None


def williams(r_jk: float, r_jh: float, r_kh: float, n: int) -> DependentTest:
    """Test whether two runs correlate differently with the same gold (Williams's t).

    Parameters
    ----------
    r_jk, r_jh : float
        Pearson's r of the first and of the second run (k, h) with the gold (j), in (-1, 1).
    r_kh : float
        Pearson's r between the two runs, in (-1, 1).
    n : int
        The number of items from which all three were computed, n >= 4. Do not count items without a value.

    Returns
    -------
    DependentTest
        t with n - 3 degrees of freedom, and its two-sided p value.

    Raises
    ------
    UndefinedError
        With the code "too_few_items" if n < 4, "identical_runs" or "opposite_runs" if r_kh is 1 or -1 at 12
        decimal places, "perfect_correlation" if a run agrees perfectly with the gold, and "singular" if t
        would be infinite.
    RequestError
        If a correlation is outside [-1, 1], or if no three variables can have these correlations.

    Notes
    -----
    t = (r_jk - r_jh) sqrt((n - 1)(1 + r_kh) / (2 |R| (n - 1) / (n - 3) + m^2 (1 - r_kh)^3)), with m the mean
    of r_jk and r_jh and |R| = 1 - r_jk^2 - r_jh^2 - r_kh^2 + 2 r_jk r_jh r_kh. The test assumes a trivariate
    normal distribution, so there is no version for ranks.

    References
    ----------
    Williams (1959), "The comparison of regression variables", Journal of the Royal Statistical Society B
    21(2), 396-399, doi:10.1111/j.2517-6161.1959.tb00346.x; as in Steiger (1980), equation 7. In our field:
    Graham & Baldwin (2014), "Testing for significance of increased correlation with human judgment", EMNLP,
    D14-1020.

    Examples
    --------
    >>> found = williams(0.3, 0.4, 0.5, 100)
    >>> round(found.statistic, 4), found.df, round(found.p, 4)
    (-1.0767, 97, 0.2843)
    """
    determinant = _check(r_jk, r_jh, r_kh, n)
    mean = (r_jk + r_jh) / 2
    spread = 2 * determinant * (n - 1) / (n - 3) + mean**2 * (1 - r_kh) ** 3
    if spread <= 0:
        raise UndefinedError(
            "singular", "the runs and the gold determine each other, so nothing is left to vary"
        )
    statistic = (r_jk - r_jh) * sqrt((n - 1) * (1 + r_kh) / spread)
    from scipy.special import stdtr  # noqa: PLC0415  this import takes a quarter of a second

    return DependentTest(statistic, min(1.0, 2 * float(stdtr(n - 3, -abs(statistic)))), n - 3)


def steiger(r_jk: float, r_jh: float, r_kh: float, n: int) -> DependentTest:
    """Test whether two runs correlate differently with the same gold (Steiger's z).

    Parameters
    ----------
    r_jk, r_jh : float
        Pearson's r of the first and of the second run (k, h) with the gold (j), in (-1, 1).
    r_kh : float
        Pearson's r between the two runs, in (-1, 1).
    n : int
        The number of items from which all three were computed, n >= 4. Do not count items without a value.

    Returns
    -------
    DependentTest
        z and its two-sided p value.

    Raises
    ------
    UndefinedError
        With the same codes as `williams`, except "singular".
    RequestError
        If a correlation is outside [-1, 1], or if no three variables can have these correlations.

    Notes
    -----
    z = (atanh r_jk - atanh r_jh) sqrt(n - 3) / sqrt(2 - 2 c), where c is the correlation of the two Fisher
    values (`fisher_correlation`), with both r_jk and r_jh replaced by their mean, because they are equal
    under the null hypothesis.

    References
    ----------
    Steiger (1980), "Tests for comparing elements of a correlation matrix", Psychological Bulletin 87(2),
    245-251, equations 3, 10, 11 and 14, doi:10.1037/0033-2909.87.2.245.

    Examples
    --------
    >>> found = steiger(0.3, 0.4, 0.5, 100)
    >>> round(found.statistic, 4), round(found.p, 4)
    (-1.0718, 0.2838)
    """
    _check(r_jk, r_jh, r_kh, n)
    mean = (r_jk + r_jh) / 2
    statistic = (atanh(r_jk) - atanh(r_jh)) * sqrt((n - 3) / pooled_variance(mean, r_kh))
    return DependentTest(statistic, erfc(abs(statistic) / sqrt(2)))


def zou_interval(r_jk: float, r_jh: float, r_kh: float, n: int, level: float = 0.95) -> tuple[float, float]:
    """Compute a confidence interval of the difference between two correlations with the same gold.

    Parameters
    ----------
    r_jk, r_jh : float
        Pearson's r of the first and of the second run (k, h) with the gold (j), in (-1, 1).
    r_kh : float
        Pearson's r between the two runs, in (-1, 1).
    n : int
        The number of items from which all three were computed, n >= 4. Do not count items without a value.
    level : float
        The coverage of the interval, in (0, 1).

    Returns
    -------
    low, high : float
        The ends of the interval, within [-2, 2]; low <= r_jk - r_jh <= high.

    Raises
    ------
    UndefinedError
        With the same codes as `williams`, except "singular".
    RequestError
        If `level` is not in (0, 1), a correlation is outside [-1, 1], or no three variables can have these
        correlations.

    Notes
    -----
    Let l and u be the limits of Fisher's interval of each correlation, and c the correlation between the two
    correlations. Then low = r_jk - r_jh - sqrt((r_jk - l_jk)^2 + (u_jh - r_jh)^2 -
    2 c (r_jk - l_jk)(u_jh - r_jh)), and high is computed in the same way from the other two limits.

    References
    ----------
    Zou (2007), "Toward using confidence intervals to compare correlations", Psychological Methods 12(4),
    399-413, equations 15 and 17, doi:10.1037/1082-989X.12.4.399.

    Examples
    --------
    >>> low, high = zou_interval(0.396, 0.179, 0.088, 66)
    >>> round(low, 3), round(high, 3)
    (-0.093, 0.517)
    """
    if not 0 < level < 1:
        raise RequestError(f"level {level} is not between 0 and 1")
    _check(r_jk, r_jh, r_kh, n)
    half = NormalDist().inv_cdf((1 + level) / 2) / sqrt(n - 3)
    down_jk, up_jk = _fisher_distances(r_jk, half)
    down_jh, up_jh = _fisher_distances(r_jh, half)
    shared = fisher_correlation(r_jk, r_jh, r_kh)
    difference = r_jk - r_jh
    return (
        difference - sqrt(max(0.0, down_jk**2 + up_jh**2 - 2 * shared * down_jk * up_jh)),
        difference + sqrt(max(0.0, up_jk**2 + down_jh**2 - 2 * shared * up_jk * down_jh)),
    )


def fisher_correlation(r_jk: float, r_jh: float, r_kh: float) -> float:
    """Compute the asymptotic correlation between the Fisher values of two correlations with the same gold.

    Parameters
    ----------
    r_jk, r_jh, r_kh : float
        The three correlations, in (-1, 1), (-1, 1) and [-1, 1].

    Returns
    -------
    float
        The correlation, in [-1, 1].

    Notes
    -----
    c = ((r_kh - r_jk r_jh / 2)(1 - r_jk^2 - r_jh^2 - r_kh^2) + r_kh^3) / ((1 - r_jk^2)(1 - r_jh^2)).
    Near 1 it is computed in rational arithmetic, because floats would lose digits by cancellation.

    References
    ----------
    Dunn & Clark (1969), "Correlation coefficients measured on the same individuals", Journal of the American
    Statistical Association 64(325), 366-377, doi:10.1080/01621459.1969.10500981; Steiger (1980), equation 3.

    Examples
    --------
    >>> round(fisher_correlation(0.0, 0.0, 0.5), 12)
    0.5
    """
    near_one = (1 - r_jk**2) * (1 - r_jh**2) < _CANCELLATION_LIMIT
    jk, jh, kh = (Fraction(r) if near_one else r for r in (r_jk, r_jh, r_kh))
    shared = (kh - jk * jh / 2) * (1 - jk**2 - jh**2 - kh**2) + kh**3
    return max(-1.0, min(1.0, float(shared / ((1 - jk**2) * (1 - jh**2)))))


def pooled_variance(r: float, r_kh: float) -> float:
    """Compute the variance of the difference of two Fisher values, times n - 3, for equal correlations.

    Parameters
    ----------
    r, r_kh : float
        The correlation of both runs with the gold, and the correlation between the runs, in (-1, 1), with
        2 r^2 - 1 <= r_kh.

    Returns
    -------
    float
        The variance times n - 3, at least 2 (1 - r_kh).

    Notes
    -----
    2 - 2 c with c = `fisher_correlation(r, r, r_kh)`, in a form without cancellation when c is near 1:
    2 (1 - r_kh)(1 - r^2 - r^2 (1 - r_kh) / 2) / (1 - r^2)^2.

    Examples
    --------
    >>> pooled_variance(0.0, 0.75)
    0.5
    """
    apart, rest = 1 - r_kh, 1 - r * r
    return 2 * apart * max(rest * rest, rest - r * r * apart / 2) / (rest * rest)


def check_correlations(r_jk: float, r_jh: float, r_kh: float) -> float:
    """Check that three variables can have these correlations, and return the determinant of their matrix.

    Parameters
    ----------
    r_jk, r_jh, r_kh : float
        The three correlations, in [-1, 1].

    Returns
    -------
    float
        The determinant of the correlation matrix, in [0, 1]. A value that is below zero only because of
        rounding becomes zero.

    Raises
    ------
    RequestError
        If a correlation is outside [-1, 1], or the determinant is negative.

    Examples
    --------
    >>> check_correlations(0.0, 0.0, 0.5)
    0.75
    """
    for r in (r_jk, r_jh, r_kh):
        if not -1 <= r <= 1:
            raise RequestError(f"{r} is no correlation; it lies between -1 and 1")
    determinant = 1 - r_jk**2 - r_jh**2 - r_kh**2 + 2 * r_jk * r_jh * r_kh
    if determinant < -_ROUNDING_ERROR:
        room = sqrt((1 - r_jk**2) * (1 - r_jh**2))
        low, high = r_jk * r_jh - room, r_jk * r_jh + room
        raise RequestError(
            f"no two runs correlate {r_jk:g} and {r_jh:g} with the gold and {r_kh:g} with each other; "
            f"between themselves they correlate from {low:.4f} to {high:.4f}"
        )
    return max(0.0, determinant)


def _fisher_distances(r: float, half: float) -> tuple[float, float]:
    """Return the distances from r to the lower and to the upper limit of Fisher's interval."""
    z = atanh(r)
    return r - tanh(z - half), tanh(z + half) - r


def _check(r_jk: float, r_jh: float, r_kh: float, n: int) -> float:
    """Raise an error if the test is undefined, else return the determinant of the three correlations."""
    determinant = check_correlations(r_jk, r_jh, r_kh)
    if n < 4:
        raise UndefinedError("too_few_items", f"{n} items to compare on; this needs at least 4")
    if 1 - r_kh <= _TOLERANCE:
        reason = "the runs are the same, or one is the other on another scale: they cannot differ"
        raise UndefinedError("identical_runs", reason)
    if 1 + r_kh <= _TOLERANCE:
        raise UndefinedError("opposite_runs", "each run is the other one with its sign turned")
    if 1 - max(abs(r_jk), abs(r_jh)) <= _TOLERANCE:
        raise UndefinedError(
            "perfect_correlation", "a run agrees perfectly with the gold, so this test has nothing to go by"
        )
    return determinant
