import pytest

from scorer.bundles.run_file_names import levels_in_name

SLUGS = ("paragraph2sentence", "phrase2word", "word2sense", "Word", "s-1", "word2word")
NAMES = (
    ("paragraph2sentence.tsv", ["paragraph2sentence"]),
    ("run1/phrase2word", ["phrase2word"]),
    ("WORD2SENSE.test.output.txt", ["word2sense"]),
    ("word.tsv", ["Word"]),
    ("quay-phrase2word-3.tsv", ["phrase2word"]),
    ("word2sense_word.tsv", ["word2sense", "Word"]),
    ("phrase2word2sense.tsv", ["phrase2word", "word2sense"]),
    ("my-word2sense.tsv", ["word2sense"]),
    ("my-word2word.tsv", ["word2word"]),
    ("my-word2word-word.tsv", ["Word", "word2word"]),
    ("my-word2word2word.tsv", ["word2word"]),
    ("word.word2sense.tsv", ["Word"]),
    ("word2sense.phrase2word.tsv", ["word2sense"]),
    ("ord-my-word2sense-word.tsv", ["word2sense", "Word"]),
    ("paragraph2sentence/run.tsv", ["paragraph2sentence"]),
    ("paragraph2sentence/s-1.tsv", ["s-1"]),
    ("word2sense\\run.tsv", ["word2sense"]),
    ("s-1s-1.tsv", ["s-1"]),
    ("run.tsv", []),
    ("", []),
)


@pytest.mark.parametrize(("name", "levels"), NAMES)
def test_run_file_name_determines_its_level(name: str, levels: list[str]) -> None:
    assert levels_in_name(name, SLUGS) == levels


def test_run_file_of_a_task_with_one_level_may_have_any_name() -> None:
    assert levels_in_name("my-system/final.tsv", ["word2sense"]) == ["word2sense"]
