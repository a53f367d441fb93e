"""`scorer split`: every item in one part, held-out genres in the test part alone, files as they were."""

import json
from collections import Counter
from math import floor
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, strategies as st

from scorer.cli.__main__ import cli
from scorer.errors import ItemsError, RequestError
from scorer.files.reading import Gold, Items, ItemsLayout, parse_items
from scorer.items.splitting import SPLIT_PARTS, ItemsSplit, part_sizes, sample_items, split_items
from scorer.statistics.random_streams import draw_order, open_stream

COLUMNS = ("left", "right", "id", "group")


def items_of(genres: str, groups: str | None = None) -> Items:
    """An item for each letter, which is its genre; the letter below is its group, a dot means none."""
    rows = zip(genres, groups or "." * len(genres), strict=True)
    lines = [f"pier {i}\tquay {i}\t{genre}-{i}\t{group.strip('.')}" for i, (genre, group) in enumerate(rows)]
    return parse_items("\n".join(lines).encode(), "items.tsv", ItemsLayout(COLUMNS))


def run(*arguments: str, said: str = "") -> Result:
    return CliRunner().invoke(cli, ["split", *arguments], input=said)


def counts(split: ItemsSplit) -> dict[tuple[str, str], int]:
    return Counter(zip(split.items.genres, split.parts, strict=True))


@given(st.text("abc", min_size=1, max_size=60), st.data())
def test_each_item_is_in_one_part_and_each_genre_is_split_proportionally(
    genres: str, data: st.DataObject
) -> None:
    items, n = items_of(genres), len(genres)
    held = genres.count("c") if set(genres) != {"c"} else 0
    trial = data.draw(st.integers(0, n - held))
    training = data.draw(st.integers(0, n - held - trial))
    sizes = part_sizes(n, str(trial), str(training), None)
    split = split_items(items, sizes, ["c"] if held else [], data.draw(st.integers(0, 2**40)))
    assert len(split.parts) == n
    assert sorted(place for part in SPLIT_PARTS for place in split.places(part)) == list(range(n))
    assert Counter(split.parts) == Counter({part: size for part, size in sizes.items() if size})
    found = counts(split)
    assert not held or found["c", "test"] == held
    for genre in set(genres) - ({"c"} if held else set()):
        for part, bound in (("trial", 1), ("training", 2)):
            share = genres.count(genre) * sizes[part] / (n - held)
            assert abs(found[genre, part] - share) < bound


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 7)), min_size=1, max_size=50), st.data())
def test_groups_stay_together(rows: list[tuple[str, int]], data: st.DataObject) -> None:
    items = items_of("".join(genre for genre, _ in rows), "".join(f"{group}" for _, group in rows))
    sizes = part_sizes(len(rows), data.draw(st.sampled_from(["0", "10%"])), "30%", None)
    split = split_items(items, sizes, [], seed=data.draw(st.integers(0, 99)))
    homes: dict[str | None, set[str]] = {}
    for item, part in zip(items.items, split.parts, strict=True):
        homes.setdefault(item.group, set()).add(part)
    assert all(len(parts) == 1 for parts in homes.values())
    largest = max(Counter(group for _, group in rows).values())
    assert all(abs(split.parts.count(part) - sizes[part]) <= 2 * largest for part in SPLIT_PARTS)


def test_same_seed_gives_the_same_split_and_another_seed_another() -> None:
    items = items_of("ab" * 40)
    sizes = part_sizes(80, "8", None, None)
    first = split_items(items, sizes, [], seed=5)
    assert first == split_items(items, sizes, [], seed=5)
    assert first.parts != split_items(items, sizes, [], seed=6).parts
    # written down when it was made: a split may not change under those who published its seed
    assert "".join(part[2] for part in first.parts[:20]) == "sssaasiaasisaisassia"


def test_item_order_is_drawn_uniformly() -> None:
    stream = open_stream(1, [], "test")
    firsts = Counter(int(draw_order(stream, 5)[0]) for _ in range(5000))
    chi2 = sum((firsts[i] - 1000) ** 2 / 1000 for i in range(5))
    assert chi2 < 23.5  # p .0001 with 4 degrees of freedom (Pearson & Hartley's table 8)
    assert sorted(draw_order(stream, 100).tolist()) == list(range(100))


def test_split_files_contain_the_original_lines(tmp_path: Path) -> None:
    said = '\ufeffid,a,b\r\nSEA-1,"an old\r\npier",quay\r\nSEA-2,x,y\r\nTOWN-1,"z, z",w'
    (tmp_path / "items.csv").write_bytes(said.encode())
    (tmp_path / "gold.txt").write_bytes(b"1.50\n\n3")
    asked = [f"{tmp_path}/items.csv", "--columns", "id=id,left=a,right=b", "--items-delimiter", "comma"]
    asked += ["--held-out", "TOWN", "--test", "1", "--gold", f"{tmp_path}/gold.txt", "--out", f"{tmp_path}/o"]
    assert run(*asked).exit_code == 0
    assert {path.name: path.read_bytes() for path in (tmp_path / "o").iterdir()} == {
        "training.csv": b'id,a,b\r\nSEA-1,"an old\r\npier",quay\r\nSEA-2,x,y\r\n',
        "test.csv": b'id,a,b\r\nTOWN-1,"z, z",w\n',
        "training.gold.txt": b"1.50\n\n",
        "test.gold.txt": b"3\n",
    }
    again = run(*asked)
    assert (again.exit_code, "training.csv already exists" in again.stderr) == (2, True)
    (tmp_path / "o/trial.csv").write_text("of an earlier split")
    assert run(*asked, "--force").exit_code == 0
    assert not (tmp_path / "o/trial.csv").exists()


