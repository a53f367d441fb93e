"""The example campaigns of deploy/campaigns/."""

import runpy
from pathlib import Path

import pytest

from scorer.campaigns.assignments import plan_round
from scorer.campaigns.reader import read_campaign

FOLDER = Path(__file__).parents[3] / "deploy" / "campaigns"
MAX_BYTES = 1_500_000


@pytest.mark.parametrize(
    ("name", "plans"),
    [
        ("czech-news", {"pilot": (216, {5}), "rate": (216, {50})}),
        ("giccs", {"compare": (150, {20}), "expert": (6, {50})}),
    ],
)
def test_example_campaign_is_valid_and_has_the_assignments_of_its_paper(
    name: str, plans: dict[str, tuple[int, set[int]]]
) -> None:
    campaign = read_campaign(FOLDER / name)
    planned = {round_.slug: plan_round(round_).assignments for round_ in campaign.rounds}
    assert {
        slug: (len(assignments), {len(each.steps) for each in assignments})
        for slug, assignments in planned.items()
    } == plans
    assert sum(path.stat().st_size for path in (FOLDER / name).iterdir()) < MAX_BYTES


def test_generator_makes_the_texts_of_the_example_campaigns(tmp_path: Path) -> None:
    for name in ("czech-news", "giccs"):
        (tmp_path / name).mkdir()
    runpy.run_path(str(FOLDER / "make_texts.py"))["write_tables"](tmp_path)
    made = list(tmp_path.rglob("*.tsv"))
    assert len(made) == 4
    for path in made:
        assert path.read_bytes() == (FOLDER / path.relative_to(tmp_path)).read_bytes(), path.name
