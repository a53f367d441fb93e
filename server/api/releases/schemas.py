"""Schemas of releases in the API, without the leaderboards themselves."""

from apiflask.fields import AwareDateTime, Boolean, Float, Integer, List, Nested, String

from server.releases.forms import NOTE
from server.web.rest.fields import AnswerSchema, MomentField, RequestSchema, TextField, YesNoField
from server.web.rest.responses import Paged
from server.web.validators import ChoiceValidator


class ReleaseSchema(AnswerSchema):
    """A release in a list; a withdrawn one has the reason, but no hash and no note."""

    phase = String(attribute="phase.slug")
    number = Integer()
    made_at = AwareDateTime()
    updated_at = AwareDateTime()
    anonymous = Boolean()
    sha256 = String(allow_none=True)
    withdrawn = String(allow_none=True)
    note = String(allow_none=True)


class PlannedRelease(AnswerSchema):
    """A scheduled release."""

    due_at = AwareDateTime()
    anonymous = Boolean()
    opens_gold = Boolean()
    note = String(allow_none=True)


class ReleasesPage(Paged):
    """A page of releases of a phase, the newest first."""

    items = List(Nested(ReleaseSchema))
    planned = Nested(PlannedRelease, allow_none=True)


class ReleasedGold(AnswerSchema):
    """The public gold file of one level that a release was made with."""

    level = String(attribute="level.slug")
    version = Integer()
    sha256 = String()
    ending = String(metadata={"enum": ["tsv", "csv"]})


class PeopleScoreSchema(AnswerSchema):
    """How well people would do at a level by a metric, if its gold was made from ratings on this site."""

    level = String()
    metric = String()
    value = Float()
    annotators = Integer()
    units = Integer()
    signature = String()


class ReleaseWithPlace(AnswerSchema):
    """A release that was not withdrawn, and its relation to the others."""

    phase = String(attribute="phase.slug")
    number = Integer(attribute="state.release.number")
    made_at = AwareDateTime(attribute="state.release.made_at")
    live = Boolean()
    anonymous = Boolean(attribute="state.anonymous")
    sha256 = String(attribute="state.sha256")
    note = String(allow_none=True, attribute="state.release.note")
    superseded_by = Integer(allow_none=True, attribute="place.superseded_by")
    before = Integer(allow_none=True, attribute="place.before.release.number", dump_default=None)
    own_name = String(allow_none=True)
    gold = List(Nested(ReleasedGold))
    inference = String(
        allow_none=True,
        attribute="inference.state",
        dump_default=None,
        metadata={"enum": ["there", "computing", "failed", None]},
    )
    has_evidence = Boolean()
    people = List(Nested(PeopleScoreSchema))


class NewRelease(RequestSchema):
    """How to release a leaderboard; with a time, the release is scheduled."""

    at = MomentField(load_default=None, allow_none=True)
    anonymous = YesNoField(load_default=False)
    opens_gold = YesNoField(load_default=False)
    note = TextField(load_default="", validate=NOTE)
    sure = YesNoField(load_default=False)


class MadeRelease(AnswerSchema):
    """The number of the new release, or the time of a scheduled one."""

    number = Integer(allow_none=True)
    planned_for = AwareDateTime(allow_none=True)


class ColumnsQuery(RequestSchema):
    """The columns of the LaTeX tables."""

    columns = TextField(load_default="")


class TermsQuery(RequestSchema):
    """Whether the caller accepts the terms of the task with this request."""

    terms = TextField(load_default="", validate=ChoiceValidator(["accepted"]))
