"""Reads the rounds of `annotation.toml`, each with its units, passes, calibration units and repeats."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from scorer.bundles.bundle import ScaleSpec
from scorer.bundles.toml_table import Key, TomlTable
from scorer.campaigns.assignments import MAX_PEOPLE
from scorer.campaigns.config import (
    CHOICES,
    Calibration,
    Gate,
    Grouping,
    PassConfig,
    People,
    Repeats,
    RoundConfig,
    RoundKind,
    Unit,
    scale_points,
)
from scorer.campaigns.keys import MAX_QUESTION
from scorer.campaigns.language_keys import require_languages
from scorer.campaigns.scales import read_labels_by_language, read_scale
from scorer.campaigns.size import CampaignSize
from scorer.campaigns.units_reader import (
    GENRE,
    GROUP,
    KEY,
    KNOWN,
    REPORT,
    TEXTS,
    WANTED,
    make_tuples,
    read_senses,
    read_tuples,
    read_units,
)
from scorer.files.reading import read_bytes
from scorer.files.text import SENTENCE_TAGS, Problems, count_noun, shorten

DEFAULT_QUESTIONS = {
    "question": {
        "en": "How similar are these two texts?",
        "cs": "Jak jsou si tyto dva texty podobné?",
        "de": "Wie ähnlich sind sich diese beiden Texte?",
    },
    "marked": {
        "en": "How similar are the two marked sentences?",
        "cs": "Jak jsou si podobné dvě označené věty?",
        "de": "Wie ähnlich sind sich die beiden markierten Sätze?",
    },
    "best": {
        "en": "Which text is most similar?",
        "cs": "Který text je nejpodobnější?",
        "de": "Welcher Text ist am ähnlichsten?",
    },
    "worst": {
        "en": "Which text is least similar?",
        "cs": "Který text je nejméně podobný?",
        "de": "Welcher Text ist am wenigsten ähnlich?",
    },
    "choose": {
        "en": "Choose the most similar sentence (A), one in the middle (B) and the least similar one (C), "
        "and say how similar each is.",
        "cs": "Vyberte nejpodobnější větu (A), větu uprostřed (B) a nejméně podobnou větu (C) a u každé "
        "určete, jak je podobná.",
        "de": "Wählen Sie den ähnlichsten Satz (A), einen in der Mitte (B) und den unähnlichsten (C), und "
        "geben Sie an, wie ähnlich jeder ist.",
    },
    "noun": {"en": "text", "cs": "text", "de": "Text"},
}
_NO_SCALE = ScaleSpec(0.0, 1.0, 1.0)
"""Stands for a scale that is missing or has a problem, which is noted."""
_TEXTS_OF: Mapping[RoundKind, tuple[str, ...]] = {"choose": ("left",), "write": ("left", WANTED)}
"""The columns that units need, beside a key, where these are not pairs of texts."""
_KINDS_WITH: Mapping[str, tuple[RoundKind, ...]] = {
    **dict.fromkeys(("tuples", "best", "worst", "best_label", "worst_label"), ("bws",)),
    **dict.fromkeys(("reports", "highlight"), ("choose",)),
    **dict.fromkeys(("senses", "noun", "words", "examples"), ("write",)),
    **dict.fromkeys(("calibration", "intra"), ("rate",)),
    **dict.fromkeys(("groups", "people", "show"), ("rate", "bws", "write")),
    **dict.fromkeys(("scale", "labels"), ("rate", "choose", "write")),
    "question": ("rate", "choose"),
    "passes": ("rate", "bws"),
}
"""The kinds of rounds that use a key; all kinds use the others."""


@dataclass(frozen=True, slots=True)
class Shared:
    """What the rounds of a campaign share.

    Parameters
    ----------
    entries : tuple of str
        The slugs of the campaign's entries.
    languages : tuple of str
    scale : ScaleSpec or None
    labels : dict of str to dict of float to str
    problems : Problems
        Receives the problems of the files of units and tuples.
    has_scale : bool
        Whether the campaign has a scale, even one with a problem.
    size : CampaignSize
        Counts what the rounds have together.
    """

    entries: tuple[str, ...]
    languages: tuple[str, ...]
    scale: ScaleSpec | None
    labels: dict[str, dict[float, str]]
    problems: Problems
    has_scale: bool = True
    size: CampaignSize = field(default_factory=CampaignSize)


def read_rounds(top: TomlTable, tables: Sequence[TomlTable], shared: Shared) -> tuple[RoundConfig, ...]:
    """Read the rounds of a campaign and note their problems."""
    if not tables:
        top.refuse("round", "missing_key", "is missing; write [[round]] and what annotators are asked")
    rounds: list[RoundConfig] = []
    for table in tables:
        round_ = _read_round(table, shared, {round_.slug: round_ for round_ in rounds})
        if round_.slug and round_.slug in [earlier.slug for earlier in rounds]:
            table.refuse("slug", "bad_slug", f'"{round_.slug}" is the slug of an earlier round already')
        rounds.append(round_)
    return tuple(rounds)


def _read_round(table: TomlTable, shared: Shared, earlier: Mapping[str, RoundConfig]) -> RoundConfig:
    values = table.read()
    kind: RoundKind = values["kind"] or "rate"
    ask = values["ask"].read()
    default = TEXTS if kind == "rate" else ("left",)
    show = _read_show(table, default if values["show"] is None else values["show"])
    passes = _read_passes(values["passes"], show, shared.languages)
    columns = tuple(dict.fromkeys(name for each in passes for name in each.show))
    _check_kind(table, kind)
    scale, labels = _read_scale_of(table, values, shared, kind)
    items = units = _read_units(table, values["units"], columns, shared, _TEXTS_OF.get(kind, TEXTS))
    sentences: tuple[Unit, ...] = ()
    if kind == "bws":
        units = _read_tuples(table, values["tuples"], items, columns, shared)
    elif kind == "choose":
        sentences = _read_reports(table, values, units, shared)
    elif kind == "write":
        items = units = _read_wanted(table, values["senses"], units, scale, shared)
    groups: Grouping = "together" if kind == "choose" else values["groups"]
    if excess := shared.size.add_plan(units, values["answers"]):
        table.refuse("answers", "too_large", excess)
    if groups == "apart":
        _check_groups(table, units, values["answers"], values["people"])
    if values["question"] is None and kind == "rate":
        passes = tuple(_ask_about_marks(each, units, shared.languages) for each in passes)
    unchanged = ("slug", "kind", "answers", "assignment", "people", "order", "seed", "highlight")
    defaults = DEFAULT_QUESTIONS | ({"question": DEFAULT_QUESTIONS["choose"]} if kind == "choose" else {})
    texts = {
        name: _read_texts(values[name], shared.languages, defaults.get(name, {}))
        for name in ("question", "best", "worst", "best_label", "worst_label", "title", "noun")
    }
    read: dict[str, Any] = {name: values[name] for name in unchanged} | ask | texts
    calibration, calibration_file, calibration_units = _read_calibration(
        values["calibration"], columns, items, scale, shared
    )
    return RoundConfig(
        **read,
        entries=_read_entries(table, values["entries"], shared.entries),
        units_file=values["units"],
        tuples_file=values["tuples"] if kind == "bws" else None,
        reports_file=values["reports"] if kind == "choose" else None,
        senses_file=values["senses"] if kind == "write" else None,
        words=_read_words(table, values["words"]),
        examples=read_labels_by_language(values["examples"], shared.languages, scale),
        groups=groups,
        sentences=sentences,
        units=units,
        items=items,
        passes=passes,
        scale=scale,
        labels=labels,
        calibration=calibration,
        calibration_file=calibration_file,
        calibration_units=calibration_units,
        repeats=_read_repeats(values["intra"], values["assignment"], columns, earlier),
    )


def _check_kind(table: TomlTable, kind: RoundKind) -> None:
    """Note keys that do not fit the kind of the round."""
    for name, kinds in _KINDS_WITH.items():
        if name in table.values and kind not in kinds:
            table.refuse(name, "wrong_kind", f"is not used in a round of kind {kind}; leave it out")
    if kind == "choose" and table.values.get("answers") != 1:
        table.refuse("answers", "out_of_range", "must be 1, because one annotator gets all of a group")


def _read_words(table: TomlTable, words: Sequence[int]) -> tuple[int, int] | None:
    """Return the smallest and the largest number of words."""
    if words and (len(words) != 2 or not 1 <= words[0] <= words[1]):
        message = "must be two numbers, such as [1, 3]: the least and the most words"
        table.refuse("words", "out_of_range", message)
        return None
    return (words[0], words[1]) if words else None


def _read_entries(table: TomlTable, names: tuple[str, ...] | None, known: tuple[str, ...]) -> tuple[str, ...]:
    if names is None:
        return known
    for name in names:
        if name not in known:
            message = f'"{name}" is not one of the campaign\'s entries: {", ".join(known)}'
            table.refuse("entries", "unknown_value", message)
    if not names:
        table.refuse(
            "entries", "unknown_value", "names no entry; name at least one, or leave it out for all entries"
        )
    return names


def _read_show(table: TomlTable, names: tuple[str, ...]) -> tuple[str, ...]:
    for name in sorted({KEY, GROUP, GENRE}.intersection(names)):
        message = f'"{name}" is never shown to annotators; name columns of texts, such as left and right'
        table.refuse("show", "unknown_value", message)
    if not names or len(set(names)) < len(names):
        table.refuse(
            "show", "unknown_value", "must name each column once, in the order in which to show them"
        )
    return tuple(name for name in dict.fromkeys(names) if name not in (KEY, GROUP, GENRE)) or TEXTS


def _read_passes(
    tables: Sequence[TomlTable], show: tuple[str, ...], languages: Sequence[str]
) -> tuple[PassConfig, ...]:
    """Return the passes; a round without the key has one without a name."""
    passes: list[PassConfig] = []
    for number, table in enumerate(tables, start=1):
        values = table.read()
        if number == 1:
            for name in {"after_hours", "remind_hours"} & set(table.values):
                table.refuse(name, "unknown_key", "is for the second pass; the first pass begins at once")
        if any(hours < values["after_hours"] for hours in values["remind_hours"]):
            message = f"must not be less than after_hours, {values['after_hours']}: the pass is not open yet"
            table.refuse("remind_hours", "out_of_range", message)
        if values["slug"] in [earlier.slug for earlier in passes]:
            table.refuse("slug", "bad_slug", f'"{values["slug"]}" is the slug of the first pass already')
        shown = show if values["show"] is None else _read_show(table, values["show"])
        remind_hours = tuple(sorted(set(values["remind_hours"])))
        question = _read_texts(values["question"], languages, {})
        passes.append(PassConfig(values["slug"], shown, values["after_hours"], remind_hours, question))
    return tuple(passes) or (PassConfig("", show),)


def _read_scale_of(
    table: TomlTable, values: dict[str, Any], shared: Shared, kind: RoundKind
) -> tuple[ScaleSpec, dict[str, dict[float, str]]]:
    """Return the scale and the labels of a round: its own, or those of the campaign."""
    own = read_scale(values["scale"])
    if "scale" not in table.values and not shared.has_scale and kind != "bws":
        table.refuse(
            "scale", "missing_key", "is missing; give the rating scale as { min = 0, max = 6, step = 1 }"
        )
    scale = own if "scale" in table.values else shared.scale
    if "labels" in table.values:
        return scale or _NO_SCALE, read_labels_by_language(values["labels"], shared.languages, scale)
    return scale or _NO_SCALE, {} if "scale" in table.values else shared.labels


def _read_texts(
    table: TomlTable | None, languages: Sequence[str], defaults: Mapping[str, str]
) -> dict[str, str]:
    """Read a question or a short text in each language of the campaign, or take the default ones."""
    texts = {language: defaults[language] for language in languages if language in defaults}
    if table is None:
        return texts
    require_languages(table, languages)
    for language in languages:
        text = table.value(Key(language, maximum=MAX_QUESTION), "").strip()
        texts |= {language: text} if text else {}
    return texts


def _ask_about_marks(config: PassConfig, units: Sequence[Unit], languages: Sequence[str]) -> PassConfig:
    """Ask about the marked sentences in a pass that shows some and has no question of its own."""
    shows_marks = any(SENTENCE_TAGS[0] in unit.texts.get(name, "") for unit in units for name in config.show)
    question = {language: DEFAULT_QUESTIONS["marked"][language] for language in languages}
    return replace(config, question=question) if shows_marks and not config.question else config


def _read_table(table: TomlTable, name: str | None, shared: Shared, *, of_units: bool = True) -> bytes | None:
    """Return a table of a round; None: there is none, or the campaign is too large, which is noted."""
    if not name or shared.size.is_exceeded:
        return None
    data = read_bytes(str(table.folder / name))
    shared.problems.source = name
    if excess := shared.size.add_table(data, of_units=of_units):
        shared.problems.add(None, "too_large", excess)
        return None
    return data


def _read_units(
    table: TomlTable, name: str | None, show: Sequence[str], shared: Shared, texts: Sequence[str] = TEXTS
) -> tuple[Unit, ...]:
    data = _read_table(table, name, shared, of_units=texts != REPORT)
    return () if data is None else read_units(data, shared.problems, show, texts)


def _read_reports(
    table: TomlTable, values: Mapping[str, Any], units: Sequence[Unit], shared: Shared
) -> tuple[Unit, ...]:
    """Return the sentences of the reports, and note groups from which nobody can choose three."""
    name = values["reports"]
    if name is None:
        message = "is missing; name the table of the reports' sentences: key, group, report and sentence"
        table.refuse("reports", "missing_key", message)
    sentences = _read_units(table, name, (), shared, REPORT)
    groups = Counter(sentence.group for sentence in sentences)
    for unit in units:
        if unit.group is None:
            message = f"the unit {shorten(unit.key)} has no group, which says whose reports it is about"
            table.refuse("units", "empty_field", message)
            break
        if sentences and groups[unit.group] < len(CHOICES):
            message = f"has {count_noun(groups[unit.group], 'sentence')} of the group {shorten(unit.group)}"
            table.refuse("reports", "too_few", f"{message}; an annotator chooses three")
            break
    return sentences


def _read_wanted(
    table: TomlTable, name: str | None, units: Sequence[Unit], scale: ScaleSpec, shared: Shared
) -> tuple[Unit, ...]:
    """Check the wanted ratings of units, and return these with the senses that annotators can choose."""
    points = {f"{point:.12g}" for point in scale_points(scale)}
    for unit in units:
        if scale is not _NO_SCALE and unit.texts[WANTED] not in points:
            message = f"the wanted rating of {shorten(unit.key)} is {shorten(unit.texts[WANTED])}"
            table.refuse("units", "out_of_range", f"{message}, which is not a point of the scale")
            break
    data = _read_table(table, name, shared)
    if data is None:
        return tuple(units)
    senses = read_senses(data, shared.problems)
    for unit in units:
        if senses and unit.key not in senses:
            table.refuse("senses", "too_few", f"has no sense for the unit {shorten(unit.key)}")
            break
    return tuple(replace(unit, candidates=senses.get(unit.key, ())) for unit in units)


def _read_tuples(
    table: TomlTable, name: str | None, items: Sequence[Unit], show: Sequence[str], shared: Shared
) -> tuple[Unit, ...]:
    if not name:
        if "tuples" not in table.values:
            message = "is missing; make it with: scorer bws tuples UNITS --item key --group group"
            table.refuse("tuples", "missing_key", message)
        return ()
    data = _read_table(table, name, shared)
    tuples = () if data is None else read_tuples(data, shared.problems)
    return make_tuples(tuples, items, show, shared.problems) if items else ()


def _check_groups(table: TomlTable, units: Sequence[Unit], answers: int, people: People) -> None:
    """Note a group that a plan cannot keep apart, or for which it would need too many people."""
    sizes = Counter(unit.group for unit in units if unit.group is not None)
    if not sizes:
        return
    group, size = sizes.most_common(1)[0]
    if people == "same" and size > 1:
        message = 'cannot be "same" while groups are apart, because nobody could answer every unit; write '
        table.refuse("people", "wrong_kind", f'{message}groups = "free"')
    if size * answers > MAX_PEOPLE:
        fact = f"the group {shorten(group)} has {size} units, which needs {size * answers} different people"
        message = f'{fact}; the maximum is {MAX_PEOPLE}. Make smaller groups, or write groups = "free"'
        table.refuse("groups", "too_large", message)


def _read_calibration(
    table: TomlTable | None, show: Sequence[str], units: Sequence[Unit], scale: ScaleSpec, shared: Shared
) -> tuple[Calibration | None, str | None, tuple[Unit, ...]]:
    """Return the rules of calibration, its file, and its units."""
    if table is None:
        return None, None, ()
    values = table.read()
    needed = TEXTS if values["need"] is None else (*TEXTS, KNOWN)
    calibration_units = _read_units(table, values["units"], show, shared, needed)
    both = {unit.key for unit in units} & {unit.key for unit in calibration_units}
    if both:
        message = f"{shorten(min(both))} is the key of a unit of the round too; give each its own"
        table.refuse("units", "duplicate_id", message)
    gate = _read_gate(table, values, show, calibration_units, scale)
    return Calibration(values["each_pass"], gate), values["units"], calibration_units


def _read_gate(
    table: TomlTable, values: Mapping[str, Any], show: Sequence[str], units: Sequence[Unit], scale: ScaleSpec
) -> Gate | None:
    """Return the rules of the gate, and note what does not fit; None: all annotators go on."""
    if values["need"] is None:
        for name in ("within", "tries", "feedback"):
            if name in table.values:
                table.refuse(name, "missing_key", "needs need: how many ratings must be near the known ones")
        return None
    if units and values["need"] > len(units):
        message = f"is {values['need']}, and the table has {count_noun(len(units), 'calibration unit')}"
        table.refuse("need", "out_of_range", message)
    if values["within"] < 0:
        table.refuse("within", "out_of_range", f"must not be below 0, and is {values['within']:g}")
    if KNOWN in show:
        message = f'the round shows the column "{KNOWN}", which annotators must not see before they answer'
        table.refuse("units", "unknown_value", message)
    for unit in units:
        if scale is not _NO_SCALE and not _is_on_scale(unit.texts[KNOWN], scale):
            message = f"the known rating of {shorten(unit.key)} is {shorten(unit.texts[KNOWN])}"
            limits = f"which is no number from {scale.min:g} to {scale.max:g}"
            table.refuse("units", "out_of_range", f"{message}, {limits}")
            break
    return Gate(values["need"], values["within"], values["tries"], values["feedback"])


def _is_on_scale(text: str, scale: ScaleSpec) -> bool:
    try:
        return scale.min <= float(text) <= scale.max
    except ValueError:
        return False


def _read_repeats(
    table: TomlTable | None, assignment: int, show: Sequence[str], earlier: Mapping[str, RoundConfig]
) -> Repeats | None:
    if table is None:
        return None
    values = table.read()
    source, or_main = values["from"], values["else"] == "main"
    if source is None and "else" in table.values:
        table.refuse("else", "unknown_key", "needs from: without from, repeats are from this round anyway")
    if source is not None:
        _check_pilot(table, source, show, earlier)
    if (source is None or or_main) and values["n"] > assignment // 2:
        fact = (
            f"is {values['n']}, and only the first half of an assignment of {count_noun(assignment, 'unit')}"
        )
        table.refuse("n", "out_of_range", f"{fact} can be repeated; use at most {assignment // 2}")
    return Repeats(values["n"], source, or_main)


def _check_pilot(
    table: TomlTable, name: str, show: Sequence[str], earlier: Mapping[str, RoundConfig]
) -> None:
    """Note it if repeats cannot be from this round."""
    if name not in earlier or earlier[name].kind != "rate":
        known = (
            ", ".join(slug for slug, round_ in earlier.items() if round_.kind == "rate") or "there is none"
        )
        table.refuse("from", "unknown_value", f'"{name}" is not an earlier round of ratings: {known}')
        return
    missing = [column for column in show if any(column not in unit.texts for unit in earlier[name].units)]
    if missing:
        message = f'the units of "{name}" lack the columns that this round shows: {", ".join(missing)}'
        table.refuse("from", "missing_column", message)
