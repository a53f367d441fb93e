"""`scorer baseline`: the official values, options, files and errors."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scorer.baselines import BASELINES, baseline_run, find_wordnet
from scorer.cli.__main__ import cli
from scorer.cli.baseline import command
from scorer.errors import DataError, GoldError, ItemsError, RequestError
from scorer.files.reading import Items, parse_items
from scorer.metrics import mse, pearson, spearman

LEVELS = ("paragraph2sentence", "sentence2phrase", "phrase2word", "word2sense")
PAIRS = "comply with obligations\tcomplying\tNews-1\nvery tedious\ttedious work\tNews-2\n"

needs_wordnet = pytest.mark.skipif(
    find_wordnet() is None,
    reason="WordNet 3.0 is not installed, so word2sense was not checked: apt-get install wordnet-base",
)
levels = pytest.mark.parametrize(
    "level",
    [pytest.param(level, marks=needs_wordnet) if level == "word2sense" else level for level in LEVELS],
)


def run(*arguments: str | Path, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments], input=stdin)


def values(text: str) -> list[float]:
    return [float(line.split("\t")[0]) for line in text.splitlines()]


def items_of(shared: Path, level: str) -> Path:
    return shared / "data" / "clss" / "data" / "training" / f"{level}.train.input.tsv"


def gold_of(shared: Path, level: str) -> list[float]:
    return values((shared / "data" / "clss" / "keys" / "training" / f"{level}.train.gs.tsv").read_text())


@levels
def test_every_official_lcs_value_is_reproduced(shared: Path, level: str) -> None:
    official = shared / "data" / "clss" / "keys" / "baselines" / f"{level}.training.baseline.tsv"
    result = run("lcs", items_of(shared, level), "--oov", "zero")
    assert result.exception is None
    assert len(values(result.stdout)) == 500
    assert result.stdout == official.read_text()


@levels
def test_every_gst_value_of_the_oracle_is_reproduced(shared: Path, level: str) -> None:
    rows = [line.split("\t") for line in (shared / "oracles" / "gst_training.tsv").read_text().splitlines()]
    expected = [int(row[3]) / int(row[4]) if row[4] else 0.0 for row in rows if row[0] == level]
    result = run("gst", items_of(shared, level), "--oov", "zero", "--scale", "1")
    assert len(expected) == 500
    assert values(result.stdout) == expected


@pytest.mark.parametrize(
    ("name", "level", "r", "rho"),
    [
        ("lcs", "paragraph2sentence", 0.498940, 0.601574),
        ("lcs", "sentence2phrase", 0.499748, 0.582307),
        ("lcs", "phrase2word", 0.188537, 0.122397),
        pytest.param("lcs", "word2sense", 0.170115, 0.194369, marks=needs_wordnet),
        ("gst", "paragraph2sentence", 0.680839, 0.694076),
        ("gst", "sentence2phrase", 0.606908, 0.631407),
        ("gst", "phrase2word", 0.163237, 0.158347),
        pytest.param("gst", "word2sense", 0.260780, 0.254207, marks=needs_wordnet),
    ],
)
def test_baseline_correlations_equal_the_known_ones(
    shared: Path, name: str, level: str, r: float, rho: float
) -> None:
    pred = values(run(name, items_of(shared, level), "--oov", "zero").stdout)
    gold = gold_of(shared, level)
    assert pearson(gold, pred) == pytest.approx(r, abs=5e-7)
    assert spearman(gold, pred) == pytest.approx(rho, abs=5e-7)


@pytest.mark.parametrize(
    ("level", "characters", "of_words"),
    [
        ("paragraph2sentence", 0.713539, 0.714451),
        ("sentence2phrase", 0.613706, 0.553995),
        ("phrase2word", 0.199787, 0.162717),
        pytest.param("word2sense", 0.287130, 0.295023, marks=needs_wordnet),
    ],
)
def test_tfidf_correlations(shared: Path, level: str, characters: float, of_words: float) -> None:
    """A script without exact sums, by the definition of scikit-learn, gives the same values for texts."""
    gold, items = gold_of(shared, level), items_of(shared, level)
    known = {"": characters, "--words": of_words}
    for option, r in known.items():
        pred = values(run("tfidf", items, "--oov", "zero", *filter(None, [option])).stdout)
        assert pearson(gold, pred) == pytest.approx(r, abs=5e-7)


def test_tfidf_fitted_on_three_levels_has_the_correlations_of_scikit_learn(shared: Path) -> None:
    """.715, .614 and .200 were measured with scikit-learn's TfidfVectorizer, fitted on all of these items."""
    levels = [parse_items(items_of(shared, level).read_bytes(), level) for level in LEVELS[:3]]
    items = Items("texts", tuple(item for level in levels for item in level.items))
    pred = values(baseline_run("tfidf", items))
    found = [pearson(gold_of(shared, level), pred[500 * n :][:500]) for n, level in enumerate(LEVELS[:3])]
    assert [round(r, 3) for r in found] == [0.715, 0.614, 0.2]


