"""Candidates for word to sense: near in WordNet, named as items are, and as many as were asked for."""

from pathlib import Path

import pytest

from scorer.baselines import WordNet, find_wordnet
from scorer.baselines.sense_candidates import find_candidates, find_near, share_out
from tests.scorer.baselines.test_baselines_wordnet import GET_WORDNET
from tests.scorer.small_wordnet import Entries, write_wordnet

SHORE: Entries = {
    "noun": {
        "bank": ("land beside a river", "a firm that keeps money"),
        "Shore": ("land beside water",),
        "coin": ('metal money; "a coin"',),
        **{f"shore{n}": (f"a shore of kind {n}",) for n in range(8)},
    },
    "verb": {"bank": ("put into a bank",)},
    "adj": {"afloat(p)": ("on water",)},
    "adv": {"ashore": ("to the land",)},
}
RELATED = {
    "land beside a river": ["land beside water", "a firm that keeps money"],
    "a firm that keeps money": ['metal money; "a coin"', "put into a bank"],
    "land beside water": ["land beside a river", *(f"a shore of kind {n}" for n in range(8))],
    "a shore of kind 0": ["on water"],
}


@pytest.fixture
def shore(tmp_path: Path) -> WordNet:
    return WordNet(write_wordnet(tmp_path / "dict", entries=SHORE, related=RELATED))


@pytest.fixture(scope="module")
def wordnet() -> WordNet:
    folder = find_wordnet()
    if folder is None:
        pytest.skip(GET_WORDNET)
    return WordNet(folder)


def test_candidates_are_named_as_items_name_senses_and_have_no_examples(shore: WordNet) -> None:
    found = find_candidates(shore, "Bank", "n", within=1, limit=9)
    assert found.senses == (
        ("Shore#n#1", "land beside water"),
        ("coin#n#1", "metal money"),
        ("bank#v#1", "put into a bank"),
    )
    assert found.n_near == 3


def test_each_distance_has_the_senses_that_no_shorter_way_leads_to(shore: WordNet) -> None:
    near = find_near(shore, "bank", "n", within=3)
    assert [len(addresses) for addresses in near] == [3, 8, 1]
    assert shore.synset(near[2][0]).words == ("afloat",)


def test_own_senses_are_no_candidates(shore: WordNet) -> None:
    names = {name for name, _ in find_candidates(shore, "bank", "n", within=3, limit=99).senses}
    assert len(names) == 12
    assert names.isdisjoint({"bank#n#1", "bank#n#2"})


def test_distances_share_the_limit_and_are_covered_evenly(shore: WordNet) -> None:
    found = find_candidates(shore, "bank", "n", within=3, limit=8)
    names = [name.partition("#")[0] for name, _ in found.senses]
    assert names == ["Shore", "coin", "bank", "shore0", "shore2", "shore4", "shore6", "afloat"]
    assert found.n_near == 12


def test_word_that_wordnet_lacks_has_no_candidates(shore: WordNet) -> None:
    assert find_candidates(shore, "quay", "n", within=3, limit=9).senses == ()
    assert find_candidates(shore, "afloat", "s", within=3, limit=9).senses == ()


@pytest.mark.parametrize(
    ("limit", "sizes", "shares"),
    [(9, [3, 3, 3], [3, 3, 3]), (8, [9, 9, 9], [2, 3, 3]), (9, [9, 1, 2], [6, 1, 2]), (1, [5, 5], [0, 1])],
)
def test_shares_are_as_even_as_the_sizes_allow(limit: int, sizes: list[int], shares: list[int]) -> None:
    assert share_out(limit, sizes) == shares


@pytest.mark.parametrize(
    ("word", "pos", "target", "distance"),
    [
        # Pairs of the training data of CLSS.
        ("accelerate", "v", "speed#n#1", 1),
        ("dory", "n", "small_boat#n#1", 1),
        ("dory", "n", "boat#n#1", 2),
        ("gorgeous", "a", "beautiful#a#1", 1),
    ],
)
def test_senses_are_as_many_edges_away_as_in_wordnet(
    wordnet: WordNet, word: str, pos: str, target: str, distance: int
) -> None:
    nearer = dict(find_candidates(wordnet, word, pos, within=distance - 1, limit=10_000).senses)
    near = dict(find_candidates(wordnet, word, pos, within=distance, limit=10_000).senses)
    assert target not in nearer
    assert near[target]


def test_every_candidate_can_be_looked_up_by_its_name(wordnet: WordNet) -> None:
    found = find_candidates(wordnet, "bank", "n", within=3, limit=300)
    assert len(dict(found.senses)) == 300
    for name, definition in found.senses:
        word, pos, number = name.split("#")
        gloss = wordnet.find_gloss(word, pos, int(number))
        assert gloss is not None
        assert gloss.startswith(definition)
        assert '; "' not in definition
