"""Cookies and forms of what is gone: they open nothing that was made since, and change nothing of it."""

import re

import pytest
from sqlalchemy import delete, func, select, text
from werkzeug.test import TestResponse

from server.annotation.campaigns import erasure, people, personal_links, service as campaigns
from server.annotation.models import Annotator, AnnotatorKey, AnswerText, Assignment, Campaign, Step
from server.core import db
from server.core.config import find_package_folder
from tests.server.annotation.small_campaign import (
    Hand,
    add_campaign,
    add_links,
    begin,
    configure,
    get_round,
    list_answers,
)
from tests.server.drafting import LEVEL, PHASE, fill
from tests.server.visitors import filled_in, words
from tests.server.world import DURING, World

pytestmark = pytest.mark.both_databases

CAMPAIGN = "/tasks/small/organize/campaigns/alike/"
OUTDATED = "was made for a campaign, level or phase that was deleted. Nothing was changed."


def forget_ids(world: World) -> None:
    """Let the database give ids again, as after an older backup was put back without `assay restore`."""
    sqlite = world.site.engine.dialect.name == "sqlite"
    with db.writing(world.session):
        for table in [table for table in db.Base.metadata.sorted_tables if "id" in table.columns]:
            counter = func.pg_get_serial_sequence(table.name, "id")
            free = select(func.coalesce(func.max(table.c.id), 0) + 1).scalar_subquery()
            rewind = (
                text("DELETE FROM sqlite_sequence") if sqlite else select(func.setval(counter, free, False))
            )
            world.session.execute(rewind)


def begin_trial(world: World) -> Hand:
    """An organizer who tries the campaign, at the first step."""
    with db.writing(world.session):
        key = people.begin_trial(world.session, world.actor("ada"), get_round(world).campaign, DURING).key
    hand = Hand(world, key)
    hand.begin()
    return hand


def post_as(hand: Hand, address: str, form: dict[str, str]) -> TestResponse:
    return hand.visitor.open(address, method="POST", data=form)


@pytest.mark.parametrize("same_ids", [False, True])
def test_nothing_of_a_deleted_campaign_opens_the_next_one(world: World, *, same_ids: bool) -> None:
    """The second campaign may be of another task: nothing that is signed names a task."""
    add_campaign(world, configure(comment=True))
    old, guest = begin_trial(world), Hand(world, add_links(world)[0])
    ticket = {**old.hidden("ticket"), "value": "6", "comment": "not mine"}
    old.get("/a/1/")
    work = old.hidden("leave the rest")
    guest.get(f"/a/me/{guest.key}")
    consent = guest.hidden("I consent")
    guest.send("I consent")
    assert world.client("ada").post(f"{CAMPAIGN}delete").status_code == 302
    if same_ids:
        forget_ids(world)

    add_campaign(world, configure(comment=True))
    new = Hand(world, add_links(world)[0])
    step = new.begin().request.path
    campaign_id = world.session.query(Campaign.id).scalar()
    assert (campaign_id == 1) is same_ids
    own = f"/a/{campaign_id}/"
    new.get(own)
    stop = new.form_address("leave the rest")
    for hand in (old, guest):
        cookie = hand.visitor.client.get_cookie("annotator", path="/a/1/")
        assert cookie is not None
        hand.visitor.client.set_cookie("annotator", cookie.value, path=own)
        for address in (own, step, f"{own}withdraw", stop.replace("stop", "answers")):
            assert hand.get(address).status_code == 403, address
        assert post_as(hand, stop, work).status_code in (400, 403)
        assert post_as(hand, f"{own}language", work).status_code in (400, 403)
        assert post_as(hand, f"/a/me/{new.key}", consent).status_code == 400
        refused = post_as(hand, step, ticket)
        assert (refused.status_code, "The answer was not saved" in words(refused)) == (400, True)
        assert "not mine" in words(refused)
    assert list_answers(world) == []


def test_form_from_before_a_restore_is_stored_as_nobody_elses_answer(world: World) -> None:
    add_campaign(world, configure())
    lost, next_one = (Hand(world, key) for key in add_links(world, 2))
    step = lost.begin().request.path
    with db.writing(world.session):  # the backup is older than the assignment
        world.session.execute(delete(Step))
        world.session.execute(delete(Assignment))
    forget_ids(world)
    assert next_one.begin().request.path == step
    assert lost.answer(6).status_code == 400
    assert lost.get(step).status_code == 404
    assert list_answers(world) == []


