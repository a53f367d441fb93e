"""Entries of the audit log as sentences, with the current names of people, teams and runs for ids."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from string import Formatter
from typing import Any, Literal, NamedTuple

from server.activity.actions import ACTIONS
from server.core import dates, i18n
from server.core.i18n import N_
from server.scoring.baselines import BASELINES

LinkTarget = Literal["team", "run", "submission"]


@dataclass(frozen=True, slots=True)
class SentencePart:
    """A part of a sentence, and the object that it names, if the reader may know its name."""

    words: str
    thing: LinkTarget | None = None
    id: int | None = None


@dataclass(frozen=True, slots=True)
class SubmittedFile:
    """The team, run and level that a file was sent for."""

    run: str
    level: str
    team_id: int


class Translator(NamedTuple):
    """Translates messages to the site's language, or leaves them as they are written."""

    say: Callable[[str], str]
    number: Callable[[str, str, int], str]


TRANSLATED = Translator(i18n.translate, i18n.translate_plural)
UNTRANSLATED = Translator(str, lambda one, many, count: one if count == 1 else many)
"""Used in downloads, which are the same on every site."""


@dataclass(frozen=True, slots=True)
class KnownNames:
    """The names that the reader may see; all other people and objects appear as numbers."""

    people: Mapping[int, str] = field(default_factory=dict)
    teams: Mapping[int, str] = field(default_factory=dict)
    runs: Mapping[int, str] = field(default_factory=dict)
    files: Mapping[int, SubmittedFile] = field(default_factory=dict)
    phases: Mapping[str, str] = field(default_factory=dict)
    levels: Mapping[str, str] = field(default_factory=dict)
    of_many: bool = False
    """Whether entries of several teams are listed, so that each has to name its team."""
    organizer: str | None = None
    """What a team reads in place of the names of organizers, including former ones."""
    speech: Translator = TRANSLATED


@dataclass(frozen=True, slots=True)
class EntryFacts:
    """The facts of an entry, as plain values."""

    actor: str
    action: str
    details: Mapping[str, Any]
    team_id: int | None
    names: KnownNames

    def say(self, message: str) -> str:
        """Translate a message for the reader."""
        return self.names.speech.say(message)

    def row_id(self, key: str) -> int | None:
        """Return a row's id from the details, if the value can be one."""
        return read_row_id(self.details.get(key))


FieldWriter = Callable[[EntryFacts], "str | SentencePart | list[SentencePart]"]

ACTOR_NAMES = {
    "console": N_("A command on the server"),
    "worker": N_("The site"),
    "visitor": N_("Someone who was not signed in"),
}
UNKNOWN_ACTION = N_("{who} did something that this version of Assay does not know ({action})")


def _actor_name(facts: EntryFacts) -> str:
    """Return the name of the actor, at the beginning of a sentence."""
    if facts.actor in ACTOR_NAMES:
        return facts.say(ACTOR_NAMES[facts.actor])
    person_name = facts.names.people.get(person_id(facts.actor) or 0)
    name = person_name or _person_name(facts.actor, facts.names)
    unnamed = (
        person_name is None or person_name == facts.names.organizer or person_name.startswith("a person ")
    )
    return name[:1].upper() + name[1:] if unnamed else name


def write_sentence_parts(facts: EntryFacts) -> list[SentencePart]:
    """Write who did what, without the time and the full stop."""
    words = ACTIONS.get(facts.action)
    parts: list[SentencePart] = []
    for literal, name, _, _ in Formatter().parse(facts.say(UNKNOWN_ACTION if words is None else words.text)):
        parts += [SentencePart(literal)] if literal else []
        written = _FIELDS[name](facts) if name else []
        if isinstance(written, str):
            written = SentencePart(written)
        parts += written if isinstance(written, list) else [written]
    return [*parts, *_team_suffix(facts, parts)]


def _team_suffix(facts: EntryFacts, parts: list[SentencePart]) -> list[SentencePart]:
    """Name the team that the action was for, unless the sentence names it already."""
    if not facts.names.of_many or facts.team_id is None or any(part.thing == "team" for part in parts):
        return []
    part = _team_part(facts.team_id, facts.names)
    return [] if part.thing is None else [SentencePart(" ("), part, SentencePart(")")]


def person_id(label: object) -> int | None:
    """Return the account that a label names."""
    kind, _, number = str(label).partition(":")
    return int(number) if kind == "user" and number.isdecimal() and len(number) < 16 else None