def test_table_by_genre_and_warnings_are_printed() -> None:
    said = "".join(f"a pier\tquay {i}\tSEA-{i}\n" for i in range(4)) + "isle\tship\tTOWN-1\n"
    found = json.loads(
        run("-", "--held-out", "TOWN", "--training", "2", "--format", "json", said=said).stdout
    )
    assert found["tables"]["genres"] == [
        {"genre": "SEA", "trial": 0, "training": 2, "test": 2, "all": 4, "note": ""},
        {"genre": "TOWN", "trial": 0, "training": 0, "test": 1, "all": 1, "note": "held out"},
        {"genre": "all", "trial": 0, "training": 2, "test": 3, "all": 5, "note": ""},
    ]
    assert found["notes"] == [
        "1 text of the left side is in several parts. To keep such items together, give them a group."
    ]


def test_gold_is_split_with_the_items(tmp_path: Path) -> None:
    (tmp_path / "gold.tsv").write_text("1\n\n3\n4\n")
    said = "a\tb\tA-1\nc\td\tA-2\ne\tf\tB-1\ng\th\tB-2\n"
    asked = ("-", "--held-out", "B", "--test", "2", "--gold", f"{tmp_path}/gold.tsv", "--format", "json")
    found = json.loads(run(*asked, said=said).stdout)["tables"]["gold"]
    assert [(row["part"], row["gold"]) for row in found] == [
        ("trial", 0),
        ("training", 1),
        ("test", 2),
        ("all", 3),
    ]
    assert (found[2]["mean"], found[2]["sd"]) == (3.5, round(0.5**0.5, 10))
    assert (found[0]["mean"]["undefined"], found[1]["sd"]["undefined"]) == ("no_values", "one_value")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (("9", None, None), "trial 9, training -1, test 0 do not add up"),
        (("1", "2", "3"), "do not add up to 8 items"),
        ((None, "some", None), '--training "some" is not a size'),
        ((None, "120%", None), '--training "120%" is not a size'),
        ((None, "1/0", None), "is not a size"),
        ((None, "-1", None), "is not a size"),
    ],
)
def test_invalid_sizes_are_rejected(asked: tuple[str | None, str | None, str | None], message: str) -> None:
    with pytest.raises(RequestError, match=message):
        part_sizes(8, *asked)


@given(st.integers(1, 1000), st.integers(0, 100), st.integers(0, 100))
def test_shares_that_add_up_to_all_cover_all_items(n: int, first: int, second: int) -> None:
    third = 100 - first - second
    if third >= 0:
        sizes = part_sizes(n, f"{first}%", f"{second}%", f"{third}%")
        assert sum(sizes.values()) == n
        assert sizes == part_sizes(n, f"{first}%", f"{second}%", None)
        assert abs(sizes["training"] - n * second / 100) <= 1
        assert sizes["trial"] == floor(n * first / 100 + 0.5)


def test_impossible_held_out_genres_are_rejected() -> None:
    items = items_of("aab")
    with pytest.raises(RequestError, match='no item has the genre "z"; the genres are a, b'):
        split_items(items, part_sizes(3, None, None, None), ["z"], 1)
    with pytest.raises(RequestError, match="have 2 items, but the test part only 1"):
        split_items(items, part_sizes(3, None, None, "1"), ["a"], 1)
    with pytest.raises(ItemsError, match=r'items.tsv:3: group "g" has "a" on line 1 and "b" here'):
        split_items(items_of("aab", "ggg"), part_sizes(3, None, None, "2"), ["b"], 1)
    assert set(split_items(items_of("aa"), part_sizes(2, None, "0", None), ["a"], 1).parts) == {"test"}


def test_keyed_gold_is_split_with_its_header(tmp_path: Path) -> None:
    (tmp_path / "gold.csv").write_text('pair,why,gold\nB-1,"two\nlines",2\nA-1,x,1\nA-2,,\n')
    asked = ["-", "--gold", f"{tmp_path}/gold.csv", "--id", "pair", "--held-out", "B", "--test", "1"]
    said = "a\tb\tA-1\nc\td\tA-2\ne\tf\tB-1\n"
    found = run(*asked, "--gold-score", "gold", "--out", f"{tmp_path}/o", said=said)
    assert found.exit_code == 0
    assert (tmp_path / "o/training.gold.csv").read_text() == "pair,why,gold\nA-1,x,1\nA-2,,\n"
    assert (tmp_path / "o/test.gold.csv").read_text() == 'pair,why,gold\nB-1,"two\nlines",2\n'
    half = run(*asked, said=said)
    assert (half.exit_code, "keyed gold needs both" in half.stderr) == (2, True)
    unknown = run(*asked, "--gold-score", "gold", said=said.replace("A-1", "A-3"))
    assert (unknown.exit_code, "A-3" in unknown.stderr) == (1, True)


