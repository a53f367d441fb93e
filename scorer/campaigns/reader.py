"""Reads `annotation.toml` and the files that it names, and reports every problem at once."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from scorer.bundles.addresses import is_contact
from scorer.bundles.bundle import ScaleSpec
from scorer.bundles.keys.task import SLUG
from scorer.bundles.prose import read_labels, read_prose
from scorer.bundles.toml import parse_toml
from scorer.bundles.toml_table import Key, TomlTable
from scorer.campaigns.assignments import MAX_PEOPLE, MAX_STEPS
from scorer.campaigns.config import (
    CampaignConfig,
    EntryConfig,
    GoldRule,
    RoundConfig,
    Unit,
    scale_points,
)
from scorer.campaigns.keys import (
    ANNOTATION_TOML,
    ENTRY_KEYS,
    LATER_KEYS,
    LATER_TABLES,
    LATER_VALUES,
    MAX_LABEL,
    MAX_QUESTION,
    MAX_SCALE_POINTS,
)
from scorer.campaigns.units_reader import GENRE, GROUP, KEY, TEXTS, read_units
from scorer.errors import BundleError, Problem
from scorer.files.reading import read_bytes
from scorer.files.text import Problems, shorten

CONFIG_NAME = "annotation.toml"
DEFAULT_QUESTION = "How similar are these two texts?"
LANGUAGES = ("en",)
"""The languages of the annotators' pages in this version."""
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")


def read_campaign(path: Path) -> CampaignConfig:
    """Read the configuration of a campaign and its units.

    Parameters
    ----------
    path : Path
        An `annotation.toml`, or the folder that it is in. The files that it names stay inside the folder.

    Returns
    -------
    CampaignConfig
        With all texts and units.

    Raises
    ------
    BundleError
        Lists every problem: unknown or missing keys, wrong values, and bad lines of the table of units. Keys
        and values that come with a later version are refused by name.
    """
    config = path / CONFIG_NAME if path.is_dir() else path
    if not config.is_file():
        message = f"there is no such file; a campaign is a folder with an {CONFIG_NAME}"
        raise BundleError([Problem(config.name, None, "no_file", message)])
    values = parse_toml(read_bytes(str(config)), config.name)
    units = Problems("")
    top = TomlTable(values, "", ANNOTATION_TOML, config.parent, Problems(config.name))
    campaign = _read_top(top, units)
    if campaign is None or top.problems.count or units.count:
        kept = [*top.problems.kept, *sorted(units.kept, key=lambda problem: problem.line or 0)]
        raise BundleError(kept, top.problems.count + units.count)
    return campaign


def _read_top(top: TomlTable, unit_problems: Problems) -> CampaignConfig | None:
    """Turn the parsed TOML into a CampaignConfig and note every problem; None if it has no campaign."""
    for name in LATER_TABLES:
        if name in top.values:
            top.refuse(name, "later_key", "comes with a later version of Assay; leave it out for now")
    top = replace(top, values={name: top.values[name] for name in top.values if name not in LATER_TABLES})
    tables = top.read()
    campaign = None if tables["campaign"] is None else _read_campaign_table(tables["campaign"])
    if campaign is None:
        message = "is missing; a campaign starts with [campaign], its slug and title"
        top.refuse("campaign", "missing_key", message)
    entries = _read_entries(top, tables["entry"])
    rounds = _read_rounds(top, tables["round"], unit_problems)
    gold = None if tables["gold"] is None else _read_gold(tables["gold"], rounds)
    return None if campaign is None else replace(campaign, entries=entries, rounds=rounds, gold=gold)


def _read_campaign_table(table: TomlTable) -> CampaignConfig:
    """Read the campaign itself, without its entries, rounds and gold."""
    values = _read_known(table, "campaign")
    if values["contact"] and not is_contact(values["contact"]):
        advice = "give an email address, or a link that begins with https://"
        table.refuse("contact", "bad_contact", f'"{values["contact"]}" is no address; {advice}')
    languages = _read_languages(table, values)
    scale = _read_scale(values["scale"])
    if ("level" in table.values) != ("split" in table.values):
        given, missing = ("level", "split") if "level" in table.values else ("split", "level")
        table.refuse(given, "missing_key", f"needs {missing}: together they say where the gold goes")
    return CampaignConfig(
        slug=values["slug"],
        title=values["title"],
        contact=values["contact"],
        languages=languages,
        text_language=values["text_language"],
        consent=_read_prose_by_language(values["consent"], languages),
        guide=_read_prose_by_language(values["guide"], languages),
        scale=scale or ScaleSpec(0.0, 1.0, 1.0),
        labels=_read_all_labels(values["labels"], languages, scale),
        level=values["level"],
        split=values["split"],
        entries=(),
        rounds=(),
        gold=None,
    )


