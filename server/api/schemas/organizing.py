"""What organizers send, and what is answered."""

from apiflask import Schema
from apiflask.fields import AwareDateTime, Boolean, File, Float, Integer, List, String
from apiflask.validators import Range


class ReasonSchema(Schema):
    """Why."""

    reason = String(required=True, metadata={"maxLength": 1000})


class ExtensionSchema(ReasonSchema):
    """A later deadline, for one team (by its number) or for all."""

    closes = AwareDateTime(required=True)
    team = Integer(load_default=None, allow_none=True, validate=Range(min=1, max=2**31 - 1))


class PhaseChange(Schema):
    """What is to change of a phase; what is left out stays as it is."""

    title = String(metadata={"maxLength": 200})
    opens = AwareDateTime(allow_none=True)
    closes = AwareDateTime(allow_none=True)
    grace_hours = Integer()
    runs_per_team = Integer()
    files_per_level = Integer(allow_none=True)
    files_per_day = Integer(allow_none=True)
    feedback = String()
    feedback_places = Integer()
    ladder_step = Float()
    board = String()
    baselines = String()
    reminders = List(Integer(), metadata={"description": "Hours before the closing time."})
    runs_public = Boolean()
    sure = Boolean(metadata={"description": "Show teams the scores of the files that they have sent."})


class ChangedSchema(Schema):
    """Which of the fields are other than before."""

    changed = List(String, required=True)


class NewGold(ReasonSchema):
    """A gold file, and why it is brought."""

    file = File(required=True)  # type: ignore[no-untyped-call]  # apiflask has no types here


class BroughtGold(Schema):
    """A gold version: the first of a split is in force at once, a later one is a candidate."""

    id = Integer(required=True)
    number = Integer(required=True)
    sha256 = String(required=True)


class NewRelease(Schema):
    """In what manner a board is released; with a time, it is planned for then."""

    at = AwareDateTime(load_default=None, allow_none=True)
    anonymous = Boolean(load_default=False)
    opens_gold = Boolean(load_default=False)
    note = String(load_default="")


class MadeRelease(Schema):
    """What came of it: the number of the release that is public now, or for when it is planned."""

    number = Integer(required=True, allow_none=True)
    planned_for = AwareDateTime(required=True, allow_none=True)


class NewAnnouncement(Schema):
    """What is announced to the members of all teams, or of those whose runs of a phase are incomplete."""

    title = String(required=True)
    text = String(required=True, metadata={"description": "Markdown."})
    phase = String(load_default=None, allow_none=True)
