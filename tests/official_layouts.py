"""Invented packages with the paths, line counts, columns, line ends and odd files of the official ones.

`tests/field_formats.py` has smaller ones, with what else teams send.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

LEFT = (
    "the ferry waits for no one",
    'a "lamp" is burning',
    "bread, salt and dark ale",
    "two gulls on a mast",
)
RIGHT = (
    "nobody waits for the ferry",
    'it\'s a lamp "burning"',
    "bread is sold from seven",
    "shoes and ships",
)
SENSES = ("boat", "lamp", "bread", "ship", "harbor")
"""Nouns that WordNet has."""
STS = {
    "sts-2012": {
        "MSRpar": 750,
        "MSRvid": 750,
        "SMTeuroparl": 459,
        "surprise.OnWN": 750,
        "surprise.SMTnews": 399,
    },
    "sts-2013": {"FNWN": 189, "OnWN": 561, "headlines": 750},
    "sts-2014": {
        "OnWN": 750,
        "deft-forum": 450,
        "deft-news": 300,
        "headlines": 750,
        "images": 750,
        "tweet-news": 750,
    },
    "sts-2015": {
        "answers-forums": 2000,
        "answers-students": 1500,
        "belief": 2000,
        "headlines": 1500,
        "images": 1500,
    },
    "sts-2016": dict.fromkeys(
        ("answer-answer", "headlines", "plagiarism", "postediting", "question-question"), 1500
    ),
}
"""Lines of each data set."""
SCORED = {
    "sts-2015": {
        "answers-forums": 375,
        "answers-students": 750,
        "belief": 375,
        "headlines": 750,
        "images": 750,
    },
    "sts-2016": {
        "answer-answer": 254,
        "headlines": 249,
        "plagiarism": 230,
        "postediting": 244,
        "question-question": 209,
    },
}
"""Values of the gold, where its other lines are empty."""
TRACKS = ("1.ar-ar", "2.ar-en", "3.es-es", "4a.es-en", "4b.es-en", "5.en-en", "6.tr-en")
LANGUAGES = ("amh", "arq", "ary", "eng", "esp", "hau", "kin", "mar", "tel")
CLSS_TRIAL = {"paragraph2sentence": 34, "phrase2word": 38, "sentence2phrase": 36, "word2sense": 48}
TEAMS = ("birch", "elm")
RUN_FILES = {
    "clss-2014": "{}.train.tsv",
    "semrel-2024": "pred_{}_a.csv",
    **dict.fromkeys(("sts-2012", "sts-2013", "sts-2014", "sts-2015"), "STS.output.{}.txt"),
}


@dataclass
class OfficialPackage:
    """A package, a folder of runs, and what the board has to be computed from."""

    folder: Path
    runs: Path
    run_file: str
    """How real runs name the file of a level."""
    gold: dict[str, list[float | None]] = field(default_factory=dict)
    """Of the board's split, by level; None where an item is not scored."""
    preds: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    """By team and level."""

    def write(self, path: str, lines: Sequence[str], end: str = "\n", encoding: str = "utf-8") -> None:
        _write(self.folder / path, lines, end, encoding)

    def add_runs(self, level: str, scores: Sequence[Sequence[float]], files: Sequence[Sequence[str]]) -> None:
        """The first team's files are named as real ones, in a folder for the run; the second has one run."""
        paths = (f"birch/first/{self.run_file.format(level)}", f"elm/{level}.txt")
        for team, values, lines, path in zip(TEAMS, scores, files, paths, strict=True):
            _write(self.runs / path, lines)
            self.preds.setdefault(team, {})[level] = list(values)


