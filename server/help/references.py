"""Where the statistics of site and scorer were published: the references of the scorer's docstrings."""

from typing import NamedTuple


class Reference(NamedTuple):
    """Where a method was published; `link` is its address."""

    words: str
    link: str = ""


DOI = "https://doi.org/"
ACL = "https://aclanthology.org/"

AGIRRE_2013 = Reference(
    "Agirre, Cer, Diab, Gonzalez-Agirre & Guo (2013), *SEM 2013 shared task: Semantic Textual Similarity",
    ACL + "S13-1004",
)
ASAADI_2022 = Reference(
    "Asaadi, Kolagar, Liebel & Zarcone (2022), GiCCS: A German in-context conversational "
    "similarity "
    "benchmark, Workshop on Generation, Evaluation and Metrics (GEM)"
)
BERG_KIRKPATRICK_2012 = Reference(
    "Berg-Kirkpatrick, Burkett & Klein (2012), An empirical investigation of statistical "
    "significance "
    "in NLP, EMNLP",
    ACL + "D12-1091",
)
BLUM_2015 = Reference("Blum & Hardt (2015), algorithm 1")
BOJAR_2016 = Reference(
    "Bojar et al. (2016), Findings of the 2016 Conference on Machine Translation, section 3.4",
    ACL + "W16-2301",
)
DEUTSCH_2021 = Reference(
    "Deutsch, Dror & Roth (2021), A Statistical Analysis of Summarization Evaluation "
    "Metrics Using "
    "Resampling Methods, TACL 9, 1132–1146 (PERM-BOTH)",
    DOI + "10.1162/tacl_a_00417",
)
EFRON_1987 = Reference(
    "Efron (1987), Better bootstrap confidence intervals, JASA 82(397), 171–185",
    DOI + "10.1080/01621459.1987.10478410",
)
EFRON_1993 = Reference(
    "Efron & Tibshirani (1993), An Introduction to the Bootstrap, chapter 13", DOI + "10.1201/9780429246593"
)
FISHER_1921 = Reference(
    "Fisher (1921), On the probable error of a coefficient of correlation deduced from a "
    "small sample, "
    "Metron 1, 3–32"
)
GRAHAM_2014 = Reference(
    "Graham & Baldwin (2014), Testing for significance of increased correlation with human judgment, EMNLP",
    ACL + "D14-1020",
)
HMAC_1997 = Reference("RFC 2104, HMAC: Keyed-Hashing for Message Authentication (1997)")
HOLM_1979 = Reference(
    "Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian "
    "Journal of "
    "Statistics 6(2), 65–70"
)
JURGENS_2014 = Reference(
    "Jurgens, Pilehvar & Navigli (2014), SemEval-2014 Task 3: Cross-Level Semantic Similarity",
    ACL + "S14-2003",
)
JURGENS_2016 = Reference(
    "Jurgens, Pilehvar & Navigli (2016), Language Resources and Evaluation 50, 5–33",
    DOI + "10.1007/s10579-014-9289-2",
)
KENDALL_1945 = Reference(
    "Kendall (1945), The treatment of ties in ranking problems, Biometrika 33(3), 239–251",
    DOI + "10.1093/biomet/33.3.239",
)
KOEHN_2004 = Reference(
    "Koehn (2004), Statistical significance tests for machine translation evaluation, EMNLP",
    ACL + "W04-3250",
)
PEARSON_1896 = Reference(
    "Pearson (1896), Regression, heredity and panmixia, Phil. Trans. R. Soc. A 187, 253–318",
    DOI + "10.1098/rsta.1896.0007",
)
PHIPSON_2010 = Reference("p from counts: Phipson & Smyth (2010)", DOI + "10.2202/1544-6115.1585")
SPEARMAN_1904 = Reference(
    "Spearman (1904), The proof and measurement of association between two things, "
    "American Journal "
    "of Psychology 15(1), 72–101",
    DOI + "10.2307/1412159",
)
STEIGER_1980 = Reference(
    "Steiger (1980), Tests for comparing elements of a correlation matrix, Psychological Bulletin "
    "87(2), 245–251",
    DOI + "10.1037/0033-2909.87.2.245",
)
WILLIAMS_1959 = Reference(
    "Williams (1959), The comparison of regression variables, Journal of the Royal "
    "Statistical Society "
    "B 21(2), 396–399",
    DOI + "10.1111/j.2517-6161.1959.tb00346.x",
)
WISE_1996 = Reference(
    "Wise (1996), YAP3: Improved detection of similarities in computer program and other texts, SIGCSE",
    DOI + "10.1145/236452.236525",
)
WRIGHT_1992 = Reference(
    "Adjusted values: Wright (1992), Adjusted p-values for simultaneous inference, Biometrics 48(4)",
    DOI + "10.2307/2532694",
)
ZOU_2007 = Reference(
    "Zou (2007), Toward using confidence intervals to compare correlations, Psychological "
    "Methods 12(4), 399–413",
    DOI + "10.1037/1082-989X.12.4.399",
)
