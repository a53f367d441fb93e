"""Two correlations with the same gold: Williams's and Steiger's tests and Zou's interval.

All three take the correlations alone and assume a trivariate normal distribution; `permutation` assumes none.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import atanh, erfc, sqrt, tanh
from statistics import NormalDist

from scorer.errors import RequestError, UndefinedError

_TOLERANCE = 1e-12
"""Scores are compared at 12 decimals, and correlations with them: runs this near to 1 are the same run."""

_CANCELLATION_LIMIT = 1e-3
"""Below this denominator floats lose more than three of their sixteen digits."""
_ROUNDING_ERROR = 1e-9
"""How far below zero the determinant of three computed correlations may come."""


@dataclass(frozen=True, slots=True)
class DependentTest:
    """What a test of two dependent correlations found.

    Parameters
    ----------
    statistic : float
        Positive where the first correlation is the larger one.
    p : float
        Two-sided, in [0, 1].
    df : int, optional
        Degrees of freedom of Student's t; None where the statistic is normal.
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
        Items that all three were computed from, n >= 4. Items without a value have been left out of all.

    Returns
    -------
    DependentTest
        t with n - 3 degrees of freedom and its two-sided p.

    Raises
    ------
    UndefinedError
        "too_few_items" if n < 4, "identical_runs" or "opposite_runs" if r_kh is 1 or -1 at 12 decimals,
        "perfect_correlation" if a run agrees perfectly with the gold, "singular" where t would be infinite.
    RequestError
        If a correlation is outside [-1, 1], or no three variables correlate so.

    Notes
    -----
    t = (r_jk - r_jh) sqrt((n - 1)(1 + r_kh) / (2 |R| (n - 1) / (n - 3) + m^2 (1 - r_kh)^3)), with m the mean
    of r_jk and r_jh and |R| = 1 - r_jk^2 - r_jh^2 - r_kh^2 + 2 r_jk r_jh r_kh. The data are taken to be
    trivariate normal: there is no version for ranks.

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
    from scipy.special import stdtr  # noqa: PLC0415  a quarter of a second that reading and scoring do without

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
        Items that all three were computed from, n >= 4. Items without a value have been left out of all.

    Returns
    -------
    DependentTest
        z and its two-sided p.

    Raises
    ------
    UndefinedError
        As `williams` does; never "singular".
    RequestError
        If a correlation is outside [-1, 1], or no three variables correlate so.

    Notes
    -----
    z = (atanh r_jk - atanh r_jh) sqrt(n - 3) / sqrt(2 - 2 c), where c is the correlation of the two Fisher
    values (`fisher_correlation`), with the mean of r_jk and r_jh in the place of both: the null hypothesis
    says that they are one.

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
    """Interval of the difference between two correlations with the same gold.

    Parameters
    ----------
    r_jk, r_jh : float
        Pearson's r of the first and of the second run (k, h) with the gold (j), in (-1, 1).
    r_kh : float
        Pearson's r between the two runs, in (-1, 1).
    n : int
        Items that all three were computed from, n >= 4. Items without a value have been left out of all.
    level : float
        Coverage, in (0, 1).

    Returns
    -------
    low, high : float
        Of r_jk - r_jh; low <= r_jk - r_jh <= high, within [-2, 2].

    Raises
    ------
    UndefinedError
        As `williams` does; never "singular".
    RequestError
        If `level` is not in (0, 1), a correlation is outside [-1, 1], or no three variables correlate so.

    Notes
    -----
    With Fisher's limits l, u of each correlation and their correlation c, low = r_jk - r_jh -
    sqrt((r_jk - l_jk)^2 + (u_jh - r_jh)^2 - 2 c (r_jk - l_jk)(u_jh - r_jh)), and high likewise with the other
    two limits.

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
    """Asymptotic correlation between the Fisher values of two correlations with the same gold.

    Parameters
    ----------
    r_jk, r_jh, r_kh : float
        In (-1, 1), (-1, 1) and [-1, 1].

    Returns
    -------
    float
        In [-1, 1].

    Notes
    -----
    c = ((r_kh - r_jk r_jh / 2)(1 - r_jk^2 - r_jh^2 - r_kh^2) + r_kh^3) / ((1 - r_jk^2)(1 - r_jh^2));
    near 1 in rational arithmetic, for there floats cancel.

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
    """Variance of the difference of two Fisher values, times n - 3, if both correlations are the same.

    Parameters
    ----------
    r, r_kh : float
        The one correlation with the gold and that of the runs with each other, in (-1, 1), with
        2 r^2 - 1 <= r_kh.

    Returns
    -------
    float
        At least 2 (1 - r_kh).

    Notes
    -----
    2 - 2 c with c = `fisher_correlation(r, r, r_kh)`, written so that nothing cancels where c is near 1:
    2 (1 - r_kh)(1 - r^2 - r^2 (1 - r_kh) / 2) / (1 - r^2)^2.

    Examples
    --------
    >>> pooled_variance(0.0, 0.75)
    0.5
    """
    apart, rest = 1 - r_kh, 1 - r * r
    return 2 * apart * max(rest * rest, rest - r * r * apart / 2) / (rest * rest)


def check_correlations(r_jk: float, r_jh: float, r_kh: float) -> float:
    """Refuse three correlations that no three variables have.

    Parameters
    ----------
    r_jk, r_jh, r_kh : float
        In [-1, 1].

    Returns
    -------
    float
        The determinant of their matrix, in [0, 1]; below zero by rounding alone is zero.

    Raises
    ------
    RequestError
        If one is outside [-1, 1], or the determinant is negative.

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
    """How far Fisher's limits lie below and above r."""
    z = atanh(r)
    return r - tanh(z - half), tanh(z + half) - r


def _check(r_jk: float, r_jh: float, r_kh: float, n: int) -> float:
    """Refuse what has no test; return the determinant of the three correlations."""
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
