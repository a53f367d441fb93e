"""The demo's campaign: half of its answers are there, and a link waits for you."""

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

from sqlalchemy.orm import Session

from server.annotation.answers import receive, tickets
from server.annotation.answers.rules import GivenAnswer
from server.annotation.assignments import progress, taking
from server.annotation.campaigns import consents, creation, people, personal_links, service as campaigns
from server.annotation.campaigns.rules import Invitee
from server.annotation.results import figures
from server.core import db
from server.core.actors import Actor
from server.core.site_resources import Site
from server.tasks.models import Task

FOLDER = Path(__file__).parent / "harbour-annotation"
READERS = ("Fay", "Gus", "Hal")
"""Three annotators have come: two are done, and one has answered half of the pairs."""


def begin(site: Site, session: Session, ada: Actor, task: Task, now: datetime) -> str:
    """Create the campaign, let three people answer, and return the link of a fourth."""
    prepared = creation.prepare_campaign(FOLDER)
    with db.writing(session):
        campaign = creation.add_campaign(session, ada, task, prepared, now)
        invitees = [Invitee(name) for name in (*READERS, "You")]
        links = people.add_annotators(session, ada, campaign.entries[0], invitees, now)
        campaigns.open_round(session, ada, campaigns.get_round(campaign), now)
        *keys, free = [link.key for link in links]
    for number, key in enumerate(keys):
        _answer(session, key, now + timedelta(hours=number), half=number == len(READERS) - 1)
    with db.writing(session):
        figures.queue_figures(session, campaigns.get_round(campaign), now)
    return personal_links.link_of(site.config.site_url, free)


def _answer(session: Session, key: str, at: datetime, *, half: bool) -> None:
    """Let one annotator consent and answer, with a severity of their own."""
    with db.writing(session):
        annotator = personal_links.get_annotator_by_key(session, key)
        draw = Random(annotator.id)  # noqa: S311  (invented ratings)
        version = consents.current_version(session, annotator.campaign)
        consents.give_consent(session, annotator, version.number, "en", None, at)
        round_ = campaigns.get_round(annotator.campaign)
        assignment = taking.take_assignment(session, annotator, round_, at)
        rate = _rater(draw)
        left = len(assignment.steps) // 2 if half else len(assignment.steps)
        while left and (step := progress.next_step(session, assignment)) is not None:
            ticket = tickets.make_ticket(personal_links.hash_key(key), step.id, None, at)
            at += timedelta(seconds=draw.randint(6, 24))
            given = GivenAnswer(rate(step.unit.key), visible_ms=draw.randint(4000, 6000), input="key")
            receive.receive_answer(session, ticket, given, at)
            left -= 1
        if not half:
            progress.finish_assignment(session, assignment, at)


def _rater(draw: Random) -> Callable[[str], float]:
    """Return how an annotator rates: odd pairs of the file are similar, even ones are not."""

    def rate(key: str) -> float:
        similar = int(key.rpartition("-")[2]) % 2
        return float(min(4, max(0, (3 if similar else 1) + draw.choice((-1, 0, 0, 1)))))

    return rate