@needs_wordnet
def test_the_papers_rule_gives_61_words_the_mean_and_no_confidence(shared: Path) -> None:
    lines = run("lcs", items_of(shared, "word2sense")).stdout.splitlines()
    without = {line for line in lines if line.endswith("\t0")}
    assert sum(line.endswith("\t0") for line in lines) == 61
    assert sum(line.endswith("\t1") for line in lines) == 439
    assert len(without) == 1
    known = [float(line.split("\t")[0]) for line in lines if line.endswith("\t1")]
    assert float(without.pop().split("\t")[0]) == pytest.approx(sum(known) / 439, abs=0.002)


@needs_wordnet
def test_official_trial_items_are_all_parsed(shared: Path) -> None:
    result = run("lcs", shared / "data" / "clss" / "data" / "trial" / "word2sense.trial.input.tsv")
    assert result.exception is None
    assert len(result.stdout.splitlines()) == 48


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "items.tsv"
    path.write_text(PAIRS, encoding="utf-8")
    return path


def test_one_value_a_line_on_stdout(pairs: Path) -> None:
    result = run("lcs", pairs)
    assert (result.stdout, result.stderr, result.exit_code) == ("1.5\n2.332\n", "", 0)


def test_dash_reads_standard_input() -> None:
    assert run("lcs", "-", stdin=PAIRS.encode()).stdout == "1.5\n2.332\n"


def test_scale_and_digits(pairs: Path) -> None:
    assert run("lcs", pairs, "--scale", "1").stdout == "0.375\n0.583\n"
    assert run("lcs", pairs, "--scale", "1,5", "--digits", "1").stdout == "2.6\n3.4\n"
    assert run("gst", pairs, "--scale", "1", "--digits", "3").stdout == "0.261\n0.583\n"


@pytest.mark.parametrize("scale", ["nan", "1e3", "4,", "1,2,3", "", "4 ", "٤"])
def test_scale_that_is_not_a_number_is_a_usage_error(pairs: Path, scale: str) -> None:
    result = run("lcs", pairs, "--scale", scale)
    assert result.exit_code == 2
    assert "is not a scale; write its upper end" in result.stderr


def test_columns_and_header(tmp_path: Path) -> None:
    path = tmp_path / "items.tsv"
    path.write_text("id\tleft\tright\nNews-1\tcomply with obligations\tcomplying\n", encoding="utf-8")
    assert run("lcs", path, "--header").stdout == "1.5\n"
    path.write_text("id,left,right\nNews-1,comply with obligations,complying\n", encoding="utf-8")
    assert run("lcs", path, "--header", "--items-delimiter", "comma").stdout == "1.5\n"
    path.write_text("News-1\tcomply with obligations\tcomplying\n", encoding="utf-8")
    assert run("lcs", path, "--columns", "id,left,right").stdout == "1.5\n"


