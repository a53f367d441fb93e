"""Schemas of annotation campaigns in the API."""

from typing import get_args

from apiflask.fields import AwareDateTime, Boolean, Float, Integer, List, Nested, String

from scorer.campaigns.config import RoundKind
from server.web.rest.fields import AnswerSchema, RequestSchema, TextField
from server.web.rest.responses import Paged

_SECONDS = {
    "description": "The median seconds for an answer, by the page's clock, or else by the server's; null: "
    "there is no answer."
}


class RoundSchema(AnswerSchema):
    """A round of a campaign."""

    slug = String(metadata={"description": "The slug of the round."})
    kind = String(metadata={"enum": [*get_args(RoundKind)], "description": "What annotators do."})
    state = String(metadata={"enum": ["planned", "open", "paused", "closed"]})


class PassSchema(AnswerSchema):
    """The work of an annotator in one pass."""

    slug = String(
        metadata={"description": "The slug of the pass; empty if the round has one without a name."}
    )
    steps = Integer(metadata={"description": "The number of units that the annotator was given."})
    answered = Integer(metadata={"description": "The number of these with an answer."})
    counted = Integer(metadata={"description": "The number of these whose answer counts."})
    no_value = Integer(metadata={"description": "The number of units that the annotator could not judge."})
    median_seconds = Float(allow_none=True, metadata=_SECONDS)
    last_answer = AwareDateTime(
        allow_none=True, metadata={"description": "When the last answer arrived; null: there is none."}
    )


class AnnotatorSchema(AnswerSchema):
    """The work of an annotator, who has a pseudonym."""

    name = String(metadata={"description": "The pseudonym."})
    consented = Boolean(metadata={"description": "Whether the annotator consented, and did not withdraw."})
    passes = List(Nested(PassSchema), metadata={"description": "The work in each pass of the round."})
    excluded = String(
        allow_none=True,
        metadata={"description": "Why an organizer excluded the answers; null: they are not excluded."},
    )


class RoundProgress(RoundSchema):
    """A round, and how far it is."""

    answers_per_unit = Integer(metadata={"description": "The number of answers that each unit needs."})
    units = Integer(metadata={"description": "The number of units."})
    complete = Integer(metadata={"description": "The number of units with all their answers, in every pass."})
    answers = Integer(metadata={"description": "The number of answers that count, in all passes."})
    needed = Integer(metadata={"description": "The number of answers that the round needs, in all passes."})
    annotators = List(Nested(AnnotatorSchema), metadata={"description": "The annotators by pseudonym."})


class RoundQuery(RequestSchema):
    """Which round to export."""

    round = TextField(
        load_default="", metadata={"description": "The slug of the round; by default the first."}
    )


class CampaignBase(AnswerSchema):
    """What every response says of a campaign."""

    slug = String(metadata={"description": "The slug of the campaign."})
    title = String()
    level = String(allow_none=True, metadata={"description": "The level that gets the gold."})
    split = String(allow_none=True, metadata={"description": "The split that gets the gold."})
    made_at = AwareDateTime()


class CampaignSchema(CampaignBase):
    """An annotation campaign."""

    rounds = List(Nested(RoundSchema), metadata={"description": "The rounds in their order."})


class CampaignsPage(Paged):
    """A page of campaigns, the oldest first."""

    items = List(Nested(CampaignSchema))


class CampaignProgress(CampaignBase):
    """An annotation campaign, and how far it is."""

    rounds = List(Nested(RoundProgress), metadata={"description": "The rounds in their order."})
