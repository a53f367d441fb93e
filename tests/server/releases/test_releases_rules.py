"""What a release keeps of its rules, and opening the gold with it."""

import json
from datetime import timedelta

import pytest

from server.audit.models import AuditEntry
from server.core import db
from server.core.errors import Conflict
from server.planning import extensions
from server.releases import release_gold
from tests.server.page_routes import RULES
from tests.server.small_task import GOLD
from tests.server.world import AFTER, CLOSES, DURING, World

EDIT = "/tasks/small/organize/phases/evaluation/edit"
GOLD_FILE = "/tasks/small/data/p2s.test.gold.tsv"


def extend(world: World, hours: int, *, own: bool) -> None:
    with db.writing(world.session):
        team = world.team if own else None
        closes = CLOSES + timedelta(hours=hours)
        extensions.extend_deadline(
            world.session, world.actor("ada"), world.phase(), team, closes, "birch", DURING
        )


def test_release_stores_its_rules_as_plain_values_without_names(world: World) -> None:
    extend(world, 1, own=False)
    extend(world, 2, own=True)
    world.fix_gold("p2s", b"3\n2\n1\n0\n", DURING)
    world.upload(world.run(), "p2s")
    rules = world.release().rules
    world.session.expire_all()
    assert rules == json.loads(json.dumps(rules))
    assert rules["schema"] == "assay.rules/1"
    assert rules["phase"] == {
        "slug": "evaluation",
        "title": "Evaluation",
        "split": "test",
        "opens": "2026-03-01T00:00:00Z",
        "closes": "2026-03-15T13:00:00Z",
        "grace_hours": 72,
    }
    assert rules["extensions"] == {"for_all": ["2026-03-15T13:00:00Z"], "teams": 1}
    assert [(level["slug"], level["items"], level["gold"]) for level in rules["levels"]] == [
        ("p2s", 4, {"version": 2, "since": "2026-03-10T12:00:00Z"}),
        ("s2p", 4, {"version": 1, "since": "2026-03-01T00:00:00Z"}),
    ]
    assert (rules["runs_per_team"], rules["files_per_level"], rules["baselines"]) == (2, 3, True)
    assert (rules["runs_public"], rules["opens_gold"], rules["terms"]) == (False, False, None)
    text = json.dumps(rules)
    assert [word for word in ("birch", *GOLD["p2s"]) if word in text] == []
    assert not world.release(CLOSES).rules["baselines"]


def test_gold_is_published_with_a_release_after_the_last_deadline_and_stays_public(world: World) -> None:
    visitor, until = world.client(), AFTER + timedelta(hours=1)
    extend(world, 30, own=True)  # and a grace period of 72 hours
    with pytest.raises(
        Conflict, match="accepted until 19 Mar 2026, 18:00 UTC, including grace periods and ext"
    ):
        world.release(until, opens_gold=True)
    assert (visitor.get(GOLD_FILE).status_code, release_gold.is_open(world.phase())) == (404, False)
    world.release(until)
    opened = until + timedelta(hours=2)
    release = world.release(opened, opens_gold=True)
    assert (release.number, release.rules["opens_gold"]) == (2, True), "though the board is the same"
    world.set_clock(opened)
    assert visitor.get(GOLD_FILE).text.split() == list(GOLD["p2s"])
    assert release_gold.list_opening_dates(world.session, world.task) == {"test": opened}
    with pytest.raises(Conflict, match=r"items is already public\. Clear that option and release again"):
        world.release(opened, opens_gold=True)
    for own in (True, False):
        with pytest.raises(Conflict, match="public since 19 Mar 2026, 19:00 UTC, so Evaluation"):
            extend(world, 1000, own=own)
    page = world.client("ada").post(EDIT, {**RULES, "closes": "2027-01-01 12:00"})
    assert (
        page.status_code,
        "no longer accepts submissions. Add a phase for later submissions." in page.text,
    ) == (422, True)
    assert world.client("ada").post(EDIT, {**RULES, "closes": "2026-03-15 12:00"}).status_code == 302
    world.withdraw_release(at=opened)
    assert visitor.get(GOLD_FILE).status_code == 200, "what is out is out"
    actions = [entry.action for entry in world.session.query(AuditEntry).order_by(AuditEntry.number)]
    assert actions[-3:] == ["gold.open", "release.add", "release.withdraw"]
