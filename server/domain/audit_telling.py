"""Entries of the audit log as sentences: ids become the names that people and things have as it is read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from string import Formatter
from typing import Any, Literal

from server.domain.audit_words import ACTIONS
from server.domain.phases import clock_words

Thing = Literal["team", "run", "submission"]


@dataclass(frozen=True, slots=True)
class Part:
    """Some words of a sentence, and the thing that they name, if the reader knows its name."""

    words: str
    thing: Thing | None = None
    id: int | None = None


@dataclass(frozen=True, slots=True)
class File:
    """What a file was sent for."""

    run: str
    level: str
    team_id: int


@dataclass(frozen=True, slots=True)
class Names:
    """The names that the reader may see; who or what is not among them is told by its number."""

    people: Mapping[int, str] = field(default_factory=dict)
    teams: Mapping[int, str] = field(default_factory=dict)
    runs: Mapping[int, str] = field(default_factory=dict)
    files: Mapping[int, File] = field(default_factory=dict)
    phases: Mapping[str, str] = field(default_factory=dict)
    levels: Mapping[str, str] = field(default_factory=dict)
    of_many: bool = False
    """Whether entries of several teams stand side by side, so that each says of which it is."""


@dataclass(frozen=True, slots=True)
class Told:
    """What an entry says, as plain values."""

    actor: str
    action: str
    details: Mapping[str, Any]
    team_id: int | None
    names: Names


ACTORS = {"console": "The console", "worker": "The site", "visitor": "Somebody who was not signed in"}


def who(actor: str, names: Names) -> str:
    """Whoever did it, at the head of a sentence."""
    if actor in ACTORS:
        return ACTORS[actor]
    name = _person(actor, names)
    return (
        name[:1].upper() + name[1:]
        if name.startswith(("person ", "a person ", "an organizer", "somebody "))
        else name
    )


def did(told: Told) -> list[Part]:
    """What they did, without who and when."""
    words = ACTIONS.get(told.action)
    if words is None:
        return [Part(f"did something that this version has no words for ({told.action})")]
    parts: list[Part] = []
    for literal, name, _, _ in Formatter().parse(words.text):
        parts += [Part(literal)] if literal else []
        parts += _FIELDS[name](told) if name else []
    return [*parts, *_of_team(told, parts)]


def _of_team(told: Told, parts: list[Part]) -> list[Part]:
    """The team that it was done for, unless the sentence has it already."""
    if not told.names.of_many or told.team_id is None or any(part.thing == "team" for part in parts):
        return []
    part = _team_part(told.team_id, told.names)
    return [] if part.thing is None else [Part(" ("), part, Part(")")]


def sentence(told: Told) -> str:
    """All of it as text."""
    return f"{who(told.actor, told.names)} {''.join(part.words for part in did(told))}."


def person_id(label: object) -> int | None:
    """The account that a label names."""
    kind, _, number = str(label).partition(":")
    return int(number) if kind == "user" and number.isdecimal() and len(number) < 16 else None


def number_of(value: object) -> int | None:
    """A row's id, if the value can be one."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**63 else None


def _person(label: object, names: Names) -> str:
    number = person_id(label)
    if number is None:
        return f'somebody ("{label}")'
    return names.people.get(number) or f"person {number}"


Say = Callable[[Told], list[Part]]


def _text(say: Callable[[Told], str]) -> Say:
    return lambda told: [Part(say(told))]


def _plain(key: str) -> Say:
    return _text(lambda told: str(told.details.get(key)))


def _if(key: str, words: str) -> Say:
    return _text(lambda told: words if told.details.get(key) else "")


def _count(key: str, noun: str) -> Say:
    return _text(lambda told: _plural(told.details.get(key), noun))


