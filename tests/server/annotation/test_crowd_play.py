"""A small play of the crowd in `tests/bench/bench_campaigns.py`, which plays the whole one."""

import re
from pathlib import Path

import pytest

from tests.bench import bench_campaigns


@pytest.mark.one_database
def test_crowd_rates_all_pairs_and_those_get_codes_who_did_the_work_or_failed_the_gate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url = f"sqlite:///{tmp_path}/site.sqlite"
    assert bench_campaigns.play("crowd", url, tmp_path, tmp_path / "out", whole=False, choosers=0) == 0
    printed = capsys.readouterr().out
    people = re.search(
        r"(\d+) done, (\d+) failed the gate, (\d+) without a code; (\d+) used several browsers, (\d+)",
        printed,
    )
    assert people is not None
    assert "0" not in people.groups()  # there are people of each kind
    assert "acknowledged, " in printed
    assert "bias.level.phrase2word" in (tmp_path / "out" / "figures.txt").read_text(encoding="utf-8")
