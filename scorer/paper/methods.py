"""One sentence on each method that the tables and figures of a paper use, with its reference."""

from collections.abc import Collection, Iterator
from importlib.metadata import version
from importlib.util import find_spec

from scorer._version import __version__
from scorer.bundles.bundle import OWN_BASELINE, RunSpec
from scorer.paper.sources import Sources

_BASELINES = {
    "lcs": "LCS is the length of the longest common substring of both texts, divided by the mean of "
    "their lengths (Gusfield 1997, Algorithms on Strings, Trees and Sequences).",
    "gst": "GST is the share of the larger text that greedy string tiling covers with tiles of at least "
    "six characters (Wise 1996, YAP3, doi:10.1145/236462.236525).",
    "tfidf": "TF-IDF is the cosine of tf-idf vectors of three to five characters in words, fitted on the "
    "items (Spärck Jones 1972, doi:10.1108/eb026526).",
}
_OF_TABLES = {
    "vocabulary": "Content words are looked up in WordNet 3.0 (Fellbaum 1998, WordNet: An Electronic "
    "Lexical Database).",
    "diversity": "RTTR is the number of types divided by the root of the number of tokens (Guiraud "
    "1954); MTLD is that of McCarthy & Jarvis (2010), doi:10.3758/BRM.42.2.381.",
    "agreement": "Krippendorff's alpha has an interval distance; intervals resample the units "
    "(Krippendorff 2019, Content Analysis, fourth edition).",
    "significance": "The ratings of a unit in two passes are compared by t tests of two samples and of "
    "pairs; false discovery rates are those of Benjamini & Hochberg (1995), "
    "doi:10.1111/j.2517-6161.1995.tb02031.x.",
    "kept": "Pairs are kept by the distance of their rating from the one expected for their choice (Sido "
    "et al. 2024, doi:10.1007/s10579-024-09795-z).",
    "bias": "Deviations from gold are resampled over annotators and units (Owen 2007, "
    "doi:10.1214/07-AOAS122).",
    "reliability": "Best-worst scores are the share of tuples in which an item is best minus that in "
    "which it is worst, scaled to 0 to 1; their reliability is that of split halves (Kiritchenko & "
    "Mohammad 2017, doi:10.18653/v1/P17-2074).",
    "metrics": "Rankings are compared by Kendall's tau-b (Kendall 1945, doi:10.1093/biomet/33.3.239).",
}


def methods(sources: Sources, names: Collection[str]) -> Iterator[str]:
    """Yield the sentences on the methods of the elements with these names, with options and versions."""
    board = sources.board
    if board is not None and any(name.startswith("results") for name in names):
        if board.inference is not None:
            options = board.inference["options"]
            kind = {
                "bca": "BCa bootstrap intervals (DiCiccio & Efron 1996, doi:10.1214/ss/1032280214)",
                "percentile": "percentile bootstrap intervals (Efron & Tibshirani 1993, An Introduction "
                "to the Bootstrap)",
            }[options["interval"]]
            yield (
                f"Intervals are {100 * options['level']:g} % {kind} from {options['b']:,} resamples of "
                f"the items, the same for all systems, with the seed {options['seed']}."
            )
            if any(column.get("tests", {}).get("permutations") for column in board.inference["columns"]):
                adjusted = {
                    "max-t": "step-down maxT (Westfall & Young 1993, Resampling-Based Multiple Testing)",
                    "holm": "Holm's method (Holm 1979, Scandinavian Journal of Statistics 6)",
                }[options["adjust"]]
                yield (
                    "Pairs of systems are compared by paired permutation tests, for correlations of "
                    "standardized scores (Deutsch, Dror & Roth 2021, doi:10.1162/tacl_a_00417), with the "
                    f"family-wise error rate {options['alpha']:g} in each column by {adjusted}."
                )
                yield (
                    "A rule in a table separates systems if each system above it is significantly better "
                    "than each below it, as in the news task of WMT (Barrault et al. 2019, "
                    "doi:10.18653/v1/W19-5301)."
                )
        computed = dict.fromkeys(run.computed for run in board.bundle.runs if run.computed)
        yield from (_BASELINES[name] for name in computed if name in _BASELINES)
        runs = map(board.run_of, board.board.baselines)
        yield from (_describe(run) for run in runs if run and run.baseline == OWN_BASELINE)
    yield from (sentence for name, sentence in _OF_TABLES.items() if name in names)
    versions = ", ".join(
        f"{name} {version(name)}" for name in ("numpy", "scipy", "matplotlib") if find_spec(name)
    )
    yield f"All values were computed by the scorer of Assay, version {__version__}, with {versions}."


def _describe(run: RunSpec) -> str:
    """Say what the organizers say about a baseline of their own."""
    texts = {
        "": run.method or run.description,
        "version ": run.version,
        "data: ": run.resources,
        "licence: ": run.licence,
        "command: ": run.command,
    }
    said = "; ".join(f"{label}{' '.join(text.split()).rstrip('.')}" for label, text in texts.items() if text)
    return f"The organizers ran the baseline {run.name}{f' ({said})' if said else ''}."