def test_gold_with_the_spread_of_ratings_is_split_with_its_header(tmp_path: Path) -> None:
    (tmp_path / "gold.tsv").write_text("gold\tsd\n2\t0.5\n1\t0\n\n")
    asked = (
        "-",
        "--gold",
        f"{tmp_path}/gold.tsv",
        "--held-out",
        "B",
        "--test",
        "1",
        "--out",
        f"{tmp_path}/o",
    )
    assert run(*asked, said="a\tb\tB-1\nc\td\tA-1\ne\tf\tA-2\n").exit_code == 0
    assert (tmp_path / "o/training.gold.tsv").read_text() == "gold\tsd\n1\t0\n\n"
    assert (tmp_path / "o/test.gold.tsv").read_text() == "gold\tsd\n2\t0.5\n"


def test_gold_of_another_length_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "gold.tsv").write_text("1\n2\n")
    found = run("-", "--gold", str(tmp_path / "gold.tsv"), said="a\tb\tA-1\n")
    assert found.exit_code == 1
    assert "gold.tsv" in found.stderr


RATINGS = st.none() | st.integers(0, 16).map(lambda quarters: quarters / 4)


@given(st.lists(st.tuples(st.sampled_from("abc"), RATINGS), min_size=1, max_size=80), st.data())
def test_sample_has_equally_many_items_of_each_genre_and_gold_value(
    rows: list[tuple[str, float | None]], data: st.DataObject
) -> None:
    items = items_of("".join(genre for genre, _ in rows))
    gold = Gold(tuple(value for _, value in rows))
    rated = Counter(genre for genre, value in rows if value is not None)
    fewest = min(rated[genre] for genre in items.genre_names)
    per_genre, seed = data.draw(st.integers(1, max(1, fewest))), data.draw(st.integers(0, 99))
    if per_genre > fewest:
        with pytest.raises(RequestError, match="items with gold, fewer than 1"):
            sample_items(items, per_genre, seed, gold)
        return
    split = sample_items(items, per_genre, seed, gold)
    places = split.places("sample")
    assert Counter(items.genres[place] for place in places) == dict.fromkeys(items.genre_names, per_genre)
    for genre in items.genre_names:
        points = Counter(floor(v + 0.5) for g, v in rows if g == genre and v is not None)
        drawn = Counter(floor((gold.values[p] or 0) + 0.5) for p in places if items.genres[p] == genre)
        most = max(drawn.values())
        assert all(drawn[point] >= min(count, most - 1) for point, count in points.items())


def test_sample_is_drawn_by_seed_and_from_all_items_of_a_genre() -> None:
    items = items_of("ab" * 10)
    drawn = Counter(place for seed in range(400) for place in sample_items(items, 3, seed).places("sample"))
    assert all(85 < drawn[place] < 155 for place in range(20))  # 120 expected, sd 9
    # written down when it was made: a sample may not change under those who published its seed
    assert sample_items(items, 3, 7).places("sample") == (2, 7, 12, 17, 18, 19)


def test_sample_is_written_beside_the_rest(tmp_path: Path) -> None:
    (tmp_path / "gold.txt").write_text("4\n\n3.75\n0.25\n1\n")
    said = "a\tb\tSEA-1\nc\td\tSEA-2\ne\tf\tSEA-3\ng\th\tSEA-4\ni\tj\tTOWN-1\n"
    asked = ["-", "--gold", f"{tmp_path}/gold.txt", "--per-genre", "1", "--balance-gold"]
    found = run(*asked, "--seed", "0", "--out", f"{tmp_path}/o", "--format", "json", said=said)
    assert json.loads(found.stdout)["tables"]["points"] == [
        {"genre": "SEA", "gold": 0, "sample": 1, "all": 1},
        {"genre": "SEA", "gold": 4, "sample": 0, "all": 2},
        {"genre": "TOWN", "gold": 1, "sample": 1, "all": 1},
    ]
    assert (tmp_path / "o/sample.tsv").read_text() == "g\th\tSEA-4\ni\tj\tTOWN-1\n"
    assert (tmp_path / "o/rest.gold.txt").read_text() == "4\n\n3.75\n"
    few = run(*asked[:4], "2", said=said)
    assert (few.exit_code, 'the genre "TOWN" has 1 item, fewer than 2' in few.stderr) == (2, True)
    mixed = run(*asked, "--test", "1", said=said)
    assert (mixed.exit_code, "--per-genre draws a sample; leave out" in mixed.stderr) == (2, True)
    alone = run("-", "--balance-gold", said=said)
    assert (alone.exit_code, "--balance-gold needs --per-genre N and --gold" in alone.stderr) == (2, True)
