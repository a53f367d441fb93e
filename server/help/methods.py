"""Every statistic of site and scorer: what it says, what not, who defined it, and how to cite it."""

from typing import NamedTuple

from server.core.i18n import N_
from server.help import references
from server.help.references import Reference


class Method(NamedTuple):
    """One entry; `cite` may have %(version)s, the scorer's, %(name)s and %(sources)s: authors and years."""

    anchor: str
    name: str
    says: str
    says_not: str
    sources: tuple[Reference, ...]
    cite: str


CITE_WITH_SOURCES = N_("“%(name)s (%(sources)s), computed with Assay’s scorer %(version)s.”")
CITE_BY_NAME = N_("“%(name)s, computed with Assay’s scorer %(version)s.”")

METRICS = (
    Method(
        "pearson",
        N_("Pearson’s r"),
        N_(
            "How well a straight line turns the scores of a run into the gold: from −1 to 1, where 1 "
            "is a perfect "
            "line and 0 is none. The official metric of most similarity tasks."
        ),
        N_(
            "It does not see a wrong scale or a shift: a run that is half the gold everywhere has r = "
            "1. A few "
            "far items can decide it. A run with the same score everywhere has none."
        ),
        (references.PEARSON_1896,),
        CITE_WITH_SOURCES,
    ),
    Method(
        "spearman",
        N_("Spearman’s rho"),
        N_(
            "Whether the run puts the items into the order of the gold: Pearson’s r of the ranks, "
            "where ties share the mean of theirs."
        ),
        N_("It does not see how far apart items are, and gold with many ties leaves little to order."),
        (references.SPEARMAN_1904,),
        CITE_WITH_SOURCES,
    ),
    Method(
        "kendall",
        N_("Kendall’s tau-b"),
        N_(
            "Of all pairs of items, how many more stand in the gold’s order than in the reverse, "
            "corrected for ties: from −1 to 1."
        ),
        N_(
            "It is smaller than Spearman’s rho on the same data; the two are not to be compared with "
            "each other."
        ),
        (references.KENDALL_1945,),
        CITE_WITH_SOURCES,
    ),
    Method(
        "mse",
        N_("Mean squared error (MSE)"),
        N_(
            "The mean of the squared distances to the gold, on the square of its scale. 0 is perfect, "
            "less is better."
        ),
        N_(
            "Large errors weigh most. Unlike a correlation it punishes a wrong scale, so it compares "
            "only runs that meant the same scale."
        ),
        (),
        CITE_BY_NAME,
    ),
    Method(
        "rmse",
        N_("Root mean squared error (RMSE)"),
        N_(
            "The root of the mean squared error, in points of the gold’s scale. 0 is perfect, less is better."
        ),
        N_("It orders runs just as MSE does; reporting both adds nothing."),
        (),
        CITE_BY_NAME,
    ),
    Method(
        "mae",
        N_("Mean absolute error (MAE)"),
        N_("The mean distance to the gold, in points of its scale. 0 is perfect, less is better."),
        N_("A few large errors hardly show in it."),
        (),
        CITE_BY_NAME,
    ),
    Method(
        "weighted_pearson",
        N_("Pearson’s r weighted by confidence"),
        N_(
            "Pearson’s r in which each item counts as much as the confidence that the run gave it; a "
            "line without a confidence is a sure one."
        ),
        N_(
            "A run that is sure of few items is judged by few. It says nothing of whether the "
            "confidences are honest."
        ),
        (
            references.AGIRRE_2013,
            references.JURGENS_2014,
        ),
        CITE_WITH_SOURCES,
    ),
    Method(
        "choice_accuracy",
        N_("Choice accuracy"),
        N_(
            "In how many groups of candidates the run’s highest score stands at the candidate with "
            "the highest gold. A tie is a chance: two at the top of which one is right count one "
            "half."
        ),
        N_("It sees the best candidate alone; groups whose candidates all have the same gold are left out."),
        (references.ASAADI_2022,),
        CITE_WITH_SOURCES,
    ),
)

