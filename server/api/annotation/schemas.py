"""Schemas of annotation campaigns in the API."""

from typing import get_args

from apiflask.fields import AwareDateTime, Boolean, Float, Integer, List, Nested, String

from scorer.campaigns.config import RoundKind
from server.web.rest.fields import AnswerSchema, RequestSchema, TextField
from server.web.rest.responses import Paged


class RoundSchema(AnswerSchema):
    """A round of a campaign."""

    slug = String()
    kind = String(metadata={"enum": [*get_args(RoundKind)]})
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

    name = String()
    consented = Boolean()
    passes = List(Nested(PassSchema))
    excluded = String(allow_none=True)
    failed = Boolean()


class RoundProgress(RoundSchema):
    """A round, and how far it is."""

    answers_per_unit = Integer()
    units = Integer()
    complete = Integer()
    answers = Integer()
    needed = Integer()
    annotators = List(Nested(AnnotatorSchema))


class RoundQuery(RequestSchema):
    """Which round to export."""

    round = TextField(load_default="")


class CampaignBase(AnswerSchema):
    """What every response says of a campaign."""

    slug = String()
    title = String()
    level = String(allow_none=True)
    split = String(allow_none=True)
    made_at = AwareDateTime()


class CampaignSchema(CampaignBase):
    """An annotation campaign."""

    rounds = List(Nested(RoundSchema))


class CampaignsPage(Paged):
    """A page of campaigns, the oldest first."""

    items = List(Nested(CampaignSchema))


class CampaignProgress(CampaignBase):
    """An annotation campaign, and how far it is."""

    rounds = List(Nested(RoundProgress))
