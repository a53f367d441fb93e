"""A small campaign of the small task, and annotators who answer by its pages."""

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from werkzeug.test import TestResponse

from scorer.bundles.bundle import ScaleSpec
from scorer.campaigns.assignments import plan_round
from scorer.campaigns.config import CampaignConfig, EntryConfig, PassConfig, RoundConfig, Unit
from server.annotation.campaigns import creation, people, service as campaigns
from server.annotation.campaigns.rules import Invitee
from server.annotation.models import AnnotationRound, Campaign, UnitAnswer
from server.core import db
from server.core.actors import Actor
from server.core.site_resources import Site
from server.tasks.models import Task
from tests.server.visitors import Visitor
from tests.server.world import DURING, World

LABELS = {0.0: "completely different", 6.0: "identical"}


def configure(
    n_units: int = 6,
    *,
    scale: tuple[float, float, float] = (0, 6, 1),
    answers: int = 2,
    assignment: int = 3,
    comment: bool = False,
    cannot_judge: bool = False,
    texts: tuple[str, str] = ("The ship left the harbour.", "A boat sailed off."),
    text_language: str = "en",
    languages: tuple[str, ...] = ("en",),
) -> CampaignConfig:
    """The configuration of a campaign; no unit says that it is one of a hidden split."""
    left, right = texts
    units = tuple(
        Unit(f"u{n}", None, None, {"left": f"{left} {n}", "right": f"{right} {n}", "wish": f"secret {n}"})
        for n in range(1, n_units + 1)
    )
    round_ = RoundConfig(
        slug="rate", kind="rate", entries=("students",), units_file="pairs.tsv", tuples_file=None,
        units=units, items=units, passes=(PassConfig("", ("left", "right")),), scale=ScaleSpec(*scale),
        labels={"en": LABELS}, question={"en": "How similar are they?"}, best={}, worst={},
        comment=comment, cannot_judge=cannot_judge, answers=answers, assignment=assignment,
        groups="free", order="given", seed=1,
    )  # fmt: skip
    return CampaignConfig(
        "alike", "How alike?", "forest@example.org", languages, text_language,
        dict.fromkeys(languages, "Your answers will be **published**."),
        dict.fromkeys(languages, "Read *both* texts."),
        None, None,
        (EntryConfig("students", "personal", 336, 1),), (round_,), None,
    )  # fmt: skip


def make_campaign(
    site: Site, actor: Actor, task: Task, config: CampaignConfig, now: datetime, *, opened: bool = True
) -> int:
    """A campaign by an organizer, and its id."""
    session = site.session()
    prepared = creation.PreparedCampaign(config, tuple(map(plan_round, config.rounds)), b"the files")
    with db.writing(session):
        campaign = creation.add_campaign(session, actor, task, prepared, now)
        if opened:
            for round_ in campaign.rounds:
                campaigns.open_round(session, actor, round_, now)
        return campaign.id


def make_links(site: Site, actor: Actor, campaign_id: int, count: int, now: datetime) -> list[str]:
    """The keys of new personal links."""
    session = site.session()
    with db.writing(session):
        entry = session.get_one(Campaign, campaign_id).entries[0]
        links = people.add_annotators(session, actor, entry, [Invitee() for _ in range(count)], now)
        return [link.key for link in links]


def add_campaign(world: World, config: CampaignConfig, *, opened: bool = True) -> int:
    """A campaign of the small task by ada, and its id."""
    return make_campaign(world.site, world.actor("ada"), world.task, config, DURING, opened=opened)


def get_round(world: World) -> AnnotationRound:
    return world.session.query(AnnotationRound).one()


def close_round(world: World) -> None:
    with db.writing(world.session):
        campaigns.close_round(world.session, world.actor("ada"), get_round(world), DURING)


def add_links(world: World, count: int = 1) -> list[str]:
    """The keys of new personal links of the only campaign."""
    campaign_id = world.session.query(Campaign.id).scalar()
    return make_links(world.site, world.actor("ada"), campaign_id, count, DURING)


def list_answers(world: World) -> list[UnitAnswer]:
    world.session.rollback()
    return world.session.query(UnitAnswer).order_by(UnitAnswer.id).all()


@dataclass
class Hand:
    """An annotator with a browser that runs no scripts."""

    world: World
    key: str
    visitor: Visitor = field(init=False)
    page: TestResponse = field(init=False)

    def __post_init__(self) -> None:
        self.visitor = self.world.client()

    def get(self, path: str) -> TestResponse:
        """Fetch a page, by its redirects, and remember it."""
        self.page = self.visitor.get(path, follow_redirects=True)
        return self.page

    def send(self, button: str = "", **fields: str) -> TestResponse:
        """Send the form of the page that has a button, with its hidden fields, and follow the redirect."""
        self.page = self.visitor.open(
            self.form_address(button),
            method="POST",
            data=self.hidden(button) | fields,
            follow_redirects=True,
        )
        return self.page

    def form(self, button: str) -> str:
        """The form that has a button."""
        forms = re.findall(r"<form.*?</form>", self.page.text, re.DOTALL)
        return next(form for form in forms if button in form)

    def form_address(self, button: str = "") -> str:
        action = re.search(r'action="([^"]*)"', self.form(button).split(">")[0])
        return self.page.request.path if action is None else action[1]

    def hidden(self, button: str = "") -> dict[str, str]:
        return dict(re.findall(r'type="hidden" name="([^"]*)" value="([^"]*)"', self.form(button)))

    def enter(self) -> TestResponse:
        """Consent, and see the own page."""
        self.get(f"/a/me/{self.key}")
        return self.send("I consent")

    def begin(self) -> TestResponse:
        """Consent, take an assignment, and see the first step."""
        self.enter()
        return self.send("Begin")

    def answer(self, value: Any, **fields: str) -> TestResponse:
        """Answer the step, and see the next page."""
        return self.send("ticket", value=str(value), **fields)


def begin(world: World, **options: Any) -> Hand:
    """An annotator of a new campaign, at the first step."""
    add_campaign(world, configure(**options))
    hand = Hand(world, add_links(world)[0])
    hand.begin()
    return hand
