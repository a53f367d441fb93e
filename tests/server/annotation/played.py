"""A campaign in as many states as there are: answers with texts, late and superseded ones, a repair plan."""

from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import select

from server.annotation.answers.receive import receive_answer
from server.annotation.answers.rules import GivenAnswer
from server.annotation.assignments import progress
from server.annotation.campaigns import consents, creation, exclusions, people
from server.annotation.campaigns.rules import Invitee
from server.annotation.models import Step
from server.core import db
from tests.server.annotation.annotating import CONSENT, Annotating, make_own_ticket, write_campaign
from tests.server.world import DURING, World

HOUR = timedelta(hours=1)
GOLD = 'level = "s2p"\nsplit = "training"\n[gold]\nround = "rate"\nrule = "mean"\nat_least = 1'
PRIVATE = ("Grey Heron", "teal@example.net", "Her own words", "u0 is odd")
"""What the players are called, and the texts that the last two of them wrote."""


def play_campaign(world: World, *, trial: bool = False) -> Annotating:
    """Play a campaign until its round is closed; nobody withdraws. `trial`: an organizer tries it first."""
    campaign = Annotating(world)
    with TemporaryDirectory() as folder:
        prepared = creation.prepare_campaign(write_campaign(Path(folder), gold=GOLD))
    campaign.add(prepared)
    campaign.open()
    session, ada = world.session, world.actor("ada")
    with db.writing(session):
        consents.add_version(session, ada, campaign.campaign, {"en": f"{CONSENT} Thank you."}, DURING)
    if trial:
        with db.writing(session):
            people.begin_trial(session, ada, campaign.campaign, DURING)
        campaign.consent("T001")
        campaign.answer(campaign.take("T001"))
    invitees = [Invitee(PRIVATE[0]), Invitee(email=PRIVATE[1]), *[Invitee()] * 4]
    names = [link.annotator.name for link in campaign.invite(*invitees)]
    for name in names:
        campaign.consent(name)
    answered = [_work(campaign, name, k, DURING + k * HOUR) for k, name in enumerate(names[:3])]
    left = campaign.take(names[3], DURING + 3 * HOUR)
    campaign.answer(left, 1, DURING + 4 * HOUR)
    campaign.leave(left, DURING + 5 * HOUR)
    campaign.take(names[3], DURING + 6 * HOUR)
    campaign.leave(left, DURING + 7 * HOUR)
    campaign.work(names[4], DURING + 8 * HOUR)
    with db.writing(session):
        exclusions.exclude_annotator(
            session, ada, campaign.annotator(names[2]), excluded=True, reason="hasty", now=DURING + 9 * HOUR
        )
    campaign.pause(DURING + 10 * HOUR)
    campaign.close(DURING + 11 * HOUR)
    _give(campaign, answered[1], GivenAnswer(0, None, None, None, "none"), DURING + 12 * HOUR)
    return campaign


def _work(campaign: Annotating, name: str, k: int, at: datetime) -> int:
    """Answer all steps, change the first answer, and hand in; the id of the first step."""
    session = campaign.world.session
    assignment_id = campaign.take(name, at)
    ids = list(
        session.scalars(select(Step.id).where(Step.assignment_id == assignment_id).order_by(Step.position))
    )
    for number, step_id in enumerate(ids):
        given = GivenAnswer((k + number) % 5, PRIVATE[2] if number == 1 else None, None, 2500, "key")
        _give(campaign, step_id, given, at + timedelta(minutes=number, microseconds=250))
    _give(campaign, ids[0], GivenAnswer(None, None, PRIVATE[3], None, "touch"), at + timedelta(minutes=9))
    with db.writing(session):
        assignment = session.get_one(Step, ids[0]).assignment
        progress.finish_assignment(session, assignment, at + timedelta(minutes=10))
    return ids[0]


def _give(campaign: Annotating, step_id: int, given: GivenAnswer, at: datetime) -> None:
    session = campaign.world.session
    with db.writing(session):
        ticket = make_own_ticket(session, session.get_one(Step, step_id), None, at - timedelta(seconds=5))
        receive_answer(session, ticket, given, at)