def _read_known(table: TomlTable, name: str) -> dict[str, Any]:
    """Read a table after refusing, by name, the keys and values that come with a later version."""
    later = [word for word in LATER_KEYS.get(name, ()) if word in table.values]
    for word in later:
        table.refuse(word, "later_key", "comes with a later version of Assay; leave it out for now")
    keys = []
    for key in table.keys:
        value = table.values.get(key.name)
        if value is not None and _is_later(name, key.name, value):
            written = "a table" if isinstance(value, dict) else f'"{value}"'
            advice = f"use {' or '.join(key.choices)}" if key.choices else key.advice
            message = f"{written} comes with a later version of Assay; {advice}"
            table.refuse(key.name, "later_value", message)
            later.append(key.name)
            keys.append(replace(key, required=False))
        else:
            keys.append(key)
    values = {word: value for word, value in table.values.items() if word not in later}
    return replace(table, values=values, keys=keys).read()


def _is_later(table: str, key: str, value: object) -> bool:
    if (table, key) == ("round", "units"):
        return isinstance(value, dict)
    return isinstance(value, str) and value in LATER_VALUES.get((table, key), ())


def _read_languages(table: TomlTable, values: dict[str, Any]) -> tuple[str, ...]:
    """Return the languages of the pages, without those that are refused."""
    languages: tuple[str, ...] = values["languages"]
    for language in dict.fromkeys(languages):
        if language not in LANGUAGES:
            message = f'"{language}" comes with a later version of Assay; use ["en"]'
            table.refuse("languages", "later_value", message)
    if not languages or len(set(languages)) < len(languages):
        table.refuse("languages", "unknown_value", "must name each language once, the default one first")
    if values["text_language"] and _LANGUAGE.fullmatch(values["text_language"]) is None:
        message = f'"{values["text_language"]}" is not the code of a language, such as "en" or "pt-BR"'
        table.refuse("text_language", "unknown_value", message)
    return tuple(language for language in LANGUAGES if language in languages) or LANGUAGES


def _read_prose_by_language(table: TomlTable | None, languages: Sequence[str]) -> dict[str, str]:
    """Read a text that every language of the pages needs, or the file that it names."""
    if table is None:
        return {}
    _refuse_other_languages(table, languages)
    texts = {}
    for language in languages:
        before = table.problems.count
        texts[language] = read_prose(table, language, table.value(Key(language, "text", required=True), ""))
        if not texts[language].strip() and table.problems.count == before:
            table.refuse(language, "empty_text", "is empty; write the text, or name a file of it")
    return texts


def _read_question(table: TomlTable | None) -> dict[str, str]:
    """Read the question; a language without one has the default question."""
    if table is None:
        return {"en": DEFAULT_QUESTION}
    _refuse_other_languages(table, LANGUAGES)
    keys = [Key(language, "text", "", maximum=MAX_QUESTION) for language in LANGUAGES]
    return {key.name: table.value(key, "").strip() or DEFAULT_QUESTION for key in keys}


def _refuse_other_languages(table: TomlTable, languages: Sequence[str]) -> None:
    for name in table.values:
        if name not in languages:
            message = f"is not one of the campaign's languages: {', '.join(languages)}"
            table.refuse(name, "unknown_key", message)


def _read_scale(table: TomlTable | None) -> ScaleSpec | None:
    """Return the scale; None if it has a problem."""
    if table is None:
        return None
    before = table.problems.count
    values = table.read()
    low, high, step = values["min"], values["max"], values["step"]
    if table.problems.count > before:
        return None
    if not low < high:
        table.refuse("max", "out_of_range", f"must be above min, {low:g}")
    elif not 0 < step <= high - low:
        table.refuse("step", "out_of_range", "must be above 0 and at most max - min")
    elif (high - low) / step + 1 > MAX_SCALE_POINTS:
        table.refuse("step", "out_of_range", f"gives more than {MAX_SCALE_POINTS} points; use a larger one")
    elif (Decimal(str(high)) - Decimal(str(low))) % Decimal(str(step)):
        table.refuse("step", "out_of_range", f"must divide max - min, {high - low:g}, without a remainder")
    else:
        return ScaleSpec(low, high, step)
    return None


