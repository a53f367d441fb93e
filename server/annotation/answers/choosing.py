"""The question of a step that asks for three sentences of the reports of an incident, each with a rating."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from sqlalchemy import select
from sqlalchemy.orm import Session

from scorer.campaigns.config import CHOICES
from scorer.campaigns.highlights import find_highlights
from server.annotation.answers.questions import ScalePoint, build_points, in_language
from server.annotation.answers.rules import Choice, Picks
from server.annotation.models import Step, Unit
from server.core.i18n import N_, _

SLOTS = dict(zip(CHOICES, (N_("Most similar"), N_("In the middle"), N_("Least similar")), strict=True))
"""What is chosen, by the name of its field; the field of its rating has "_rating" behind the name."""
_PROBLEMS = {
    "A": N_("Choose the most similar sentence (A)."),
    "B": N_("Choose a sentence in the middle (B)."),
    "C": N_("Choose the least similar sentence (C)."),
}


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a report: what the form sends, and its text, of which some parts are highlighted."""

    place: str
    key: str
    parts: tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True)
class IncidentReport:
    """A report with its sentences."""

    sentences: tuple[Sentence, ...]

    @property
    def hits(self) -> int:
        """The number of highlighted words."""
        return sum(marked for sentence in self.sentences for _text, marked in sentence.parts)


@dataclass(frozen=True, slots=True)
class ChooseQuestion:
    """What is asked about a sentence of a summary."""

    text: str
    points: tuple[ScalePoint, ...]
    reports: tuple[IncidentReport, ...]
    incident: int
    """A number of the incident, within which a page shows the report that the page before showed."""
    highlight: bool
    comment: bool
    cannot_judge: bool
    one_press = False
    """Whether a choice answers and goes on."""
    slots = SLOTS
    template = "annotation/annotators/_choices.html"

    @property
    def sentences(self) -> dict[str, Sentence]:
        """All sentences by what the form sends."""
        return {sentence.place: sentence for report in self.reports for sentence in report.sentences}

    def fill_in(self, picks: Picks) -> dict[str, str]:
        """Return the fields of an earlier answer."""
        places = {sentence.key: place for place, sentence in self.sentences.items()}
        values = {point.number: point.value for point in self.points}
        fields = {slot: places[key] for slot, (key, _rating) in picks.items()}
        return fields | {f"{slot}_rating": values[rating] for slot, (_key, rating) in picks.items()}

    def read(self, form: Mapping[str, str], problems: list[str]) -> Choice:
        """Return what was chosen, and note what is missing."""
        sentences, points = self.sentences, {point.value: point.number for point in self.points}
        picks = {}
        for slot, missing in _PROBLEMS.items():
            sentence, rating = sentences.get(form.get(slot, "")), points.get(form.get(f"{slot}_rating", ""))
            if sentence is None:
                problems.append(_(missing))
            elif rating is None:
                problems.append(_("Rate the sentence %(slot)s.", slot=slot))
            else:
                picks[slot] = [sentence.key, rating]
        if len({key for key, _rating in picks.values()}) < len(picks):
            problems.append(_("A, B and C must be three different sentences."))
        return {"picks": picks}


def build_choose_question(session: Session, step: Step, language: str) -> ChooseQuestion:
    """Build the question of a step, with the reports of its incident."""
    round_ = step.assignment.plan.round
    rules, campaign = round_.rules, round_.campaign
    query = select(Unit).where(
        Unit.round_id == round_.id, Unit.role == "sentence", Unit.group == step.unit.group
    )
    units = session.scalars(query.order_by(Unit.position)).all()
    spans = find_highlights(step.unit.texts["left"], [unit.texts["sentence"] for unit in units])
    if not rules.highlight:
        spans = [[] for _unit in units]
    sentences = [
        (unit.texts["report"], Sentence(str(number), unit.key, _split(unit.texts["sentence"], marked)))
        for number, (unit, marked) in enumerate(zip(units, spans, strict=True), 1)
    ]
    return ChooseQuestion(
        str(in_language(campaign, rules.question, language)),
        build_points(round_, language),
        _make_reports(sentences),
        units[0].id,
        rules.highlight,
        rules.comment,
        rules.cannot_judge,
    )


def _make_reports(sentences: Iterable[tuple[str, Sentence]]) -> tuple[IncidentReport, ...]:
    """Return the reports in the order of their first sentences; their names are on no page."""
    by_name: dict[str, list[Sentence]] = {}
    for name, of_report in groupby(sentences, key=lambda each: each[0]):
        by_name.setdefault(name, []).extend(sentence for _name, sentence in of_report)
    return tuple(IncidentReport(tuple(of_report)) for of_report in by_name.values())


def _split(text: str, spans: Sequence[tuple[int, int]]) -> tuple[tuple[str, bool], ...]:
    """Split a text into parts, and say of each whether it is highlighted."""
    parts, end = [], 0
    for start, stop in spans:
        parts += [(text[end:start], False), (text[start:stop], True)]
        end = stop
    return tuple((part, marked) for part, marked in [*parts, (text[end:], False)] if part)