def write_official(folder: Path, name: str) -> OfficialPackage:
    """Write the package that `deploy/tasks/NAME.toml` is for, and runs of two teams beside it."""
    run_file = RUN_FILES.get(name, "{}.txt")
    package = OfficialPackage(folder / "package", folder / "runs", run_file)
    rng = random.Random(name)  # noqa: S311  (invented data, no secret)
    if name == "clss-2014":
        _clss(package, rng)
    elif name == "sick-2014":
        _sick(package, rng)
    elif name == "semrel-2024":
        _semrel(package, rng)
    elif name == "sts-2017":
        _sts_2017(package, rng)
    else:
        _sts(package, rng, name)
    return package


def _write(path: Path, lines: Sequence[str], end: str = "\n", encoding: str = "utf-8") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes("".join(line + end for line in lines).encode(encoding))


def _pair(k: int, k_rng: random.Random) -> tuple[str, str]:
    return f"{LEFT[k % 4]} {k_rng.randrange(1000)}", RIGHT[k % 3]


def _ratings(rng: random.Random, n: int, high: float, low: float = 0) -> list[float]:
    return [round(rng.uniform(low, high), 2) for _ in range(n)]


def _pair_of_runs(rng: random.Random, gold: Sequence[float | None], high: float) -> list[list[float]]:
    """Two runs that answer every item: one near the gold, one far from it."""
    return [
        [round((high / 2 if value is None else value) + rng.gauss(0, noise), 3) for value in gold]
        for noise in (0.2 * high, 0.6 * high)
    ]


def _aligned_runs(package: OfficialPackage, rng: random.Random, level: str, high: float, sure: int) -> None:
    """One run with confidences from 0 to `sure`, one without."""
    scores = _pair_of_runs(rng, package.gold[level], high)
    lines = [f"{score}\t{rng.randrange(101) * sure / 100:g}" for score in scores[0]]
    package.add_runs(level, scores, [lines, [str(score) for score in scores[1]]])


def _clss(package: OfficialPackage, rng: random.Random) -> None:
    package.write("00-README.txt", ["SemEval", "", "Cross-level"] * 77)
    package.write("licenses/00-README.txt", ["a licence", ""] * 20)
    package.write("licenses/OpenANC-license.txt", ["a licence"], encoding="utf-16")
    for level, of_trial in CLSS_TRIAL.items():
        for split, short, n in (
            ("test", "test", 500),
            ("training", "train", 500),
            ("trial", "trial", of_trial),
        ):
            items, gold = [], _ratings(rng, n, 4)
            for k in range(n):
                word, sense = (rng.choice(SENSES) for _ in range(2))
                sides = (
                    f"{word}#n\t{sense}%1:06:00::\t{sense}#n#1"
                    if level == "word2sense"
                    else "\t".join(_pair(k, rng))
                )
                items.append(f"{sides}\t{rng.choice(('CQA', 'Reviews'))}-{k}")
            package.write(f"data/{split}/{level}.{short}.input.tsv", items)
            package.write(f"keys/{split}/{level}.{short}.gs.tsv", [f"{value:g}" for value in gold])
            if split == "training":
                package.gold[level] = list(gold)
        for split in ("test", "training"):
            package.write(f"keys/baselines/{level}.{split}.baseline.tsv", ["0.5"] * 500)
        package.write(f"keys/trial/example/{level}.trial.output.tsv", ["1"] * of_trial)
        _aligned_runs(package, rng, level, 4, 1)


def _sick(package: OfficialPackage, rng: random.Random) -> None:
    package.write("readme.txt", ["SICK", ""] * 20)
    header = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment"
    for name, n, end in (("test_annotated", 4927, "\r\n"), ("train", 4500, "\n"), ("trial", 500, "\n")):
        ids, gold = rng.sample(range(1, 10000), n), _ratings(rng, n, 5, 1)
        rows = [
            "\t".join((str(key), *_pair(k, rng), str(value), "NEUTRAL"))
            for k, (key, value) in enumerate(zip(ids, gold, strict=True))
        ]
        package.write(f"SICK_{name}.txt", [header, *rows], end)
        if name == "test_annotated":
            package.gold["relatedness"] = list(gold)
            scores = _pair_of_runs(rng, gold, 5)
            rows = [
                [f"ENTAILMENT\t{score}\t{key}" for key, score in zip(ids, each, strict=True)]
                for each in scores
            ]
            for each in rows:
                rng.shuffle(each)
            package.add_runs(
                "relatedness",
                scores,
                [["entailment_judgment\trelatedness_score\tpair_ID", *each] for each in rows],
            )