INTERVALS = (
    Method(
        "bca",
        N_("BCa bootstrap interval"),
        N_(
            "In square brackets beside a value. The items are drawn anew, with replacement, 10,000 "
            "times; the ends "
            "are corrected for bias and skew. Of 100 samples of items like this one, about 95 give an "
            "interval "
            "that holds the score on all items of the kind. Groups of items that belong together are drawn "
            "together, and ranks are made anew in each draw."
        ),
        N_(
            "Two intervals that overlap do not say that two systems are equal: for that there is a test. It "
            "knows nothing of other genres, other annotators or another training."
        ),
        (references.EFRON_1987,),
        N_(
            "“95 %% BCa bootstrap intervals over items (10,000 resamples; Efron, 1987), computed with "
            "Assay’s scorer %(version)s.”"
        ),
    ),
    Method(
        "percentile",
        N_("Percentile bootstrap interval"),
        N_("The same draws, but the ends are simply the 2.5 % and the 97.5 % points of the scores in them."),
        N_(
            "It is off where the scores of the draws are skewed, as for correlations near 1; BCa "
            "corrects that."
        ),
        (references.EFRON_1993,),
        N_(
            "“95 %% percentile bootstrap intervals over items (10,000 resamples; Efron & Tibshirani, "
            "1993), computed with Assay’s scorer %(version)s.”"
        ),
    ),
    Method(
        "fisher",
        N_("Fisher’s z interval"),
        N_("An interval for Pearson’s r by formula, without draws, from r and the number of items alone."),
        N_(
            "It takes items as independent and the data as normal; similarity scores rarely are. Not "
            "for grouped items, and not for other metrics."
        ),
        (references.FISHER_1921,),
        N_("“95 %% intervals by Fisher’s z (1921), computed with Assay’s scorer %(version)s.”"),
    ),
)

TESTS = (
    Method(
        "permutation",
        N_("Paired permutation test"),
        N_(
            "If two systems were equally good, it would not matter whose answer stands at an item. Their "
            "scores are swapped on a random half of the items, many thousand times; p is the share of swaps "
            "that give a difference as large as the real one. On a total they are swapped within each level. "
            "For Pearson’s r each system’s scores are standardized first, to mean 0 and variance 1 (for "
            "Spearman’s rho, its ranks): a correlation ignores scale, and a swap of raw scores would mix "
            "the scales of two systems."
        ),
        N_(
            "p is not the chance that the systems are equal, and a large p does not show that they "
            "are: the items may be too few to tell. Nor is it the p of a test that swaps raw scores: "
            "that one depends on the scale of each system, and can be larger or smaller."
        ),
        (
            references.DEUTSCH_2021,
            references.PHIPSON_2010,
        ),
        N_(
            "“Differences by the paired permutation test on standardized scores (Deutsch et al., "
            "2021), Holm-adjusted within each column; Assay’s scorer %(version)s.”"
        ),
    ),
    Method(
        "bootstrap",
        N_("Paired bootstrap test"),
        N_(
            "Both systems are scored on the same draws of items; p is how often the difference moves "
            "as far from itself as it is from zero."
        ),
        N_(
            "It is the older habit of the field, and somewhat too ready to find differences on few "
            "items; the permutation test is the default."
        ),
        (
            references.BERG_KIRKPATRICK_2012,
            references.KOEHN_2004,
        ),
        N_(
            "“Differences by the paired bootstrap test (Berg-Kirkpatrick et al., 2012), "
            "Holm-adjusted; Assay’s scorer %(version)s.”"
        ),
    ),
    Method(
        "williams",
        N_("Williams’s test"),
        N_(
            "Whether two correlations with the same gold differ, by formula: it uses that the two "
            "systems correlate with each other."
        ),
        N_(
            "It takes the data as normal and items as independent, and serves Pearson alone; for two "
            "identical runs there is none."
        ),
        (
            references.WILLIAMS_1959,
            references.GRAHAM_2014,
            references.STEIGER_1980,
        ),
        N_("“Differences by Williams’s test (1959), Holm-adjusted; Assay’s scorer %(version)s.”"),
    ),
    Method(
        "zou",
        N_("Zou’s interval"),
        N_(
            "An interval for the difference of two correlations with the same gold, by formula, "
            "beside Williams’s test."
        ),
        N_("Like the test it takes the data as normal; the bootstrap’s interval of a difference does not."),
        (references.ZOU_2007,),
        N_(
            "“95 %% intervals of the differences by Zou’s method (2007), computed with Assay’s scorer "
            "%(version)s.”"
        ),
    ),
    Method(
        "holm",
        N_("Holm’s adjustment"),
        N_(
            "A board with 38 systems has 703 pairs, so some differ by chance. Holm’s method raises "
            "every p so that "
            "the chance of naming any false difference in a column stays at or under 5 in 100."
        ),
        N_("It is careful: with many systems it misses true differences that a single test would find."),
        (
            references.HOLM_1979,
            references.WRIGHT_1992,
        ),
        N_("“p values adjusted by Holm’s method (1979) within each column.”"),
    ),
    Method(
        "power",
        N_("Detectable difference"),
        N_(
            "The smallest difference between two correlations that these items show with a chance of "
            "80 in 100, given how the systems correlate with each other. It is there before the first "
            "run."
        ),
        N_(
            "It is a formula (Steiger’s z) for Pearson under normal data: a guide for planning, and "
            "no result."
        ),
        (references.STEIGER_1980,),
        N_(
            "“Detectable differences by Steiger’s z (1980), power 0.80, computed with Assay’s scorer "
            "%(version)s.”"
        ),
    ),
)