def read_row_id(value: object) -> int | None:
    """Return a row's id, if the value can be one."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**63 else None


def _person_name(label: object, names: KnownNames) -> str:
    number = person_id(label)
    if number is None:
        return names.speech.say(N_('someone ("{label}")')).format(label=label)
    return names.people.get(number) or names.speech.say(N_("person {number}")).format(number=number)


def _detail_field(key: str) -> FieldWriter:
    return lambda facts: str(facts.details.get(key))


def _flag_field(key: str, words: str) -> FieldWriter:
    return lambda facts: facts.say(words) if facts.details.get(key) else ""


def _count_words(facts: EntryFacts, key: str, one: str, many: str) -> str:
    """Format a count from the details with its noun; a value that is not a number is shown as it is."""
    value = facts.details.get(key)
    count = value if isinstance(value, int) else 0
    return facts.names.speech.number(one, many, count).format(count=value)


def _account(facts: EntryFacts) -> str:
    user = facts.details.get("user")
    if user == facts.actor:
        return facts.say(N_("their own account"))
    return facts.say(N_("the account of {person}")).format(person=_person_name(user, facts.names))


def _team_field(without_team: str) -> FieldWriter:
    def write(facts: EntryFacts) -> str | SentencePart:
        team_id = facts.row_id("team") or facts.team_id
        return facts.say(without_team) if team_id is None else _team_part(team_id, facts.names)

    return write


def _team_part(team_id: int, names: KnownNames) -> SentencePart:
    name = names.teams.get(team_id)
    unnamed = names.speech.say(N_("team {number}")).format(number=team_id)
    return SentencePart(unnamed) if name is None else SentencePart(name, "team", team_id)


def _run(facts: EntryFacts) -> str | SentencePart:
    run_id = facts.row_id("run")
    return str(facts.details.get("run")) if run_id is None else _run_part(run_id, facts)


def _run_part(run_id: int, facts: EntryFacts) -> SentencePart:
    name = facts.names.runs.get(run_id)
    return SentencePart(str(run_id)) if name is None else SentencePart(name, "run", run_id)


def _run_order(facts: EntryFacts) -> list[SentencePart]:
    parts: list[SentencePart] = []
    for run_id in map(read_row_id, _as_list(facts.details.get("order"))):
        parts += [SentencePart(", ")] if parts else []
        parts += [SentencePart("?") if run_id is None else _run_part(run_id, facts)]
    return parts


def _file(facts: EntryFacts) -> str | list[SentencePart]:
    number = facts.row_id("submission")
    if number is None:
        return facts.say(N_("a submission"))
    words = facts.say(N_("submission {number}")).format(number=number)
    submitted_file = facts.names.files.get(number)
    if submitted_file is None:
        return words
    of = facts.say(N_(" for run {run}, {level}")).format(run=submitted_file.run, level=submitted_file.level)
    return [SentencePart(words, "submission", number), SentencePart(of)]


def _origin_field(sent: str, **origins: str) -> FieldWriter:
    """Whether a file was uploaded, came from the bundle, or is a baseline's that the site stored."""

    def write(facts: EntryFacts) -> str:
        return facts.say(next((words for name, words in origins.items() if facts.details.get(name)), sent))

    return write


def _phase(facts: EntryFacts) -> str:
    slug = str(facts.details.get("phase"))
    return facts.names.phases.get(slug, slug)


def _level_split(facts: EntryFacts) -> str:
    split, level = str(facts.details.get("split")), facts.details.get("level")
    return split if level is None else f"{facts.names.levels.get(str(level), str(level))} ({split})"


def _deadline_change(facts: EntryFacts) -> str:
    closes = [_value_words(value, facts.names.speech) for value in _as_list(facts.details.get("closes"))]
    words = facts.say(N_(" from {old} to {new}"))
    return words.format(old=closes[0], new=closes[1]) if len(closes) == 2 else ""


def _due_time(facts: EntryFacts) -> str:
    at = _value_words(facts.details.get("due_at"), facts.names.speech)
    return facts.say(N_(" for {at}")).format(at=at)


def _baseline(facts: EntryFacts) -> str | SentencePart:
    if "run" in facts.details:
        return _run(facts)
    name = str(facts.details.get("baseline"))
    return next((title for known, title in BASELINES.items() if known == name), name)


def _audience(facts: EntryFacts) -> str:
    people = _count_words(facts, "people", N_("{count} person"), N_("{count} people"))
    if facts.details.get("phase") is None:
        return people
    return facts.say(N_("{people} about {phase}")).format(people=people, phase=_phase(facts))


def _import_history(facts: EntryFacts) -> str:
    if "submissions" not in facts.details:
        return ""
    files = _count_words(facts, "submissions", N_("{count} submission"), N_("{count} submissions"))
    boards = _count_words(facts, "releases", N_("{count} release"), N_("{count} releases"))
    return facts.say(N_(", with its history ({files}, {releases})")).format(files=files, releases=boards)


FIELD_WORDS = {
    **{
        name: name
        for name in (
            N_("title"),
            N_("description"),
            N_("licence"),
            N_("organizers"),
            N_("contact"),
            N_("terms"),
            N_("feedback"),
            N_("baselines"),
            N_("reminders"),
            N_("name"),
            N_("method"),
            N_("resources"),
            N_("links"),
            N_("authors"),
            N_("version"),
            N_("command"),
            N_("text"),
            N_("pinned"),
        )
    },
    "mailing_list": N_("mailing list"),
    "citation": N_("how to cite"),
    "board": N_("leaderboard"),
    "opens": N_("opens"),
    "closes": N_("closes"),
    "grace_hours": N_("grace period (hours)"),
    "feedback_places": N_("decimal places"),
    "ladder_step": N_("step of the Ladder"),
    "runs_public": N_("submissions are published"),
    "runs_per_team": N_("runs per team"),
    "files_per_level": N_("submissions per level"),
    "files_per_day": N_("submissions per day"),
    "team_size": N_("team size"),
}
"""The names of fields for people, if they differ from the fields' own names."""


