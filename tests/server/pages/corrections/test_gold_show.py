"""What a candidate would change, and what the page offers to whom."""

import json
import sys
from datetime import timedelta

import pytest
from sqlalchemy import select

from server.access import tasks
from server.core import db
from server.corrections import preview as gold_previews, preview_exports, scoring_jobs
from server.gold import versions as gold_versions
from server.gold.models import GoldVersion
from server.releases.models import Inference
from server.scoring import service as scoring
from tests.server.visitors import words
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database

REVERSED = b"3\n2\n1\n0\n"
GOLD = "/tasks/small/organize/gold"


def rivals(world: World) -> None:
    """Two runs, of which the gold as it is prefers the first, and the reversed one the second."""
    world.upload(world.run("one"), "p2s", b"1\n2\n3\n4\n")
    world.upload(world.run("two"), "p2s", b"4\n3\n2\n1\n")


def test_gold_page_shows_rank_changes_and_releases_without_buttons_for_observers(world: World) -> None:
    rivals(world)
    world.give_role("dee", "observer")
    world.release()
    candidate = world.bring_gold("p2s", REVERSED).id
    ada, dee = world.client("ada"), world.client("dee")
    page = words(dee.get(f"{GOLD}/{candidate}"))
    assert "The changes are shown once all submissions have been scored." in page
    assert "Put version" not in dee.get(f"{GOLD}/{candidate}").text
    scoring_jobs.score_all(world.site, candidate, DURING)
    page = words(ada.get(f"{GOLD}/{candidate}"))
    for said in (
        "The scores of 2 of 2 submissions would change. The score of 1 of 1 baseline would change.",
        "System Version 1 Version 2 birch two 2 1 birch one 1 2",
        "Release 1 does not change. Release again to publish the new scores.",
        "birch two 2 1 birch one 1 2",
        "birch two Paragraph to sentence Pearson −1.000 1.000 2 → would become 1",
        "Put version 2 in force",
    ):
        assert said in page, said
    seen = dee.get(f"{GOLD}/{candidate}")
    assert "birch two 2 1 birch one 1 2" in words(seen)
    assert "<form" not in seen.text.split("<main", 1)[1]
    assert "Teams see scores" not in page
    assert "There are no submissions." not in page
    assert " changed" not in page.split("Changes to the leaderboard")[1].split("Put this version")[0]
    assert ada.get(f"{GOLD}/{candidate}.json").json["phases"][0]["release"] == 1


def test_gold_page_mentions_scores_shown_to_teams_live_board_and_labels_without_value(world: World) -> None:
    with db.writing(world.session):
        world.phase("practice").board = "live"
    world.upload(world.run("one", "practice"), "p2s", b"1\n2\n3\n4\n")
    world.work(DURING)
    candidate = world.bring_gold("p2s", b"\n2\n1\n0.5\n", split="trial").id
    scoring_jobs.score_all(world.site, candidate, DURING)
    page = words(world.client("ada").get(f"{GOLD}/{candidate}"))
    for said in (
        "Teams see scores in this phase. If this version is put in force, they see the new scores at once.",
        "they see the new scores at once. The live leaderboard then shows them within a minute.",
        "Warnings 1 item would no longer be scored. If",
        "The gold standard of these items is public, so this version will be public too.",
        "Trial-1 0 not scored",
        "Trial-4 4 0.5",
    ):
        assert said in page, said


def test_lost_scores_are_announced_before_gold_is_put_in_force(world: World) -> None:
    with db.writing(world.session):
        world.phase("practice").board = "live"
    world.upload(world.run("one"), "p2s", b"1\n2\n3\n4\n")
    ada = world.client("ada")
    flat = world.bring_gold("p2s", b"2\n2\n2\n\n")
    path = f"{GOLD}/{flat.id}"
    early = words(ada.get(path))
    assert "Warnings 1 item would no longer be scored. If" in early
    world.work(DURING)
    why = "Paragraph to sentence: no submission would have a value any longer (the gold has the same value"
    page = words(ada.get(path))
    warning = f"Warning: 1 item would no longer be scored. {why}"
    assert warning in page.split("Put this version in force")[1].split("Put version 2 in force")[0]
    assert page.count(why) == 2
    assert [one[:20] for one in ada.get(f"{path}.json").json["warnings"]] == [
        "1 item would no long",
        "Paragraph to sentenc",
    ]
    ada.post(f"{path}/publish")
    path = f"{GOLD}/{world.bring_gold('p2s', REVERSED).id}"
    world.work(DURING)
    page = words(ada.get(path))
    assert "Warnings 1 item would newly be scored. If" in page
    assert "would lose" not in page
    assert "any longer" not in page


def test_labels_between_the_steps_of_the_scale_are_warned_about(world: World) -> None:
    with db.writing(world.session):
        world.task.scale_step = 0.125
    ada, said = world.client("ada"), "is not in steps of 0.125 from 0: item News-2. If"
    candidate = world.bring_gold("p2s", b"0.125\n0.6\n2.625\n4\n")
    assert f"Warnings 1 label {said}" in words(ada.get(f"{GOLD}/{candidate.id}"))
    with db.writing(world.session):
        world.task.scale_step = 0.1
    assert "Warnings 1 label is not" not in words(ada.get(f"{GOLD}/{candidate.id}"))