RANKS = (
    Method(
        "rank-range",
        N_("Rank range"),
        N_(
            "From 1 + the number of systems that are significantly better, to the number of systems "
            "less those that are significantly worse: the ranks that the tests leave open."
        ),
        N_(
            "It is no interval with a coverage; it is what the tests say, in ranks. Systems that were "
            "not compared leave it wide."
        ),
        (references.BOJAR_2016,),
        N_("“Rank ranges from Holm-adjusted pairwise tests, computed with Assay’s scorer %(version)s.”"),
    ),
    Method(
        "cluster",
        N_("Cluster"),
        N_(
            "A thick line between two rows stands where every system above is significantly better "
            "than every one below. Systems between two lines are a cluster."
        ),
        N_("Within a cluster the order may be chance; and no line does not mean no difference."),
        (references.BOJAR_2016,),
        N_("“Clusters as in WMT (Bojar et al., 2016), computed with Assay’s scorer %(version)s.”"),
    ),
    Method(
        "stability",
        N_("Stability: tau of two orders"),
        N_(
            "Kendall’s tau-b between the board’s order and the order under another rule: by Spearman, "
            "by the mean of ranks, without a level, without a genre. 1 is the same order, −1 the "
            "reverse."
        ),
        N_("It says how much the choice of rules matters, and nothing of chance."),
        (
            references.KENDALL_1945,
            references.JURGENS_2016,
        ),
        N_(
            "“Kendall’s tau-b between the official order and the orders under other rules, computed with "
            "Assay’s scorer %(version)s.”"
        ),
    ),
)

OTHERS = (
    Method(
        "lcs",
        N_("Baseline LCS"),
        N_(
            "Longest common substring: twice its length over the length of both texts, in characters. "
            "For word senses, the best of the glosses."
        ),
        N_("It knows nothing of meaning; a system below it has learned little."),
        (references.JURGENS_2014,),
        N_("“The LCS baseline of SemEval-2014 Task 3, as computed by Assay’s scorer %(version)s.”"),
    ),
    Method(
        "gst",
        N_("Baseline GST"),
        N_(
            "Greedy string tiling: the share of the larger text that common pieces of six characters "
            "and more cover."
        ),
        N_("Like LCS it compares letters, so it is strongest where texts copy from each other."),
        (
            references.WISE_1996,
            references.JURGENS_2014,
        ),
        N_("“The GST baseline of SemEval-2014 Task 3, as computed by Assay’s scorer %(version)s.”"),
    ),
    Method(
        "ladder",
        N_("The Ladder"),
        N_(
            "While files are taken, a team sees its best official score so far, in steps; it moves "
            "only for a file that is better by more than a step. So single labels cannot be read off "
            "it."
        ),
        N_(
            "The guarantee of its authors is for errors that are means over items. Correlations are "
            "none, so here it is a good habit and no guarantee."
        ),
        (references.BLUM_2015,),
        N_("“Feedback by the Ladder (Blum & Hardt, 2015).”"),
    ),
    Method(
        "commitment",
        N_("Commitment to the gold"),
        N_(
            "An HMAC-SHA256 of the gold file under a random key of 256 bits. It stands in receipts "
            "and statements "
            "before anybody may see the gold, tells nothing of it, and fits no other file. Once the gold is "
            "opened with its salts, anybody can check that it is the gold that was there."
        ),
        N_("It does not say that the gold is right."),
        (references.HMAC_1997,),
        N_("“The gold was committed to by HMAC-SHA256 before the evaluation; the salt is in the evidence.”"),
    ),
)

GROUPS: tuple[tuple[str, str, tuple[Method, ...]], ...] = (
    ("metrics", N_("Metrics"), METRICS),
    ("intervals", N_("Intervals"), INTERVALS),
    ("tests", N_("Differences"), TESTS),
    ("ranks", N_("Ranks"), RANKS),
    ("others", N_("Baselines, feedback, gold"), OTHERS),
)
