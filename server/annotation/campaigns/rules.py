"""Pure rules of campaigns: reading a list of people, and the names of annotators."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from email.utils import parseaddr

MAX_LINKS = 1000
"""The maximum number of links that are created at once."""
MAX_PERSON_LENGTH = 255
_ADDRESS = re.compile(r"[^@\s<>,;\"]+@[^@\s<>,;\"]+\.[^@\s<>,;\".]+")


@dataclass(frozen=True, slots=True)
class Invitee:
    """A person who gets a link: a name, an email address, or both; neither for a link without a name."""

    label: str | None = None
    email: str | None = None


def read_people(text: str) -> tuple[list[Invitee], list[str]]:
    """Read one person a line: "Name", "name@example.org" or "Name <name@example.org>".

    Returns:
        The people, and the lines that cannot be read.
    """
    people, bad = [], []
    for line in filter(None, (" ".join(line.split()) for line in text.splitlines())):
        person = _read_person(line)
        if person is None:
            bad.append(line)
        else:
            people.append(person)
    return people, bad


def _read_person(line: str) -> Invitee | None:
    if len(line) > MAX_PERSON_LENGTH:
        return None
    if "@" not in line:
        return Invitee(label=line)
    name, address = parseaddr(line)
    if not _ADDRESS.fullmatch(address):
        return None
    return Invitee(label=name or None, email=address.lower())


def find_repeated(people: Sequence[Invitee], existing: Sequence[Invitee]) -> list[str]:
    """Return the names and addresses that occur twice, or that annotators of the campaign already have."""
    seen = {key for person in existing for key in _keys(person)}
    repeated = []
    for person in people:
        keys = _keys(person)
        if keys & seen:
            repeated.append(person.email or person.label or "")
        seen |= keys
    return repeated


def _keys(person: Invitee) -> set[str]:
    """Return what identifies a person: the address, or else the name."""
    if person.email is not None:
        return {person.email}
    return set() if person.label is None else {person.label.casefold()}


def name_annotator(number: int, *, trial: bool = False) -> str:
    """Return the pseudonym with a number, such as A001; T001 for a trial."""
    return f"{'T' if trial else 'A'}{number:03}"
