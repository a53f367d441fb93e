"""WordNet's dictionary files: found, of version 3.0, whole; and their glosses."""

from pathlib import Path

import pytest

from scorer.baselines import WordNet, find_wordnet, open_senses
from scorer.baselines.wordnet import usual_places, wordnet_version
from scorer.errors import DataError
from tests.scorer.small_wordnet import write_wordnet

GET_WORDNET = "WordNet 3.0 is not installed, so its glosses were not checked: apt-get install wordnet-base"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return write_wordnet(tmp_path / "dict")


@pytest.fixture(scope="module")
def wordnet() -> WordNet:
    folder = find_wordnet()
    if folder is None:
        pytest.skip(GET_WORDNET)
    return WordNet(folder)


def test_glosses_are_those_of_all_senses_in_order(small: Path) -> None:
    senses = WordNet(small)
    assert senses.glosses("bank", "n") == ("sloping land", "a financial institution")
    assert senses.glosses("bank", "v") == ("tip laterally",)
    assert senses.glosses("'hood", "n") == ("a neighbourhood",)
    assert senses.glosses("zoom", "v") == ("rise rapidly",)


def test_a_gloss_has_definition_and_examples(small: Path) -> None:
    assert WordNet(small).find_gloss("calm", "a", 1) == 'not agitated; "spoke in a calm voice"'


def test_words_are_looked_up_in_lower_case_and_as_they_are(small: Path) -> None:
    senses = WordNet(small)
    assert senses.glosses("BANK", "v") == ("tip laterally",)
    for word in ("banks", "ban", "bank ", "", "\n", "zzz", "übel", "1", "This"):
        assert senses.glosses(word, "n") == ()


def test_satellite_adjectives_are_adjectives(small: Path) -> None:
    assert WordNet(small).glosses("calm", "s") == WordNet(small).glosses("calm", "a")


def test_a_part_of_speech_that_does_not_exist_has_no_senses(small: Path) -> None:
    assert WordNet(small).glosses("bank", "x") == ()


@pytest.mark.parametrize("number", [-1, 0, 3])
def test_sense_number_out_of_range_gives_no_gloss(small: Path, number: int) -> None:
    assert WordNet(small).find_gloss("bank", "n", number) is None


def test_parent_of_the_dict_folder_is_accepted(small: Path) -> None:
    assert WordNet(small.parent).folder == small


def test_other_wordnet_version_is_rejected(tmp_path: Path) -> None:
    folder = write_wordnet(tmp_path / "wn31", "3.1")
    with pytest.raises(DataError, match=r"index.noun: is of WordNet 3.1, which gives other values") as caught:
        WordNet(folder)
    assert caught.value.count == 8
    assert "apt-get install wordnet-base" in str(caught.value)


def test_file_of_another_wordnet_version_is_named(tmp_path: Path) -> None:
    folder = write_wordnet(tmp_path / "mixed")
    other = write_wordnet(tmp_path / "other", "3.1")
    (other / "data.verb").replace(folder / "data.verb")
    with pytest.raises(DataError, match=r"data.verb: is of WordNet 3.1") as caught:
        WordNet(folder)
    assert caught.value.count == 1


def test_missing_files_are_all_named(small: Path) -> None:
    (small / "data.adv").unlink()
    (small / "index.verb").unlink()
    (small / "index.adj").write_bytes(b"\x00 not a dictionary")
    with pytest.raises(DataError) as caught:
        WordNet(small)
    said = str(caught.value)
    assert "index.verb: is missing" in said
    assert "data.adv: is missing" in said
    assert "index.adj: is no readable dictionary file" in said


def test_missing_wordnet_folder_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nowhere: is no folder.*wordnet-base"):
        WordNet(tmp_path / "nowhere")


def test_changed_line_ends_are_detected(small: Path) -> None:
    for file in small.iterdir():
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    with pytest.raises(
        DataError, match=r"data.noun: is damaged at byte \d+ \(were its line ends changed\?\)"
    ):
        WordNet(small).glosses("bank", "n")


def test_invalid_index_line_is_detected(small: Path) -> None:
    index = small / "index.verb"
    index.write_text(index.read_text().replace("zoom v 1", "zoom v many"))
    with pytest.raises(DataError, match=r"index.verb: is damaged at zoom"):
        WordNet(small).glosses("zoom", "v")


def test_find_wordnet_takes_the_first_of_version_3_0(tmp_path: Path) -> None:
    newer, right = write_wordnet(tmp_path / "a", "3.1"), write_wordnet(tmp_path / "b" / "dict")
    assert find_wordnet([tmp_path / "none", newer, right.parent, newer]) == right
    assert find_wordnet([tmp_path / "none", newer]) is None


def test_wordnet_environment_variables_take_precedence(tmp_path: Path) -> None:
    places = usual_places({"WNHOME": str(tmp_path), "WNSEARCHDIR": "/dict", "NLTK_DATA": "/x", "HOME": "/h"})
    assert places[:2] == [Path("/dict"), tmp_path]
    assert Path("/usr/share/wordnet") in places
    assert places[-2:] == [Path("/x/corpora/wordnet"), Path("/h/nltk_data/corpora/wordnet")]


def test_without_wordnet_the_message_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    newer = write_wordnet(tmp_path / "a" / "dict", "3.1").parent
    monkeypatch.setattr("scorer.baselines.wordnet.USUAL_PLACES", ())
    monkeypatch.setenv("WNHOME", str(newer))
    for variable in ("WNSEARCHDIR", "NLTK_DATA", "HOME"):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(DataError, match=r"apt-get install wordnet-base\), or give --wordnet DIR") as caught:
        open_senses()
    assert f"found only 3.1 in {newer}" in str(caught.value)


def test_open_senses_uses_the_available_dictionary(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WNSEARCHDIR", str(small))
    assert open_senses().find_gloss("soon", "r", 1) == "in the near future"
    assert open_senses(small).name == "WordNet 3.0"


def test_installed_wordnet_is_version_3_0(wordnet: WordNet) -> None:
    assert wordnet_version(wordnet.folder) == "3.0"


@pytest.mark.parametrize(
    ("word", "pos", "count", "first"),
    [
        ("entity", "n", 1, "that which is perceived or known or inferred to have its own distinct existence"),
        ("bank", "n", 10, "sloping land (especially the slope beside a body of water)"),
        ("United_Kingdom", "n", 1, "a monarchy in northwestern Europe"),
        ("inform", "v", 3, "impart knowledge of some fact"),
        ("gorgeous", "a", 1, "dazzlingly beautiful"),  # a satellite
        ("soon", "r", 1, "in the near future"),
        ("dogs", "n", 0, ""),  # no morphology
    ],
)
def test_installed_wordnet_has_the_expected_glosses(
    wordnet: WordNet, word: str, pos: str, count: int, first: str
) -> None:
    glosses = wordnet.glosses(word, pos)
    assert len(glosses) == count
    assert "".join(glosses[:1]).startswith(first)


@pytest.mark.parametrize(("pos", "ending"), [("n", "noun"), ("v", "verb"), ("a", "adj"), ("r", "adv")])
def test_every_word_of_the_index_is_found(wordnet: WordNet, pos: str, ending: str) -> None:
    lines = (wordnet.folder / f"index.{ending}").read_text(encoding="ascii").splitlines()
    words = [line.split() for line in lines if not line.startswith(" ")]
    for fields in [*words[::97], words[0], words[-1]]:
        assert len(wordnet.glosses(fields[0], pos)) == int(fields[2])
