"""Lowering the limits on runs and submissions of a phase: not below what a team has used."""

from dataclasses import replace
from datetime import timedelta

import pytest

from server.core import db
from server.core.errors import Conflict
from server.planning import phase_editing
from server.planning.inputs import phase_values
from tests.server.small_task import variant
from tests.server.visitors import words
from tests.server.world import DURING, World

EDIT = "/tasks/small/organize/phases/evaluation/edit"
NO_LIMITS = {"runs_per_team": 5, "files_per_level": None, "files_per_day": None}


def edit(world: World, days: int = 0, **limits: int | None) -> list[str]:
    current = phase_editing.PhaseEdit(**phase_values(world.phase()))
    with db.writing(world.session):
        return phase_editing.edit_phase(
            world.session,
            world.actor("ada"),
            world.phase(),
            replace(current, **limits),  # type: ignore[arg-type]  # values of several kinds
            DURING + timedelta(days=days),
        )


@pytest.fixture
def used(world: World) -> None:
    """The team has two runs, and three submissions at a level on one day."""
    edit(world, **NO_LIMITS)
    for number, run in enumerate((world.run(), world.run("two"), world.run("two"))):
        world.upload(run, "p2s", variant(number))
    world.upload(world.run(), "s2p")


@pytest.mark.usefixtures("used")
@pytest.mark.parametrize(
    ("limit", "too_low", "message"),
    [
        ("runs_per_team", 1, "A team already has 2 runs in this phase. Enter at least 2."),
        ("files_per_level", 2, "A team already has 3 submissions at a level. Enter at least 3"),
        ("files_per_day", 2, "A team already has 3 submissions at a level today. Enter at least 3"),
    ],
)
def test_limit_stays_at_least_what_a_team_has_used(
    world: World, limit: str, too_low: int, message: str
) -> None:
    with pytest.raises(Conflict) as refused:
        edit(world, **{limit: too_low})
    assert message in refused.value.message
    assert getattr(world.phase(), limit) == NO_LIMITS[limit]
    assert edit(world, **{limit: too_low + 1}) == [limit]


@pytest.mark.usefixtures("used")
def test_daily_limit_can_be_lowered_on_the_next_day(world: World) -> None:
    assert edit(world, days=1, files_per_day=1) == ["files_per_day"]


@pytest.mark.usefixtures("used")
def test_limit_that_was_exceeded_before_does_not_block_other_changes(world: World) -> None:
    with db.writing(world.session):
        world.phase().files_per_level = 1
    assert edit(world, grace_hours=1) == ["grace_hours"]
    assert edit(world, files_per_level=2) == ["files_per_level"]


@pytest.mark.one_database
@pytest.mark.usefixtures("used")
def test_form_names_each_limit_that_is_too_low(world: World) -> None:
    form = {
        "title": "Evaluation", "opens": "2026-03-01 00:00", "closes": "2026-03-15 12:00",
        "grace_hours": "72", "runs_per_team": "1", "files_per_level": "1", "feedback": "hidden",
        "board": "released",
    }  # fmt: skip
    response = world.client("ada").post(EDIT, form)
    assert response.status_code == 422
    assert 'id="runs_per_team-error">A team already has 2 runs' in response.text
    assert 'id="files_per_level-error">A team already has 3 submissions' in response.text
    assert "Please fix the following" in words(response)
    assert world.phase().runs_per_team == 5
