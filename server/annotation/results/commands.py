"""The commands of the scorer that compute the figures of a round from the files of its export."""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from shlex import join
from typing import Literal

from server.annotation.models import AnnotationRound
from server.annotation.results.tables import list_counted, list_tables

FigureName = Literal["agreement", "intra", "increase", "passes", "rounds", "reliability", "scores", "expert"]
RATING_OPTIONS = ("--unit", "unit", "--annotator", "annotator", "--rating", "rating", "--genre", "genre")
"""The options with which the scorer reads a table of ratings, whose rows are in the order of repeats."""
_CLOCK_OPTIONS = ("--time", "at", "--seconds", "seconds")
AGREE_OPTIONS = (*RATING_OPTIONS, "--by-genre", "--bootstrap", "1000")
"""The options with which `scorer agree` reads the ratings of a pass."""
_CHOICE_OPTIONS = ("--annotator", "annotator", "--tuple", "tuple", "--group", "group")
TURNS = 10
"""The number of ratings for each point of the calibration curve."""


@dataclass(frozen=True, slots=True)
class FigureCommand:
    """A command, without "scorer", and what it computes.

    `pass_slug`: empty if it is about both passes. `other_round`: the slug of the round with which it compares
    this one, if it does.
    """

    name: FigureName
    pass_slug: str
    arguments: tuple[str, ...]
    other_round: str = ""

    @property
    def line(self) -> str:
        """The command as one types it in the folder of the export."""
        return join(("scorer", *self.arguments))


def count_command(name: str) -> str:
    """Return the command that counts the ratings of each value in a table."""
    return f"tail -n +2 {name} | cut -d, -f3 | sort -g | uniq -c"


def list_commands(
    of_round: AnnotationRound, compared: Sequence[AnnotationRound], filled: Container[str] | None = None
) -> list[FigureCommand]:
    """List the commands of a round whose tables have rows: those of `filled`, or by default all.

    `compared`: the rounds with which it is compared.
    """
    names = {key: name for key, name in list_tables(of_round).items() if filled is None or name in filled}
    commands = []
    for number, slug in enumerate(of_round.pass_slugs, 1):
        counted, intra = names.get(("counted", number)), names.get(("repeat", number))
        if counted is not None and of_round.kind == "bws":
            commands += [
                FigureCommand("reliability", slug, ("bws", "reliability", counted, *_CHOICE_OPTIONS)),
                FigureCommand("scores", slug, ("bws", "score", counted, *_CHOICE_OPTIONS)),
            ]
        elif counted is not None:
            commands.append(FigureCommand("agreement", slug, ("agree", counted, *AGREE_OPTIONS)))
        if intra is not None:
            commands.append(FigureCommand("intra", slug, ("agree", intra, *RATING_OPTIONS)))
    both = [names[key] for key in (("counted", 1), ("counted", 2)) if key in names]
    if len(both) == 2 and of_round.kind == "rate":
        options = (*RATING_OPTIONS, "--by-genre")
        curve = ("--curve", "--step", str(TURNS), "--pauses")
        commands += [
            FigureCommand("increase", "", ("context", *both, *options, "--test", "paired")),
            FigureCommand("passes", "", ("rounds", *both, *options, *_CLOCK_OPTIONS, *curve)),
        ]
    for other in compared:
        commands += _compare(of_round, other, names, filled)
    return commands


def _compare(
    of_round: AnnotationRound,
    other: AnnotationRound,
    names: Mapping[tuple[str, int], str],
    filled: Container[str] | None,
) -> Iterator[FigureCommand]:
    """Yield the command for each pass, beside the other round's pass of the same name or else its first."""
    for number, slug in enumerate(of_round.pass_slugs, 1):
        place = other.pass_slugs.index(slug) + 1 if slug in other.pass_slugs else 1
        ours, theirs = names.get(("counted", number)), list_counted(other)[place]
        if ours is None or (filled is not None and theirs not in filled):
            continue
        if of_round.kind == "bws":
            expert = ("bws", "score", ours, *_CHOICE_OPTIONS, "--expert", theirs)
            yield FigureCommand("expert", slug, expert, other.slug)
        else:
            rounds = ("rounds", theirs, ours, *RATING_OPTIONS, "--by-genre")
            yield FigureCommand("rounds", slug, rounds, other.slug)
