"""Schemas of annotation campaigns in the API."""

from typing import get_args

from apiflask.fields import AwareDateTime, Boolean, Float, Integer, List, Nested, String

from scorer.campaigns.config import RoundKind
from server.web.rest.fields import AnswerSchema, RequestSchema, TextField
from server.web.rest.responses import Paged


class RoundSchema(AnswerSchema):
    """A round of a campaign."""

    slug = String(attribute="round.slug")
    kind = String(attribute="round.kind", metadata={"enum": [*get_args(RoundKind)]})
    state = String(metadata={"enum": ["planned", "open", "paused", "closed"]})


class PassSchema(AnswerSchema):
    """The work of an annotator in one pass."""

    slug = String()
    steps = Integer()
    answered = Integer()
    counted = Integer()
    no_value = Integer()
    median_seconds = Float(allow_none=True)
    last_answer = AwareDateTime(allow_none=True)


class AnnotatorSchema(AnswerSchema):
    """The work of an annotator, who has a pseudonym."""

    name = String(attribute="annotator.name")
    consented = Boolean()
    passes = List(Nested(PassSchema))
    excluded = String(allow_none=True, attribute="exclusion.reason", dump_default=None)
    failed = Boolean()


class RoundProgress(RoundSchema):
    """A round, and how far it is."""

    answers_per_unit = Integer(attribute="round.rules.answers")
    units = Integer(attribute="progress.units")
    complete = Integer(attribute="progress.complete")
    answers = Integer(attribute="progress.answers")
    needed = Integer(attribute="progress.needed")
    annotators = List(Nested(AnnotatorSchema), attribute="progress.annotators")


class RoundQuery(RequestSchema):
    """Which round to export."""

    round = TextField(load_default="")


class CampaignBase(AnswerSchema):
    """What every response says of a campaign."""

    slug = String(attribute="campaign.slug")
    title = String(attribute="campaign.title")
    level = String(allow_none=True, attribute="campaign.level")
    split = String(allow_none=True, attribute="campaign.split")
    made_at = AwareDateTime(attribute="campaign.made_at")


class CampaignSchema(CampaignBase):
    """An annotation campaign."""

    rounds = List(Nested(RoundSchema))


class CampaignsPage(Paged):
    """A page of campaigns, the oldest first."""

    items = List(Nested(CampaignSchema))


class CampaignProgress(CampaignBase):
    """An annotation campaign, and how far it is."""

    rounds = List(Nested(RoundProgress))