def _sts(package: OfficialPackage, rng: random.Random, name: str) -> None:
    prefix = "STS2016" if name == "sts-2016" else "STS"
    for data_set, n in STS[name].items():
        scored = sorted(rng.sample(range(n), SCORED.get(name, {}).get(data_set, n)))
        values = dict(zip(scored, _ratings(rng, len(scored), 5), strict=True))
        more = "\tsource one\tsource two" if name == "sts-2016" else ""
        package.write(f"{prefix}.input.{data_set}.txt", ["\t".join(_pair(k, rng)) + more for k in range(n)])
        gold = [values.get(k) for k in range(n)]
        package.write(f"{prefix}.gs.{data_set}.txt", ["" if value is None else f"{value}" for value in gold])
        level = data_set.removeprefix("surprise.")
        package.gold[level] = gold
        _aligned_runs(package, rng, level, 5, 100)
    if name == "sts-2012":
        package.write("STS.gs.ALL.txt", ["2.5"] * 3108)
    if name == "sts-2013":
        package.write("STS.input.SMT.txt", ["this data set needs\ta licence"] * 5)
        package.write("STS.gs.SMT.txt", ["2.5"] * 750)
    if name in ("sts-2013", "sts-2014"):
        package.write("STS.output.headlines.txt", ["2.5\t100"] * 750)
    if name == "sts-2015":
        package.write("STS.input.answers-forums.LICENSE", ["a licence", ""] * 15)


def _sts_2017(package: OfficialPackage, rng: random.Random) -> None:
    for track in TRACKS:
        n = 500 if track == "6.tr-en" else 250
        items = ["\t".join(_pair(k, rng)) for k in range(n)]
        gold = _ratings(rng, 250, 5)
        package.write(f"STS2017.eval.v1.1/STS.input.track{track}.txt", items)
        package.write(f"STS2017.gs/STS.gs.track{track}.txt", [f"{value}" for value in gold])
        level = f"track{track.replace('.', '-')}"
        package.gold[level] = [*gold, *[None] * (n - 250)]
        _aligned_runs(package, rng, level, 5, 100)


def _semrel(package: OfficialPackage, rng: random.Random) -> None:
    for language in LANGUAGES:
        for split, n in (("train", 90), ("dev", 25), ("test", 2600 if language == "eng" else 60)):
            gold = _ratings(rng, n, 1)
            ids = [f"{language.upper()}-{split}-{k:04}" for k in range(n)]
            texts = ["\n".join(_pair(k, rng)).replace('"', '""') for k in range(n)]
            rows = [f'{key},"{text}"' for key, text in zip(ids, texts, strict=True)]
            labelled = [f"{row},{value}" for row, value in zip(rows, gold, strict=True)]
            folder = f"Track A/{language}/{language}"
            if split == "train":
                package.write(f"{folder}_train.csv", ["PairID,Text,Score", *labelled])
                continue
            package.write(f"{folder}_{split}.csv", ["PairID,Text", *rows])
            if (language, split) == ("esp", "test"):
                continue
            package.write(f"{folder}_{split}_with_labels.csv", ["PairID,Text,Score", *labelled])
            if split == "test":
                package.gold[language] = list(gold)
                scores = _pair_of_runs(rng, gold, 1)
                lines = [
                    ["PairID,Pred_Score", *(f"{key},{score}" for key, score in zip(ids, each, strict=True))]
                    for each in scores
                ]
                package.add_runs(language, scores, lines)
