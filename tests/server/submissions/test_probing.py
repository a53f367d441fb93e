"""The attack of the design (250 items, single ones varied) is flagged from its second file on."""

import random
from typing import Any

import pytest
from hypothesis import given, strategies as st

from server.submissions import probing
from server.submissions.probing import find_probing

N, WIDTH = 250, 4.0


def system(seed: int, noise: float = 0.1) -> list[float]:
    """An honest system: what it thinks of the items, and what another seed makes of that."""
    truth, own = random.Random(0), random.Random(seed)  # noqa: S311  (a simulation)
    return [min(4.0, max(0.0, truth.uniform(0, 4) + own.gauss(0, noise))) for _ in range(N)]


def codes_of(files: list[list[float]]) -> list[set[str]]:
    """The flags of each file, sent one after the other and compared with the newest 20."""
    return [
        {one.code for one in find_probing(file, files[max(0, k - 20) : k][::-1], WIDTH)}
        for k, file in enumerate(files)
    ]


@pytest.mark.parametrize("step", [2.0, 0.5, 0.0001])
@pytest.mark.parametrize("disguise", [False, True])
def test_files_that_vary_single_items_are_flagged_from_the_second_file_on(
    step: float, disguise: bool
) -> None:
    base = system(1)
    files = [base] + [[value + step * (i == k) for i, value in enumerate(base)] for k in range(27)]
    if disguise:  # Pearson is the same, and no line is
        files = [[value * (1 + k / 50) + k / 10 for value in file] for k, file in enumerate(files)]
    first, *others = codes_of(files)
    assert first == set()
    assert all("few-items-varied" in codes for codes in others)


def test_nearly_constant_files_and_tiny_steps_are_flagged() -> None:
    one_hot = [[float(i in (k, k + 1)) for i in range(N)] for k in range(3)]
    assert codes_of(one_hot) == [{"nearly-constant"}] + 2 * [{"nearly-constant", "few-items-varied"}]
    base = system(1)
    (finding,) = find_probing([value + 1e-6 * i for i, value in enumerate(base)], [system(2), base], WIDTH)
    assert (finding.code, finding.other) == ("tiny-steps", 1)
    assert finding.words == "no score differs by more than 0.00025 from an earlier file"


def test_ten_honest_files_of_a_noisy_system_are_not_flagged() -> None:
    assert codes_of([system(seed) for seed in range(10)]) == [set()] * 10
    assert codes_of([system(seed, noise=0.04) for seed in range(10)]) == [set()] * 10
    coarse = [[float(round(value)) for value in system(seed, noise=0.4)] for seed in range(10)]
    assert codes_of(coarse) == [set()] * 10


def test_constant_rescaled_and_tiny_files_are_not_flagged() -> None:
    base = system(1)
    assert codes_of([[2.0] * N]) == [set()]
    assert codes_of([base, base, [0.5 * value + 1 for value in base]]) == [set()] * 3
    assert find_probing([1.0] * 10, [[1.0] * 9 + [2.0]], WIDTH) == [], "ten items are too few to say"


def test_flag_names_the_nearest_file_and_counts_differing_items() -> None:
    base = system(1)
    near = [value + 1.0 * (i < 2) for i, value in enumerate(base)]
    (finding,) = find_probing(base, [system(2), near, system(3)], WIDTH)
    assert (finding.words, finding.other) == ("2 of 250 scores differ from an earlier file", 1)


@given(
    moved=st.integers(0, 40),
    step=st.sampled_from([1e-10, 1e-5, 0.003, 0.0041, 0.5]),
    slope=st.floats(-3, 3),
    noise=st.sampled_from([0.0, 1e-4, 0.003, 0.0042, 0.1]),
    seed=st.integers(0, 1000),
)
def test_quick_comparison_on_a_sample_of_items_agrees_with_the_full_one(
    moved: int, step: float, slope: float, noise: float, seed: int
) -> None:
    chance, base = random.Random(seed), system(seed)  # noqa: S311  (a simulation)
    places = set(chance.sample(range(N), moved))
    other = [
        slope * value + 1 + step * (i in places) + chance.uniform(-noise, noise)
        for i, value in enumerate(base)
    ]
    quickly = find_probing(base, [other], WIDTH)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(probing, "differ_in_more", lambda *_: False)
        assert find_probing(base, [other], WIDTH) == quickly


def test_different_systems_are_recognized_from_a_few_items() -> None:
    class Counted(list[float]):
        asked = 0

        def __getitem__(self, index: Any) -> Any:
            self.asked += 1
            return super().__getitem__(index)

    one, other = Counted(system(1)), Counted(system(2))
    assert probing.differ_in_more(one, other, 5, 0.001 * WIDTH)
    assert other.asked < N / 4
