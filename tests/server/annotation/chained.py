"""The campaign of rounds in a chain, and students who answer all of it through the services."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from secrets import token_hex

from server.annotation.assignments import progress, taking
from server.annotation.campaigns import consents, creation, people, service as campaigns
from server.annotation.campaigns.rules import Invitee
from server.annotation.models import Campaign, Step, UnitAnswer
from server.core import db
from tests.scorer.small_campaign import CHAIN, write_chain
from tests.server.world import DURING, World

PAGE = "/tasks/small/organize/campaigns/harbour-in-context/results"
TUPLES_GOLD = (
    CHAIN.replace('slug = "harbour-in-context"', 'slug = "harbour-in-context"\nlevel = "s2p"')
    .replace('level = "s2p"', 'level = "s2p"\nsplit = "training"')
    .replace('round = "rate"\npass = "dependent"\nrule = "mean"', 'round = "bws"\nrule = "bws"')
)
"""The same campaign, whose gold standard is the best-worst scores, as a new split."""


@dataclass
class Chain:
    """The campaign with its students; each step is one transaction."""

    world: World

    @property
    def campaign(self) -> Campaign:
        return self.world.session.query(Campaign).one()

    def answer_all(self, round_slug: str, names: list[str], at: datetime = DURING) -> None:
        """Open a round and answer all assignments of these annotators, the second pass four days later."""
        session = self.world.session
        with db.writing(session):
            round_ = campaigns.get_round(self.campaign, round_slug)
            campaigns.open_round(session, self.world.actor("ada"), round_, at)
            for name in names:
                annotator = people.get_annotator(session, self.campaign, name)
                taken = taking.take_assignment(session, annotator, round_, at)
                for step in progress.list_steps(session, taken):
                    place = timedelta(seconds=20 * step.position + annotator.id)
                    add_answer(session, step, name, at + timedelta(days=4 * (step.pass_number - 1)) + place)
                progress.finish_assignment(session, taken, at)

    def close(self, round_slug: str) -> None:
        session = self.world.session
        with db.writing(session):
            round_ = campaigns.get_round(self.campaign, round_slug)
            campaigns.close_round(session, self.world.actor("ada"), round_, DURING)


def add_chain(
    world: World, folder: Path, config: str = CHAIN, students: int = 4, **files: str
) -> tuple[Chain, list[str]]:
    """The campaign with students who consented, and their names; `files` replaces some of its files."""
    prepared = creation.prepare_campaign(write_chain(folder, annotation=config, **files))
    session, ada = world.session, world.actor("ada")
    with db.writing(session):
        campaign = creation.add_campaign(session, ada, world.task, prepared, DURING)
        links = people.add_annotators(session, ada, campaign.entries[0], [Invitee()] * students, DURING)
        names = [link.annotator.name for link in links]
        for link in links:
            consents.give_consent(session, link.annotator, 1, "en", None, DURING)
    return Chain(world), names


def add_answer(session: db.Session, step: Step, name: str, at: datetime) -> None:
    """Insert an answer with a value by lot, as the annotators' pages do."""
    lot = Random(f"{name} {step.unit.key} {step.pass_number} {step.position}")  # noqa: S311
    keys = [key for key, _text in step.unit.candidates or ()]
    best, worst = lot.sample(keys, 2) if keys else (None, None)
    session.add(
        UnitAnswer(
            step=step,
            nonce=token_hex(16),
            value=None if keys else lot.randrange(int(step.assignment.plan.round.rules.scale.max) + 1),
            picks={"best": best, "worst": worst} if keys else None,
            standing="counts",
            shown_at=at - timedelta(seconds=lot.randrange(1, 15)),
            arrived_at=at,
            visible_ms=lot.choice([None, 900]),
            input="none",
        )
    )
    session.flush()
