"""What organizers send, and what is answered."""

from typing import get_args

from apiflask import Schema
from apiflask.fields import AwareDateTime, Float, Integer, List, Nested, String

from server.api.answers import Paged
from server.api.schemas.sent import Asked, Choice, Moment, Number, Some, Text, Whole, Within, YesNo
from server.api.schemas.tasks import OnePhase
from server.api.schemas.uploads import UploadSchema
from server.domain.feedback import Feedback
from server.domain.phases import BaselinesShown, BoardMode

WARNINGS = {"description": "What its organizers should know: which phases tell about gold that others hide."}


class ReasonSchema(Asked):
    """Why."""

    reason = Text(required=True, metadata={"maxLength": 1000})


class ExtensionSchema(ReasonSchema):
    """A later deadline, for one team (by its number) or for all."""

    closes = Moment(required=True)
    team = Whole(load_default=None, allow_none=True, validate=Within(min=1, max=2**31 - 1))


class MadeExtension(Schema):
    """A later deadline that was given."""

    team = Integer(
        required=True, allow_none=True, attribute="team_id", metadata={"description": "Null: for all."}
    )
    closes = AwareDateTime(required=True)
    reason = String(required=True)
    made_at = AwareDateTime(required=True)


class ExtensionsPage(Paged):
    """Some of the extensions."""

    items = List(Nested(MadeExtension), required=True)


class PhaseRules(Asked):
    """Dates and rules of a phase."""

    title = Text(metadata={"maxLength": 200})
    opens = Moment(allow_none=True)
    closes = Moment(allow_none=True)
    grace_hours = Whole()
    runs_per_team = Whole()
    files_per_level = Whole(allow_none=True)
    files_per_day = Whole(allow_none=True)
    feedback = Text(validate=Choice(get_args(Feedback)))
    feedback_places = Whole()
    ladder_step = Number()
    board = Text(validate=Choice(get_args(BoardMode)))
    baselines = Text(validate=Choice(get_args(BaselinesShown)))
    reminders = Some(Whole(), metadata={"description": "Hours before the closing time."})
    runs_public = YesNo()


class PhaseChange(PhaseRules):
    """What is to change of a phase; what is left out stays as it is."""

    sure = YesNo(metadata={"description": "Show teams the scores of the files that they have sent."})


class NewPhase(PhaseRules):
    """A phase that is to be; its short name and its split stay."""

    slug = Text(required=True, metadata={"maxLength": 64})
    split = Text(required=True, metadata={"description": "Which items the runs answer."})
    title = Text(required=True, metadata={"maxLength": 200})
    reminders = Some(Whole(), load_default=list, metadata={"description": "Hours before the closing time."})


class PublicItemsSchema(Asked):
    """How many of the items are public, and by which seed they are drawn."""

    percent = Whole(required=True)
    seed = Text(required=True, metadata={"maxLength": 80})


class TaskChange(Asked):
    """What is to change of a task's texts; what is left out stays as it is."""

    title = Text(metadata={"maxLength": 200})
    description = Text(metadata={"description": "Markdown."})
    licence = Text()
    terms = Text(metadata={"description": "Markdown; empty: none."})


class DryScoreSchema(Schema):
    """What a file would get; `value` is null where it is undefined."""

    part = String(required=True, allow_none=True, metadata={"description": "Null: of all items."})
    metric = String(required=True)
    value = Float(required=True, allow_none=True)
    reason = String(required=True, allow_none=True, metadata={"description": "Why there is no value."})
    n = Integer(required=True)
    signature = String(required=True)


class DryRunSchema(Schema):
    """What came of a file that was not entered."""

    gold_version = Integer(required=True)
    scores = List(Nested(DryScoreSchema), required=True)
    warnings = List(String, required=True)


class ExportSchema(Asked):
    """How people stand in a bundle."""

    people = Text(load_default="ids", validate=Choice(["ids", "names"]))


class HostedTask(Schema):
    """A task that is hosted now."""

    slug = String(required=True)


class ChangedSchema(Schema):
    """Which of the fields are other than before."""

    changed = List(String, required=True)


class ChangedPhase(ChangedSchema):
    """The same of a phase."""

    warnings = List(String, required=True, metadata=WARNINGS)


class AddedPhase(OnePhase):
    """A phase that was added."""

    warnings = List(String, required=True, metadata=WARNINGS)


class NewGold(UploadSchema, ReasonSchema):
    """A gold file, and why it is brought."""


class BroughtGold(Schema):
    """A gold version: the first of a split is in force at once, a later one is a candidate."""

    id = Integer(required=True)
    number = Integer(required=True)
    sha256 = String(required=True)


class NewRelease(Asked):
    """In what manner a board is released; with a time, it is planned for then."""

    at = Moment(load_default=None, allow_none=True)
    anonymous = YesNo(load_default=False)
    opens_gold = YesNo(load_default=False)
    note = Text(load_default="")
    sure = YesNo(
        load_default=False,
        metadata={"description": "Show now what the phase hides, while teams can still send files."},
    )


class MadeRelease(Schema):
    """What came of it: the number of the release that is public now, or for when it is planned."""

    number = Integer(required=True, allow_none=True)
    planned_for = AwareDateTime(required=True, allow_none=True)


class AnnouncementSchema(Schema):
    """What the organizers announced."""

    id = Integer(required=True)
    title = String(required=True)
    text = String(required=True, metadata={"description": "Markdown."})
    made_at = AwareDateTime(required=True)
    phase = String(
        required=True,
        allow_none=True,
        metadata={"description": "For teams whose runs of it were incomplete; null: for all."},
    )


class AnnouncementsPage(Paged):
    """Some of the announcements, the newest first."""

    items = List(Nested(AnnouncementSchema), required=True)


class NewAnnouncement(Asked):
    """What is announced to the members of all teams, or of those whose runs of a phase are incomplete."""

    title = Text(required=True)
    text = Text(required=True, metadata={"description": "Markdown."})
    phase = Text(load_default=None, allow_none=True)