def test_values_that_stay_undefined_are_not_counted_as_unchanged_scores(world: World) -> None:
    world.upload(world.run("one"), "p2s", b"1\n1\n1\n1\n")
    candidate = world.bring_gold("p2s", b"0.125\n1.375\n2.625\n\n").id
    scoring_jobs.score_all(world.site, candidate, DURING)
    page = words(world.client("ada").get(f"{GOLD}/{candidate}"))
    assert "The score of 1 of 1 baseline would change." in page
    assert "would not change, although" not in page


def test_files_that_would_lose_their_score_are_counted(world: World) -> None:
    """A run that differs at one item alone is constant without it. No live board is there yet."""
    with db.writing(world.session):
        world.phase("practice").board = "live"
    world.upload(world.run("one", "practice"), "p2s", b"1\n2\n3\n4\n")
    world.upload(world.run("two", "practice"), "p2s", b"4\n1\n1\n1\n")
    candidate = world.bring_gold("p2s", b"\n2\n1\n0.5\n", split="trial").id
    scoring_jobs.score_all(world.site, candidate, DURING)
    page = words(world.client("ada").get(f"{GOLD}/{candidate}"))
    assert "Paragraph to sentence: 1 submission would lose its value (the run has the same score" in page
    assert "The live leaderboard then shows them within a minute." in page
    shown = preview_exports.preview_text(
        gold_previews.preview_version(world.session, world.actor("ada"), world.task, candidate)
    )
    assert (
        "\nWARNING: 1 item would no longer be scored.\nWARNING: Paragraph to sentence: 1 submission would"
        in shown
    )


def test_newly_installed_scorer_is_offered_as_a_candidate_with_the_same_labels(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    rivals(world)
    ada = world.client("ada")
    assert "another scorer" not in ada.get(GOLD).text
    monkeypatch.setattr(scoring, "VERSION", "9.0.0")
    monkeypatch.setattr(sys.modules["scorer.scoring.evaluate"], "__version__", "9.0.0")
    page = words(ada.get(GOLD))
    assert page.count("Preview the changes by scorer 9.0.0") == 3
    old = gold_versions.find_gold(world.session, tasks.get_level_split(world.task, "p2s", "test")[1])
    assert old is not None
    old_id = old.id
    assert "Preview the changes by scorer 9.0.0" in words(ada.get(f"{GOLD}/{old_id}"))
    there = ada.post(f"{GOLD}/{old_id}/again").headers["Location"]
    world.work(DURING)
    page = words(ada.get(there))
    for said in (
        "All labels are the same as in version 1",
        "The scores of 0 of 2 submissions would change. The score of 0 of 1 baseline would change.",
        "6 scores would not change, although the scored items or the version of the scorer would.",
        "Submissions are scored against it by scorer 9.0.0",
    ):
        assert said in page, said
    assert "Review the gold candidate: version 2" in words(ada.get("/tasks/small/organize/"))
    assert "version 2 is now in force" in words(ada.post(f"{there}/publish", follow_redirects=True))
    assert words(ada.get(GOLD)).count("Preview the changes by scorer 9.0.0") == 2


def test_significance_between_neighbours_is_computed_once_every_file_is_scored(world: World) -> None:
    rivals(world)
    candidate = world.bring_gold("p2s", REVERSED).id
    ada, at, later = world.client("ada"), f"{GOLD}/{candidate}", DURING + timedelta(hours=1)
    world.infer("draft", later)  # not every file is scored: nothing of the candidate
    scoring_jobs.score_all(world.site, candidate, DURING)
    assert "The significance tests are being computed. Reload the page in a few minutes." in words(
        ada.get(at)
    )
    world.infer("draft", later + timedelta(hours=1))
    assert "No significant difference between neighbors would appear or disappear" in words(ada.get(at))
    world.upload(world.run("two"), "p2s", b"4\n3\n2\n1.5\n", DURING)  # scored against both
    assert "The significance tests are being computed. Reload the page in a few minutes." in words(
        ada.get(at)
    )
    for hours in (2, 3):  # the draft, then what the candidate would make of it
        world.infer("draft", later + timedelta(hours=hours))
    assert "No significant difference between neighbors would appear or disappear" in words(ada.get(at))
    drafts = select(Inference.gold_version_id).where(Inference.phase_id == world.phase().id)
    assert set(world.session.scalars(drafts)) == {None, candidate}
    row = world.session.scalar(select(Inference).where(Inference.gold_version_id == candidate))
    values = json.loads(row.text)
    for column in values["columns"]:  # four items cannot tell anybody apart: say that they do
        for pair in column.get("pairs", []):
            pair["better"] = pair["a"]
    with db.writing(world.session):
        row.text = json.dumps(values)
    first = "{team} {run}".format(**values["systems"][0])
    assert f"birch one, birch two Total not significantly different {first} is better" in words(ada.get(at))
    changed = ada.get(f"{at}.json").json["phases"][-1]["neighbours"][0]
    assert (changed["before"], changed["after"]) == (None, {"team": "birch", "run": first[6:]})
    world.publish_gold(world.session.get_one(GoldVersion, candidate))
    world.infer("draft", later + timedelta(hours=4))
    assert list(world.session.scalars(drafts)) == [None]


def test_baselines_are_not_counted_as_submissions_on_the_page_of_a_candidate(world: World) -> None:
    candidate = world.bring_gold("p2s", REVERSED).id
    scoring_jobs.score_all(world.site, candidate, DURING)
    page = words(world.client("ada").get(f"{GOLD}/{candidate}"))
    assert "There are no submissions. The score of 1 of 1 baseline would change." in page
