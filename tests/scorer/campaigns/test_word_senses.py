"""`scorer senses`: a table of candidates for each word, and every word without candidates."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scorer.cli.__main__ import cli
from tests.scorer.small_wordnet import HARBOUR, HARBOUR_RELATIONS, write_wordnet

CAMPAIGN = """\
[campaign]
slug = "harbour-senses"
title = "Words of the harbour"
contact = "organizers@example.org"
text_language = "en"
consent = { en = "You can stop at any time." }
scale = { min = 0, max = 4, step = 1 }

[entry.students]
kind = "personal"

[[round]]
slug = "write"
kind = "write"
units = "words.tsv"
senses = "senses.tsv"
answers = 1
assignment = 3
"""


@pytest.fixture
def dictionary(tmp_path: Path) -> Path:
    return write_wordnet(tmp_path / "dict", entries=HARBOUR, related=HARBOUR_RELATIONS)


def senses(dictionary: Path, rows: str, *options: str) -> Result:
    words = dictionary.parent / "words.tsv"
    words.write_text(f"key\tleft\twanted\n{rows}", encoding="utf-8")
    return CliRunner().invoke(cli, ["senses", str(words), "--wordnet", str(dictionary), *options])


def test_each_word_gets_the_senses_near_it(dictionary: Path) -> None:
    done = senses(dictionary, "w1\tmoor#v\t3\nw2\tquay#n\t1\n", "--within", "1")
    assert done.exit_code == 0
    assert done.stdout == (
        "unit\tsense\tdefinition\nw1\tquay#n#1\ta wharf along the shore\nw2\twharf#n#1\ta place for ships\n"
    )
    assert done.stderr == "2 words, 2 senses\n"


def test_limit_cuts_and_says_so(dictionary: Path) -> None:
    done = senses(dictionary, "w1\tmoor#v\t3\nw2\tquay#n\t1\n", "--limit", "4")
    units = [line.split("\t")[0] for line in done.stdout.splitlines()[1:]]
    assert units == ["w1"] * 4 + ["w2"] * 4
    assert "2 words got a selection of 4 senses; the most that were near a word is 7" in done.stderr


def test_words_without_candidates_are_all_named(dictionary: Path) -> None:
    done = senses(dictionary, "w1\tquay\t3\nw2\tzzz#n\t1\nw3\tgull#n\t2\nw4\tquay#n\t2\n")
    assert (done.exit_code, done.stdout) == (1, "")
    assert 'words.tsv:2: "quay" names no word; write word#pos' in done.stderr
    assert 'words.tsv:3: WordNet 3.0 has no "zzz#n"; take another word' in done.stderr
    assert 'words.tsv:4: WordNet 3.0 has nothing near "gull#n"' in done.stderr
    assert "words.tsv:5" not in done.stderr


def test_senses_are_written_to_a_file_once(dictionary: Path) -> None:
    out = dictionary.parent / "senses.tsv"
    assert senses(dictionary, "w1\tmoor#v\t3\n", "--out", str(out)).stdout == ""
    assert out.read_text(encoding="utf-8").startswith("unit\tsense\tdefinition\nw1\tquay#n#1\t")
    assert "already exists" in senses(dictionary, "w1\tmoor#v\t3\n", "--out", str(out)).stderr


def test_wanted_ratings_and_senses_make_a_campaign_that_passes_its_check(dictionary: Path) -> None:
    folder = dictionary.parent
    rows = "key\tleft\nw1\tmoor#v\nw2\tquay#n\nw3\twharf#n\n"
    (folder / "left.tsv").write_text(rows, encoding="utf-8")
    words = folder / "words.tsv"
    scorer = CliRunner()
    assert (
        scorer.invoke(cli, ["campaign", "wants", str(folder / "left.tsv"), "--out", str(words)]).exit_code
        == 0
    )
    command = ["senses", str(words), "--wordnet", str(dictionary), "--out", str(folder / "senses.tsv")]
    assert scorer.invoke(cli, command).exit_code == 0
    (folder / "annotation.toml").write_text(CAMPAIGN, encoding="utf-8")
    checked = scorer.invoke(cli, ["campaign", "check", str(folder / "annotation.toml")])
    assert checked.exit_code == 0, checked.output
    assert "answers      3: 1 annotator for each unit" in checked.stdout