@pytest.mark.parametrize("name", BASELINES)
def test_calibration_on_half_of_the_items_makes_the_errors_of_the_others_smaller(
    shared: Path, tmp_path: Path, name: str
) -> None:
    files = {"items": items_of(shared, LEVELS[0])}
    files["gold"] = shared / "data" / "clss" / "keys" / "training" / f"{LEVELS[0]}.train.gs.tsv"
    for half in (0, 1):
        for what, path in files.items():
            lines = path.read_text(encoding="utf-8").splitlines(keepends=True)[half::2]
            (tmp_path / f"{what}{half}").write_text("".join(lines), encoding="utf-8")
    gold = values((tmp_path / "gold1").read_text(encoding="utf-8"))
    plain = values(run(name, tmp_path / "items1").stdout)
    result = run(name, tmp_path / "items1", "--calibrate", tmp_path / "items0", tmp_path / "gold0")
    calibrated = values(result.stdout)
    assert mse(gold, calibrated) < 0.6 * mse(gold, plain)
    assert pearson(gold, calibrated) > pearson(gold, plain)
    assert result.stderr.startswith("Calibrated by isotonic regression; mean squared errors in cross-valid")


def test_calibration_stays_within_the_scale_and_keeps_confidences(tmp_path: Path) -> None:
    (tmp_path / "senses").write_text("bank#n#1\tsloping land\nshore#n#1\tthe land\n", encoding="utf-8")
    items, training, gold = tmp_path / "items", tmp_path / "training", tmp_path / "gold"
    items.write_text("bank#n\t-\tbank#n#1\tw2s-1\nsea#n\t-\tbank#n#1\tw2s-2\n", encoding="utf-8")
    lines = [f"bank#n\t-\t{'shore' if n % 2 else 'bank'}#n#1\tw2s-{n}\n" for n in range(10)]
    training.write_text("".join(lines), encoding="utf-8")
    gold.write_text("5\n1\n" * 5, encoding="utf-8")
    options = ["--wordnet", tmp_path / "senses", "--calibrate", training, gold]
    assert run("lcs", items, *options, "--scale", "1,5", "--oov", "zero").stdout == "5\t1\n1\t0\n"
    gold.write_text("5\n1\n" * 4, encoding="utf-8")
    assert "8 lines" in str(run("lcs", items, *options).exception)


def test_calibration_refuses_gold_outside_the_scale_by_its_line(pairs: Path, tmp_path: Path) -> None:
    gold = tmp_path / "gold.tsv"
    gold.write_text("4\n4.5\n", encoding="utf-8")
    refused = run("lcs", pairs, "--calibrate", pairs, gold).exception
    assert isinstance(refused, GoldError)
    assert str(refused) == f"{gold}:2: 4.5 is not on the scale from 0 to 4; correct it, or give --scale"


def test_calibration_refuses_gold_without_different_values(pairs: Path, tmp_path: Path) -> None:
    gold = tmp_path / "gold.tsv"
    for values_of_items in ("2\n2.0\n", "2\n\n"):
        gold.write_text(values_of_items, encoding="utf-8")
        with pytest.raises(GoldError, match=r"gold.tsv: every item has the same value, so nothing can be le"):
            raise run("lcs", pairs, "--calibrate", pairs, gold).exception or AssertionError


def test_sense_table_can_replace_wordnet(tmp_path: Path) -> None:
    table, items = tmp_path / "senses.tsv", tmp_path / "items.tsv"
    table.write_text("bank#n#1\tsloping land\nshore#n#1\tthe land\n", encoding="utf-8")
    items.write_text(
        "bank#n\tshore%1:17:00::\tshore#n#1\tw2s-1\nsea#n\t-\tbank#n#1\tw2s-2\n", encoding="utf-8"
    )
    expected = "2\t1\n2\t0\n"  # " land" is 5 of 12 and 8
    assert run("lcs", items, "--wordnet", table).stdout == expected
    assert run("lcs", items, "--wordnet", table, "--oov", "zero").stdout == "2\t1\n0\t0\n"