def _plural(count: object, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _account(told: Told) -> str:
    user = told.details.get("user")
    return "their own account" if user == told.actor else f"the account of {_person(user, told.names)}"


def _team(told: Told) -> list[Part]:
    team_id = number_of(told.details.get("team")) or told.team_id
    return [Part("a team")] if team_id is None else [_team_part(team_id, told.names)]


def _team_part(team_id: int, names: Names) -> Part:
    name = names.teams.get(team_id)
    return Part(f"team {team_id}") if name is None else Part(name, "team", team_id)


def _run(told: Told) -> list[Part]:
    run_id = number_of(told.details.get("run"))
    return [Part(str(told.details.get("run")))] if run_id is None else [_run_part(run_id, told)]


def _run_part(run_id: int, told: Told) -> Part:
    name = told.names.runs.get(run_id)
    return Part(str(run_id)) if name is None else Part(name, "run", run_id)


def _order(told: Told) -> list[Part]:
    parts: list[Part] = []
    for run_id in map(number_of, _list(told.details.get("order"))):
        parts += [Part(", ")] if parts else []
        parts += [Part("?") if run_id is None else _run_part(run_id, told)]
    return parts


def _file(told: Told) -> list[Part]:
    number = number_of(told.details.get("submission"))
    if number is None:
        return [Part("a file")]
    known = told.names.files.get(number)
    if known is None:
        return [Part(f"file {number}")]
    return [Part(f"file {number}", "submission", number), Part(f" for {known.run}, {known.level}")]


def _came_with_task(told: Told) -> bool:
    """Whether a file is the bundle's; entries of before say so by who brought it alone."""
    return bool(told.details.get("came_with_task")) or told.actor == "console"


def _sent(told: Told) -> str:
    return "brought" if _came_with_task(told) else "sent"


def _accepted(told: Told) -> str:
    return ", with the task" if _came_with_task(told) else ", which was accepted"


def _accepted_late(told: Told) -> str:
    return ", with the task, as a late one" if _came_with_task(told) else ", which was accepted as late"


def _whom(told: Told) -> list[Part]:
    team_id = number_of(told.details.get("team")) or told.team_id
    return [Part("all teams")] if team_id is None else [_team_part(team_id, told.names)]


def _phase(told: Told) -> str:
    slug = str(told.details.get("phase"))
    return told.names.phases.get(slug, slug)


def _level_split(told: Told) -> str:
    split, level = str(told.details.get("split")), told.details.get("level")
    return split if level is None else f"{told.names.levels.get(str(level), str(level))} ({split})"


def _until(told: Told) -> str:
    closes = _list(told.details.get("closes"))
    return f" from {_value(closes[0])} to {_value(closes[1])}" if len(closes) == 2 else ""


def _due(told: Told) -> str:
    return f" for {_value(told.details.get('due_at'))}"


def _audience(told: Told) -> str:
    phase = told.details.get("phase")
    people = _plural(told.details.get("people"), "person").replace("persons", "people")
    return f"{people}, about {_phase(told)}" if phase is not None else people


def _came_with(told: Told) -> str:
    if "submissions" not in told.details:
        return ""
    files, boards = told.details.get("submissions"), told.details.get("releases")
    return f", with its history ({_plural(files, 'file')}, {_plural(boards, 'release')})"


FIELD_WORDS = {
    "opens": "opens",
    "closes": "closes",
    "grace_hours": "hours of grace",
    "feedback_places": "decimal places",
    "ladder_step": "step of the ladder",
    "runs_public": "files are published",
    "runs_per_team": "runs of a team",
    "files_per_level": "files at a level",
    "files_per_day": "files of a day",
}
"""What a field is called, where that is not its name."""


def _changed(told: Told) -> str:
    changed = told.details.get("changed")
    if not isinstance(changed, Mapping):
        return ", ".join(map(str, _list(changed)))
    return "; ".join(_change(str(name), values) for name, values in changed.items())


def _change(name: str, values: object) -> str:
    words, pair = FIELD_WORDS.get(name, name), _list(values)
    if len(pair) != 2 or any(_is_hash(value) for value in pair):
        return words
    return f"{words} from {_value(pair[0])} to {_value(pair[1])}"


def _value(value: object) -> str:
    """An old or a new value; instants as people read them."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    try:
        at = datetime.fromisoformat(str(value)) if isinstance(value, str) and "T" in value else None
    except ValueError:
        return str(value)
    return str(value) if at is None or at.tzinfo is None else clock_words(at.astimezone(UTC))


def _is_hash(value: object) -> bool:
    return isinstance(value, str) and len(value) == 64 and set(value) <= set("0123456789abcdef")


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


_FIELDS: dict[str, Say] = {
    "accepted": _text(_accepted),
    "accepted_late": _text(_accepted_late),
    "account": _text(_account),
    "anonymous": _if("anonymous", ", without names"),
    "audience": _text(_audience),
    "came_with": _text(_came_with),
    "changed": _text(_changed),
    "due_at": _text(_due),
    "file": _file,
    "files": _count("files", "file"),
    "invitation": _plain("invitation"),
    "mail": _plain("mail"),
    "mail_kind": _plain("kind"),
    "mails": _count("mails", "mail"),
    "note": _if("note", ", with a note to readers"),
    "number": _plain("number"),
    "opens_gold": _if("opens_gold", ", with the gold"),
    "order": _order,
    "phase": _text(_phase),
    "public": _text(lambda told: str(told.details.get("public"))[:10]),
    "role": _plain("role"),
    "run": _run,
    "sent": _text(_sent),
    "split": _text(_level_split),
    "team": _team,
    "until": _text(_until),
    "user": _text(lambda told: _person(told.details.get("user"), told.names)),
    "version": _plain("version"),
    "whom": _whom,
}
"""What stands in the templates' braces."""