@pytest.mark.parametrize("ended", ["replaced", "erased"])
def test_form_that_is_older_than_a_new_link_or_an_erasure_stores_nothing(world: World, ended: str) -> None:
    hand = begin(world, comment=True)
    with db.writing(world.session):
        end = people.replace_link if ended == "replaced" else erasure.erase_annotator
        end(world.session, world.actor("ada"), world.session.query(Annotator).one(), DURING)
    page = hand.answer(6, comment="her own words")
    assert (page.status_code, "her own words" in words(page)) == (400, True)
    assert "your link was replaced" in words(page)
    assert list_answers(world) == []
    assert world.session.query(AnswerText).count() == 0


def test_further_link_of_a_reminder_leaves_open_forms_valid(world: World) -> None:
    hand = begin(world)
    with db.writing(world.session):
        personal_links.make_key(world.session, world.session.query(Annotator).one(), DURING)
    hand.answer(6)
    assert [answer.value for answer in list_answers(world)] == [6]


def test_organizers_form_of_a_deleted_campaign_leaves_the_next_one_with_its_name_alone(world: World) -> None:
    add_campaign(world, configure())
    add_links(world)
    ada = world.client("ada")
    pages = {
        "open": "", "close": "close", "delete": "delete", "consent": "consent", "people/A001/link": "people",
        "results/annotators/A001/erase": "results", "results/dataset": "results/dataset",
    }  # fmt: skip
    forms = {action: filled_in(ada.get(CAMPAIGN + page), "made_for") for action, page in pages.items()}
    assert ada.post(f"{CAMPAIGN}delete", forms["delete"]).status_code == 302
    add_campaign(world, configure(), opened=False)
    add_links(world)
    for action, form in forms.items():
        refused = ada.post(CAMPAIGN + action, form, follow_redirects=True)
        assert OUTDATED in words(refused), action
    assert campaigns.round_state(world.session, get_round(world)) == "planned"
    assert world.session.query(AnnotatorKey).filter_by(ended_at=None).count() == 1


LEVEL_ACTIONS = {"levels/p2s/": "levels/p2s/", "levels/p2s/remove": "levels/p2s/"}
PHASE_ACTIONS = {
    "phases/evaluation/remove": "phases/evaluation/edit",
    "phases/evaluation/extend": "phases/evaluation/extend",
    "phases/evaluation/public-items": "phases/evaluation/public-items",
    "phases/evaluation/public-items/list": "phases/evaluation/public-items",
    "boards/evaluation/release": "boards/evaluation",
    "baselines/evaluation/lcs/add": "baselines",
}
"""Not `phases/evaluation/runs.zip`, which changes nothing; `announcements/new` sends the id of a phase."""


@pytest.mark.parametrize(
    ("actions", "remove", "new", "values"),
    [
        (LEVEL_ACTIONS, "levels/p2s/remove", "levels/new", LEVEL),
        (PHASE_ACTIONS, "phases/evaluation/remove", "phases/new", PHASE),
    ],
    ids=["level", "phase"],
)
def test_form_of_a_removed_level_or_phase_leaves_the_next_one_with_its_name_alone(
    world: World, actions: dict[str, str], remove: str, new: str, values: dict[str, str]
) -> None:
    ada, at = fill(world)
    forms = {action: filled_in(ada.get(at + page), "made_for") for action, page in actions.items()}
    assert ada.post(at + remove, forms[remove]).status_code == 302
    assert ada.post(at + new, values).status_code == 302
    for action, form in forms.items():
        refused = ada.post(at + action, form, follow_redirects=True)
        assert OUTDATED in words(refused), action
    form = filled_in(ada.get(at + actions[remove]), "made_for")
    assert ada.post(at + remove, form).status_code == 302


SIGNERS = {
    "accounts/setup.py": "random values of accounts, by Flask-Security",
    "annotation/answers/tickets.py": "the random key of an annotator's link",
    "annotation/drafts/tables.py": "the ids of a task and of its organizer, and the hash of a file",
    "core/identity.py": "the nonce of an invitation; it also encrypts keys and hashes people",
    "evidence/service.py": "a release by its number, and files by their hashes",
    "mail/opt_outs.py": "the id of an account; accounts are never deleted",
    "releases/seals.py": "a release by its number",
    "signing/service.py": "what the other places hand it",
    "submissions/receipts.py": "the id of a submission",
}
"""What is named by all that the site signs. An id is given once, even after a restore: see test_ids.py."""


def test_it_is_known_what_each_place_that_signs_names() -> None:
    server = find_package_folder("server")
    signs = re.compile(r"^(from|import) (itsdangerous|hmac|cryptography)|\bsign_document\(", re.MULTILINE)
    places = {path for path in server.rglob("*.py") if signs.search(path.read_text("utf-8"))}
    assert {str(path.relative_to(server)) for path in places} == set(SIGNERS)
