"""Items declared public: their file, and what either part of a split gives."""

import pytest

from scorer import __version__
from scorer.errors import ItemsError
from scorer.files.public_items import parse_public_items
from scorer.files.reading import Gold, Run
from scorer.metrics import pearson
from scorer.scoring.evaluate import evaluate

IDS = ("x-1", "x-2", "y-3", "y-4", "y-5")


def test_public_ids_may_be_in_any_order_and_all_others_are_private() -> None:
    public, rest = parse_public_items(b"\xef\xbb\xbfy-5\r\nx-1 \r\n\n", "public.txt", IDS)
    assert (public.name, rest.name) == ("public", "rest")
    assert (public.places, rest.places) == ({0, 4}, {1, 2, 3})


def test_every_bad_line_is_named() -> None:
    with pytest.raises(ItemsError) as refused:
        parse_public_items(b"x-1\nz-9\nx-1\n", "public.txt", IDS)
    assert [str(problem) for problem in refused.value.problems] == [
        'public.txt:2: "z-9" is not an item of this split; write one id per line',
        'public.txt:3: "x-1" is already on line 1; remove one of them',
    ]


def test_group_split_between_public_and_private_items_is_rejected() -> None:
    groups = ["a", "b", "a", "b", None]
    public, _ = parse_public_items(b"x-1\ny-3\ny-5\n", "public.txt", IDS, groups)
    assert public.places == {0, 2, 4}
    with pytest.raises(ItemsError) as refused:
        parse_public_items(b"x-2\ny-3\n", "public.txt", IDS, groups)
    assert [str(problem) for problem in refused.value.problems] == [
        f'public.txt: only a part of the group "{group}" is public; name all of its items or none'
        for group in "ab"
    ]


@pytest.mark.parametrize("data", [b"x-1\n", b"x-1\nx-2\ny-3\ny-4\n"])
def test_part_too_small_to_correlate_is_rejected(data: bytes) -> None:
    with pytest.raises(ItemsError, match="of 5 items; both parts need at least two"):
        parse_public_items(data, "public.txt", IDS)


def test_each_part_is_scored_on_its_items_only_and_named_in_the_signature() -> None:
    gold, run = Gold((0.0, 1.0, None, 3.0, 4.0)), Run((0.1, 0.3, 0.9, 0.2, 0.4), (None,) * 5)
    public, rest = parse_public_items(b"x-1\ny-4\ny-5\n", "public.txt", IDS)
    (shown,) = evaluate(gold, run, ["pearson"], part=public).results
    (decides,) = evaluate(gold, run, ["pearson"], part=rest).results
    assert shown.value == pearson([0.0, 3.0, 4.0], [0.1, 0.2, 0.4])
    assert shown.signature == f"pearson|n:3|part:public|v:{__version__}"
    assert (decides.n, decides.signature) == (1, f"pearson|n:1|part:rest|v:{__version__}")