def _changed_fields(facts: EntryFacts) -> str:
    changed = facts.details.get("changed")
    speech = facts.names.speech
    if not isinstance(changed, Mapping):
        return ", ".join(speech.say(FIELD_WORDS.get(name, name)) for name in map(str, _as_list(changed)))
    return "; ".join(_field_change(str(name), values, speech) for name, values in changed.items())


def _field_change(name: str, values: object, speech: Translator) -> str:
    words, pair = speech.say(FIELD_WORDS.get(name, name)), _as_list(values)
    if len(pair) != 2 or any(_is_hash(value) for value in pair):
        return words
    old, new = (_value_words(value, speech) for value in pair)
    return speech.say(N_("{field} from {old} to {new}")).format(field=words, old=old, new=new)


def _value_words(value: object, speech: Translator) -> str:
    """Format an old or a new value; times as people read them."""
    if value is None or value == []:
        return speech.say(N_("none"))
    if isinstance(value, bool):
        return speech.say(N_("yes") if value else N_("no"))
    if isinstance(value, list):
        return ", ".join(map(str, value))
    try:
        at = datetime.fromisoformat(str(value)) if isinstance(value, str) and "T" in value else None
    except ValueError:
        return str(value)
    return str(value) if at is None or at.tzinfo is None else _time_words(at.astimezone(UTC), speech)


def _time_words(at: datetime, speech: Translator) -> str:
    """Format a time as pages do, or in the form of downloads, which is the same in every language."""
    return dates.format_plain_utc(at) if speech is UNTRANSLATED else dates.format_utc(at, seconds=True)


def _is_hash(value: object) -> bool:
    return isinstance(value, str) and len(value) == 64 and set(value) <= set("0123456789abcdef")


def _as_list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


_FIELDS: dict[str, FieldWriter] = {
    "accepted": _origin_field(
        N_(", which was accepted"), came_with_task="", computed="", uploaded="", rescored=""
    ),
    "accepted_late": _origin_field(N_(", which was accepted as late"), came_with_task=N_(", which was late")),
    "account": _account,
    "action": lambda facts: facts.action,
    "annotator": _detail_field("annotator"),
    "anonymous": _flag_field("anonymous", N_(", without team names")),
    "answers": lambda facts: _count_words(facts, "count", N_("{count} answer"), N_("{count} answers")),
    "assignment": _detail_field("assignment"),
    "assignments": lambda facts: _count_words(
        facts, "assignments", N_("{count} assignment"), N_("{count} assignments")
    ),
    "audience": _audience,
    "baseline": _baseline,
    "campaign": _detail_field("campaign"),
    "came_with": _import_history,
    "changed": _changed_fields,
    "due_at": _due_time,
    "file": _file,
    "files": lambda facts: _count_words(facts, "files", N_("{count} file"), N_("{count} files")),
    "invitation": _detail_field("invitation"),
    "kit_file": _detail_field("kit_file"),
    "job": _detail_field("job"),
    "job_kind": _detail_field("kind"),
    "level": lambda facts: facts.names.levels.get(
        str(facts.details.get("level")), str(facts.details.get("level"))
    ),
    "links": lambda facts: _count_words(facts, "links", N_("{count} link"), N_("{count} links")),
    "mail": _detail_field("mail"),
    "mail_kind": _detail_field("kind"),
    "mails": lambda facts: _count_words(facts, "mails", N_("{count} email"), N_("{count} emails")),
    "note": _flag_field("note", N_(", with a note to readers")),
    "number": _detail_field("number"),
    "old": _detail_field("old"),
    "opens_gold": _flag_field("opens_gold", N_(", with the gold standard")),
    "order": _run_order,
    "phase": _phase,
    "picture": _detail_field("picture"),
    "plan": _detail_field("plan"),
    "everyone": _flag_field("everyone", N_(", for everyone")),
    "question": _detail_field("question"),
    "public": lambda facts: str(facts.details.get("public"))[:10],
    "role": _detail_field("role"),
    "round": _detail_field("round"),
    "run": _run,
    "sent": _origin_field(
        N_("uploaded"), came_with_task=N_("imported"), computed=N_("computed"), rescored=N_("scored again")
    ),
    "slug": _detail_field("slug"),
    "split": _level_split,
    "steps": lambda facts: _count_words(facts, "steps", N_("{count} question"), N_("{count} questions")),
    "team": _team_field(N_("a team")),
    "unit": _detail_field("unit"),
    "units": lambda facts: _count_words(
        facts, "units", N_("{count} pair or tuple"), N_("{count} pairs or tuples")
    ),
    "until": _deadline_change,
    "user": lambda facts: _person_name(facts.details.get("user"), facts.names),
    "version": _detail_field("version"),
    "who": _actor_name,
    "whom": _team_field(N_("all teams")),
}
"""The functions that fill in the fields of the templates."""