def test_output_is_written_atomically_and_reported_on_stderr(pairs: Path, tmp_path: Path) -> None:
    target = tmp_path / "lcs.tsv"
    target.write_text("an older run\n", encoding="utf-8")
    result = run("lcs", pairs, "-o", target)
    assert target.read_bytes() == b"1.5\n2.332\n"
    assert (result.stdout, result.stderr) == ("", f"{target}: wrote 2 lines\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["items.tsv", "lcs.tsv"]


def test_failed_run_keeps_the_existing_file(tmp_path: Path) -> None:
    items, target = tmp_path / "items.tsv", tmp_path / "lcs.tsv"
    items.write_text("bank\tk\tshore#n#1\tw2s-1\n", encoding="utf-8")
    (tmp_path / "senses.tsv").write_text("shore#n#1\tthe land\n", encoding="utf-8")
    target.write_text("an older run\n", encoding="utf-8")
    result = run("lcs", items, "--wordnet", tmp_path / "senses.tsv", "-o", target)
    assert isinstance(result.exception, ItemsError)
    assert target.read_text() == "an older run\n"


def test_a_link_stays_a_link(pairs: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.tsv"
    link.symlink_to(tmp_path / "lcs.tsv")
    run("lcs", pairs, "-o", link)
    assert link.is_symlink()
    assert (tmp_path / "lcs.tsv").read_bytes() == b"1.5\n2.332\n"


def test_a_pipe_stays_a_pipe(pairs: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        run("lcs", pairs, "-o", pipe)
        assert os.read(reader, 100) == b"1.5\n2.332\n"
    finally:
        os.close(reader)
    assert pipe.is_fifo()


@pytest.mark.parametrize("place", ["nowhere/lcs.tsv", "items.tsv/lcs.tsv", "", "x" * 300, "."])
def test_unwritable_path_is_rejected(pairs: Path, place: str) -> None:
    output = f"{pairs.parent}/{place}" if place else ""
    result = CliRunner().invoke(cli, ["baseline", "lcs", str(pairs), "-o", output])
    assert isinstance(result.exception, SystemExit)
    assert result.exit_code == 2
    assert "cannot be written: " in result.stderr
    assert [path.name for path in pairs.parent.iterdir()] == ["items.tsv"]


def test_an_input_is_never_replaced(tmp_path: Path) -> None:
    paths = {name: tmp_path / name for name in ("items", "train", "gold", "vectors", "lm", "senses")}
    for path in paths.values():
        path.write_text("precious\t1\n", encoding="utf-8")
    items, train, gold, vectors, lm, senses = paths.values()
    runs: list[tuple[list[str | Path], list[Path]]] = [
        (
            ["tfidf", items, "--calibrate", train, gold, "--wordnet", senses],
            [items, train, gold, senses],
        ),
        (["vectors", items, "--vectors", vectors, "--counts", gold], [items, vectors, gold]),
        (["loglikelihoods", items, lm], [items, lm]),
    ]
    for arguments, inputs in runs:
        for path in inputs:
            refused = run(*arguments, "-o", path).exception
            assert isinstance(refused, RequestError)
            assert (
                str(refused) == f"{path} is an input file, so it cannot be an output file; name another file"
            )
    assert {path.read_text(encoding="utf-8") for path in paths.values()} == {"precious\t1\n"}


def test_missing_items_file_is_rejected(tmp_path: Path) -> None:
    assert isinstance(run("lcs", tmp_path / "nothing.tsv").exception, DataError)


def test_bad_items_are_exit_1_with_every_line(tmp_path: Path) -> None:
    items = tmp_path / "items.tsv"
    items.write_text("bank\tk\tshore#n#1\tw2s-1\nbank#n\tk\tshore\tw2s-2\n", encoding="utf-8")
    (tmp_path / "senses.tsv").write_text("shore#n#1\tthe land\n", encoding="utf-8")
    arguments = ["baseline", "gst", str(items), "--wordnet", str(tmp_path / "senses.tsv")]
    result = CliRunner().invoke(cli, arguments, prog_name="scorer", standalone_mode=True)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.splitlines() == [
        f'{items}:1: "bank" names no word; write word#pos, with pos one of n, v, a, r',
        f'{items}:2: "shore" names no sense; write word#pos#n, with pos one of n, v, a, r',
    ]


def test_reversed_scale_is_exit_2(pairs: Path) -> None:
    assert CliRunner().invoke(cli, ["baseline", "lcs", str(pairs), "--scale", "5,1"]).exit_code == 2


def test_missing_wordnet_is_rejected(tmp_path: Path) -> None:
    items = tmp_path / "items.tsv"
    items.write_text("bank#n\tk\tshore#n#1\tw2s-1\n", encoding="utf-8")
    result = run("lcs", items, "--wordnet", tmp_path / "nowhere")
    assert isinstance(result.exception, DataError)
    assert "apt-get install wordnet-base" in str(result.exception)


@pytest.mark.parametrize(
    "arguments", [[], ["bleu", "-"], ["lcs", "-", "--oov", "median"], ["lcs", "-", "--digits", "99"]]
)
def test_usage_error_is_exit_2(arguments: list[str]) -> None:
    assert run(*arguments).exit_code == 2


def test_help_has_an_example_and_the_exit_codes() -> None:
    text = run("--help").stdout
    assert "scorer baseline lcs data/training/paragraph2sentence.train.input.tsv -o lcs.tsv" in text
    assert "Exit codes:\n    0  success" in text


VECTORS = "the 200 0 0\nHarbour 0 2 0\nmill 0 1.2 1.6\nquay 0 -3.2 -1.6\n"
"""The texts below have the first component (1, 0, 0), because the others add up to 0 at equal weights."""
TEXTS = "The Harbour\tthe mill\nthe mill\tthe quay\nthe quay pier\tThe Harbour\n"


@pytest.fixture
def vector_files(tmp_path: Path) -> tuple[Path, Path]:
    items, vectors = tmp_path / "items.tsv", tmp_path / "vectors.txt"
    items.write_text(TEXTS, encoding="utf-8")
    vectors.write_text(VECTORS, encoding="utf-8")
    return items, vectors


def test_sif_of_word_vectors_and_how_many_words_have_none(vector_files: tuple[Path, Path]) -> None:
    items, vectors = vector_files
    result = run("vectors", items, "--vectors", vectors)
    assert (result.stdout, result.exit_code) == ("2.4\n0\n0\n", 0)  # the cosine of (1, 0) and (.6, .8)
    assert result.stderr.splitlines() == [
        f"{items}, left: 1 of 7 tokens (14.3%) and 1 of 6 types (16.7%) have no vector",
        f"{items}, right: 0 of 6 tokens (0.0%) and 0 of 5 types (0.0%) have no vector",
    ]


def test_frequencies_of_another_corpus(vector_files: tuple[Path, Path], tmp_path: Path) -> None:
    """With them, "Harbour" has half of the weight of "mill" and "quay"."""
    items, vectors = vector_files
    counts = tmp_path / "counts.txt"
    counts.write_text("the 9\nharbour 1\nother 990\n", encoding="utf-8")
    vectors.write_text(VECTORS.replace("Harbour 0 2 0", "Harbour 0 4 0"), encoding="utf-8")
    assert run("vectors", items, "--vectors", vectors, "--counts", counts).stdout == "2.4\n0\n0\n"
    assert run("vectors", items, "--vectors", vectors).stdout != "2.4\n0\n0\n"


def test_plain_mean_of_word_vectors(vector_files: tuple[Path, Path]) -> None:
    items, vectors = vector_files
    plain = "--vectors", vectors, "--plain", "--scale", "1"
    assert values(run("vectors", items, *plain).stdout)[0] == round(10000.6 / 10001, 6)
    lower = values(run("vectors", items, *plain, "--lower-case").stdout)
    assert lower[0] == round(100 / 10001**0.5, 6)  # "harbour" has no vector


def test_word_to_sense_compares_glosses_by_word_vectors(tmp_path: Path) -> None:
    table, items, vectors = tmp_path / "senses.tsv", tmp_path / "items.tsv", tmp_path / "vectors.txt"
    table.write_text("bank#n#1\tof mill\nbank#n#2\tthe quay\nshore#n#1\ta quay\n", encoding="utf-8")
    items.write_text("bank#n\tk\tshore#n#1\tw2s-1\nsea#n\tk\tbank#n#1\tw2s-2\n", encoding="utf-8")
    vectors.write_text(VECTORS, encoding="utf-8")
    result = run("vectors", items, "--vectors", vectors, "--plain", "--wordnet", table)
    best = (3.2**2 + 1.6**2) ** 0.5 / (200**2 + 3.2**2 + 1.6**2) ** 0.5
    assert values(result.stdout) == pytest.approx([4 * best] * 2, abs=1e-5)
    assert [line.split("\t")[1] for line in result.stdout.splitlines()] == ["1", "0"]


def test_word_vectors_are_calibrated_like_other_baselines(vector_files: tuple[Path, Path]) -> None:
    items, vectors = vector_files
    training, gold = items.with_name("train.tsv"), items.with_name("gold.tsv")
    training.write_text("".join(f"mill\tmill {'Harbour ' * n}\n" for n in range(10)), encoding="utf-8")
    gold.write_text("".join(f"{3 if n < 5 else 1}\n" for n in range(10)), encoding="utf-8")
    result = run("vectors", items, "--vectors", vectors, "--plain", "--calibrate", training, gold)
    assert result.exception is None
    assert max(values(result.stdout)) <= 4
    assert "Calibrated by" in result.stderr
    assert f"{training}, left: 0 of 10 tokens" in result.stderr


def test_vectors_need_a_good_file(vector_files: tuple[Path, Path]) -> None:
    items, vectors = vector_files
    assert run("vectors", items).exit_code == 2
    vectors.write_text("the 1 2\nmill 1\n", encoding="utf-8")
    error = run("vectors", items, "--vectors", vectors).exception
    assert isinstance(error, DataError)
    assert f"{vectors}:2: 1 number after the word, where others have 2" in str(error)
    vectors.write_text("xyzzy 1 2\n", encoding="utf-8")
    other = run("vectors", items, "--vectors", vectors).exception
    assert isinstance(other, RequestError)
    assert str(other) == f"{vectors}: no word of the items has a vector; name a file of their language"


def test_log_likelihoods_are_a_run_for_multiple_choice(tmp_path: Path) -> None:
    items, table, target = tmp_path / "items.tsv", tmp_path / "lm.tsv", tmp_path / "run.tsv"
    items.write_text("Hi\tHello\t1\td1\nHi\tBye\t2\td1\n", encoding="utf-8")
    table.write_text("id\tloglikelihood\n2\t-800\n1\t-800\n", encoding="utf-8")
    columns = "--columns", "left,right,id,group"
    result = run("loglikelihoods", items, table, *columns, "-o", target)
    assert (result.exit_code, target.read_text()) == (0, "2\n2\n")
    per_character = values(run("loglikelihoods", items, table, *columns, "--per-character").stdout)
    assert per_character == [4.0, 0.0]
    assert isinstance(run("loglikelihoods", "-", "-").exception, RequestError)