def _read_all_labels(
    table: TomlTable | None, languages: Sequence[str], scale: ScaleSpec | None
) -> dict[str, dict[float, str]]:
    if table is None:
        return {}
    _refuse_other_languages(table, languages)
    labels = {}
    for language in languages:
        of_language = table.value(Key(language, "table"))
        if of_language is None:
            continue
        labels[language] = dict(read_labels(of_language))
        for point, label in labels[language].items():
            if len(label) > MAX_LABEL:
                message = f"has {len(label)} characters; use at most {MAX_LABEL}"
                of_language.refuse(f"{point:g}", "too_long", message)
            if scale is not None and point not in scale_points(scale):
                message = f"is not a point of the scale from {scale.min:g} to {scale.max:g}"
                of_language.refuse(f"{point:g}", "out_of_range", message)
    return labels


def _read_entries(top: TomlTable, table: TomlTable) -> tuple[EntryConfig, ...]:
    entries = []
    for name in table.values:
        if SLUG.fullmatch(name) is None:
            message = (
                "is not a name of lower-case letters, digits and inner hyphens, of at most 64 characters"
            )
            table.refuse(name, "bad_slug", message)
        values = _read_known(table.value(Key(name, "table", keys=ENTRY_KEYS)), "entry")
        entries.append(EntryConfig(name, **values))
    if not entries:
        top.refuse("entry", "missing_key", "is missing; name a way in, such as [entry.students]")
    return tuple(entries)


def _read_rounds(
    top: TomlTable, tables: Sequence[TomlTable], unit_problems: Problems
) -> tuple[RoundConfig, ...]:
    if not tables:
        top.refuse("round", "missing_key", "is missing; write [[round]] and what annotators are asked")
    if len(tables) > 1:
        message = f"is there {len(tables)} times; several rounds come with a later version of Assay"
        top.refuse("round", "later_key", message)
    return tuple(_read_round(table, unit_problems) for table in tables[:1])


def _read_round(table: TomlTable, unit_problems: Problems) -> RoundConfig:
    values = _read_known(table, "round")
    ask = _read_known(values["ask"], "ask")
    show = _read_show(table, values["show"])
    units = _read_units(table.folder, values["units"], show, unit_problems)
    if len(units) * values["answers"] > MAX_STEPS:
        fact = f"{len(units)} units need {len(units) * values['answers']} answers"
        table.refuse("answers", "too_large", f"{fact}; the maximum is {MAX_STEPS}. Make several campaigns")
    if values["groups"] == "apart":
        _check_groups(table, units, values["answers"])
    return RoundConfig(
        slug=values["slug"],
        kind=values["kind"],
        units_file=values["units"],
        units=units,
        show=show,
        question=_read_question(values["question"]),
        comment=ask["comment"],
        cannot_judge=ask["cannot_judge"],
        answers=values["answers"],
        assignment=values["assignment"],
        groups=values["groups"],
        order=values["order"],
        seed=values["seed"],
    )


def _read_show(table: TomlTable, names: tuple[str, ...]) -> tuple[str, ...]:
    for name in sorted({KEY, GROUP, GENRE}.intersection(names)):
        message = f'"{name}" is never shown to annotators; name columns of texts, such as left and right'
        table.refuse("show", "unknown_value", message)
    if not names or len(set(names)) < len(names):
        table.refuse(
            "show", "unknown_value", "must name each column once, in the order in which to show them"
        )
    return tuple(name for name in dict.fromkeys(names) if name not in (KEY, GROUP, GENRE)) or TEXTS


def _read_units(folder: Path, name: str, show: Sequence[str], problems: Problems) -> tuple[Unit, ...]:
    if not name:
        return ()
    problems.source = name
    return read_units(read_bytes(str(folder / name)), problems, show)


def _check_groups(table: TomlTable, units: Sequence[Unit], answers: int) -> None:
    """Note a group that is so large that a plan would need too many people."""
    sizes = Counter(unit.group for unit in units if unit.group is not None)
    if not sizes:
        return
    group, size = sizes.most_common(1)[0]
    if size * answers > MAX_PEOPLE:
        fact = f"the group {shorten(group)} has {size} units, which needs {size * answers} different people"
        message = f'{fact}; the maximum is {MAX_PEOPLE}. Make smaller groups, or write groups = "free"'
        table.refuse("groups", "too_large", message)


def _read_gold(table: TomlTable, rounds: Sequence[RoundConfig]) -> GoldRule:
    values = _read_known(table, "gold")
    slugs = [round_.slug for round_ in rounds]
    if values["round"] and slugs and values["round"] not in slugs:
        table.refuse("round", "unknown_value", f'"{values["round"]}" is not one of {", ".join(slugs)}')
    answers = rounds[0].answers if rounds else values["at_least"] or 1
    at_least = answers if values["at_least"] is None else values["at_least"]
    if at_least > answers:
        message = f"is {at_least}, and each unit gets {answers} answers; use at most {answers}"
        table.refuse("at_least", "out_of_range", message)
    return GoldRule(values["round"], values["rule"], at_least)
