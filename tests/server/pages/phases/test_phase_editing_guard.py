"""What organizers are warned of, asked for twice, and can take back."""

from datetime import datetime, timedelta

import pytest

from server.audit.models import AuditEntry
from server.core import db
from server.core.errors import InvalidDates
from server.phases import windows
from server.phases.models import Phase
from server.planning import extensions
from tests.server.small_task import PHASE_FORM
from tests.server.visitors import words
from tests.server.world import CLOSES, DURING, LATE, World

pytestmark = pytest.mark.one_database

EDIT = "/tasks/small/organize/phases/evaluation/edit"
SISTER = {**PHASE_FORM, "slug": "sister", "split": "test", "title": "Sister", "feedback": "rounded"}
WARNING = "on the same items and at the same time as Evaluation"


def test_phase_that_reveals_what_another_hides_causes_a_warning(world: World) -> None:
    ada, new = world.client("ada"), "/tasks/small/organize/phases/new"
    ada.post(new, {**SISTER, "opens": "2026-04-01 00:00", "closes": ""})
    assert WARNING not in words(ada.get("/tasks/small/organize/"))
    ada.post(new, {**SISTER, "slug": "twin", "title": "Twin"})
    assert f"Twin is open {WARNING}" in words(ada.get("/tasks/small/organize/"))
    assert "Overlapping phases." in words(ada.get(EDIT))


def test_showing_hidden_scores_needs_confirmation(world: World) -> None:
    world.upload(world.run(), "p2s")
    ada = world.client("ada")
    asked = ada.post(EDIT, {**PHASE_FORM, "feedback": "scores"})
    warning = "Teams will see the scores of 1 submission at once. This cannot be undone."
    assert f"Save the dates and rules of Evaluation? {warning}" in words(asked)
    assert 'name="sure"' in asked.text
    assert world.phase().feedback == "hidden"
    assert ada.post(EDIT, {**PHASE_FORM, "feedback": "scores", "sure": "y"}).status_code == 302
    world.session.rollback()
    assert world.phase().feedback == "scores"


def test_only_an_unused_phase_can_be_removed(world: World) -> None:
    ada = world.client("ada")
    ada.post("/tasks/small/organize/phases/new", SISTER)
    assert "Nothing has happened in this phase yet, so you can remove it." in words(
        ada.get("/tasks/small/organize/phases/sister/edit")
    )
    for slug in ("sister", "evaluation"):
        assert ada.post(f"/tasks/small/organize/phases/{slug}/remove").status_code == 302
    world.session.rollback()
    slugs = [phase.slug for phase in world.session.query(Phase).order_by(Phase.position)]
    assert slugs == ["practice", "evaluation"]  # this one has the baselines
    assert (
        "Evaluation cannot be removed because it has runs, releases, scheduled releases, extensions or "
        "announcements." in words(ada.get(EDIT))
    )
    (entry,) = world.session.query(AuditEntry).filter_by(action="phase.remove")
    assert entry.details == {"phase": "sister"}


def test_extension_of_a_team_can_be_shortened_and_an_edited_deadline_replaces_it(world: World) -> None:
    def extend(closes: datetime, *, team: bool) -> None:
        with db.writing(world.session):
            chosen = world.team if team else None
            ada, phase = world.actor("ada"), world.phase()
            extensions.extend_deadline(world.session, ada, phase, chosen, closes, "a mistyped year", LATE)

    extend(CLOSES + timedelta(days=365), team=True)
    extend(CLOSES + timedelta(days=2), team=True)
    own = windows.window_of(world.session, world.phase(), world.team)
    assert own.closes == CLOSES + timedelta(days=2)
    with pytest.raises(InvalidDates):
        extend(CLOSES, team=True)

    extend(CLOSES + timedelta(days=1), team=False)
    page = words(world.client("bo").get("/tasks/small/"))
    assert "Extended to 16 Mar 2026, 12:00 UTC" in page
    assert "Extended for your team to 17 Mar 2026, 12:00 UTC" in page
    assert "2027" not in page
    with db.writing(world.session):
        world.phase().closes = DURING + timedelta(days=9)
    page = words(world.client("bo").get("/tasks/small/"))
    assert "Extended" not in page
