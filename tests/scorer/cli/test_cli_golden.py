"""Whole runs of the command, byte for byte: standard output, standard error and exit code.

After a wanted change: ASSAY_WRITE_GOLDENS=1 pytest tests/scorer/cli/test_cli_golden.py, then read the diff.
"""

import os
import sys
from pathlib import Path

import pytest

from scorer import __version__
from scorer.cli.__main__ import main

FOLDER = Path(__file__).parents[2] / "golden" / "cli"
KEYED = "--id pair_ID --score Pred_Score"
CASES = {
    "score-text": "score gold.tsv run.tsv",
    "score-all-metrics-tsv": "score gold.tsv run.tsv --format tsv "
    "--metric pearson --metric spearman --metric mse --metric rmse --metric mae",
    "score-confidence-json": "score gold.tsv run.tsv --min-confidence 0.5 --format json",
    "score-genres-text": "score gold.tsv run.tsv --items items.tsv --by-genre",
    "score-genres-tsv": "score gold.tsv run.tsv --items items.tsv --by-genre --format tsv",
    "score-constant-text": "score gold.tsv constant.tsv --metric pearson --metric mse",
    "score-constant-tsv": "score gold.tsv constant.tsv --format tsv",
    "score-semeval2014": "score gold.tsv run.tsv --format semeval2014",
    "score-constant-semeval2014": "score gold.tsv constant.tsv --format semeval2014",
    "score-keyed": f"score gold.csv keyed.tsv {KEYED} --gold-score relatedness_score --scale 0 1",
    "score-keyed-against-aligned": f"score gold.tsv keyed.tsv {KEYED} --items items.tsv",
    "score-bootstrap-text": "score gold.tsv run.tsv --items items.tsv --held-out harbour "
    "--bootstrap 200 --seed 1",
    "score-bootstrap-tsv": "score gold.tsv run.tsv --metric pearson --metric kendall "
    "--metric weighted_pearson --bootstrap 200 --seed 1 --interval percentile --level 0.9 --format tsv",
    "score-fisher-json": "score gold.tsv run.tsv --metric pearson --interval fisher --format json",
    "score-spread-latex": "score gold.tsv run.tsv constant.tsv --spread --metric mse --format latex",
    "score-within-sd": "score gold-sd.tsv run.tsv --metric within_sd --metric mae --bootstrap 200",
    "score-within-sd-bad": "score gold.tsv run.tsv --metric within_sd",
    "score-bad": "score gold.tsv bad.tsv",
    "score-swapped": "score run.tsv constant.tsv",
    "score-no-file": "score gold.tsv none.tsv",
    "check-good": "check items.tsv run.tsv --scale 0 4",
    "check-warnings-json": "check items.tsv run.tsv --scale 0 3 --format json",
    "check-bad": "check items.tsv bad.tsv --scale 0 4",
    "check-bad-tsv": "check items.tsv bad.tsv --format tsv",
    "check-keyed-bad-json": f"check items.tsv keyed-bad.csv {KEYED} --format json",
    "check-bad-items": "check gold.tsv run.tsv",
    "check-keyed-bad": f"check items.tsv keyed-bad.csv {KEYED}",
    "check-keyed-unnamed": "check items.tsv keyed.tsv",
    "changes-text": "changes before.json after.json",
    "changes-tsv": "changes before.json after.json --format tsv",
    "changes-json": "changes before.json after.json --format json",
    "changes-none": "changes after.json after.json",
    "changes-bad": "changes before.json bad-board.json",
    "compare-text": "compare gold.tsv run.tsv other.tsv constant.tsv --seed 1 --bootstrap 200",
    "compare-williams-json": "compare gold.tsv run.tsv other.tsv --test williams --format json",
    "compare-bootstrap-tsv": "compare gold.tsv run.tsv other.tsv --test bootstrap --metric mae --format tsv",
    "compare-latex": "compare gold.tsv run.tsv other.tsv --metric spearman --format latex",
    "power-text": "power --n 500 --n 4 --r .8 --between .9 --pairs 703",
    "bws-tuples": "bws tuples harbour-items.tsv --size 3 --factor 1.34 --seed 1",
    "bws-score-text": "bws score answers.csv --group harbour --annotator who",
    "bws-reliability-text": "bws reliability answers.csv --group harbour --repeats 20 --seed 1",
    "verify-text": "verify receipt.json --key keys.json --run run.tsv --gold gold.tsv --salt "
    "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f",
    "verify-another-file-json": "verify receipt.json --run other.tsv --format json",
    "bias-text": "bias free.csv --gold known.csv --id pair --gold-score gold --genre id-prefix",
    "bias-tsv": "bias free.csv --gold known.csv --id pair --gold-score gold --bootstrap 200 --seed 7 "
    "--level 0.9 --format tsv",
    "annotator-test-text": "annotator-test crowd.csv crowd-run.tsv --epsilon 0.1 --annotators ada,bo,cy",
    "context-text": "context free.csv dependent.csv --genre id-prefix --by-genre",
    "rounds-text": "rounds first.csv free.csv dependent.csv --curve --step 3",
    "figures-text": "figures harbour-export",
    "figures-tsv": "figures harbour-export --format tsv",
    "figures-choices-json": "figures harbour-choices-export --format json",
    "figures-bad": "figures harbour-bad-export",
    "filter-tsv": "filter chosen.tsv --second later --seed 7 --format tsv",
    "campaign-check-text": "campaign check harbour-campaign --seconds 30",
    "campaign-check-json": "campaign check harbour-campaign/annotation.toml --format json",
    "campaign-check-bad": "campaign check bad-campaign",
    "campaign-keys-tsv": "campaign keys gold entry.NAME --format tsv",
    "campaign-wants": "campaign wants words.tsv --ratings 1 3 --seed 7",
    "senses": "senses words.tsv --wordnet harbour-wordnet --within 2 --limit 4",
    "assignments-plan": "assignments plan harbour-campaign",
    "assignments-check": "assignments check harbour-plan.json harbour-campaign harbour-answers.jsonl",
    "assignments-check-bad": "assignments check harbour-bad-plan.json harbour-campaign",
    "assignments-check-bad-answers": "assignments check harbour-plan.json harbour-campaign "
    "harbour-bad-answers.jsonl",
    "version": "--version",
}


@pytest.mark.parametrize("name", CASES)
def test_command_output_equals_the_golden_file(
    name: str, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    for variable, value in (("COLUMNS", "80"), ("TERM", "dumb"), ("OPENBLAS_NUM_THREADS", "1")):
        monkeypatch.setenv(variable, value)
    monkeypatch.chdir(FOLDER)
    monkeypatch.setattr(sys, "argv", ["scorer", *CASES[name].split()])
    with pytest.raises(SystemExit) as ended:
        main()
    out, err = (
        stream.decode("utf-8").replace(__version__, "VERSION") for stream in capsysbinary.readouterr()
    )
    found = f"$ scorer {CASES[name]}\n{out}--- standard error\n{err}--- exit {ended.value.code or 0}\n"
    golden = FOLDER / f"{name}.txt"
    if os.environ.get("ASSAY_WRITE_GOLDENS"):
        golden.write_text(found, encoding="utf-8", newline="\n")
    assert found == golden.read_text(encoding="utf-8")


def test_every_golden_file_has_a_case() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(CASES)
