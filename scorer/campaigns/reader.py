"""Reads `annotation.toml` and the files that it names, and reports every problem at once."""

import re
from collections.abc import Container, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from scorer.bundles.addresses import is_contact, is_web_address
from scorer.bundles.prose import read_prose
from scorer.bundles.toml import parse_toml
from scorer.bundles.toml_table import SLUG, SLUG_WORDS, Key, TomlTable
from scorer.campaigns.config import LANGUAGES, CampaignConfig, EntryConfig, GoldRule, RoundConfig
from scorer.campaigns.keys import ANNOTATION_TOML, ENTRY_KEYS, MAX_ANSWERS, MAX_ENTRIES, MAX_PROSE
from scorer.campaigns.language_keys import refuse_other_languages
from scorer.campaigns.round_reader import Shared, read_rounds
from scorer.campaigns.scales import read_labels_by_language, read_scale
from scorer.errors import BundleError, Problem
from scorer.files.reading import read_bytes
from scorer.files.text import Problems

CONFIG_NAME = "annotation.toml"
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_OF_CROWD = ("person", "done", "failed", "back")
"""The keys of an entry that a crowd needs, beside lease_hours, and that no other kind of entry has."""


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
        Lists every problem: unknown or missing keys, wrong values, and bad lines of the table of units.
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
        # Two rounds can read one file, whose problems are listed once.
        of_files = dict.fromkeys(sorted(units.kept, key=lambda each: (each.source, each.line or 0)))
        repeated = len(units.kept) - len(of_files)
        raise BundleError([*top.problems.kept, *of_files], top.problems.count + units.count - repeated)
    return campaign


def _read_top(top: TomlTable, unit_problems: Problems) -> CampaignConfig | None:
    """Turn the parsed TOML into a CampaignConfig and note every problem; None if it has no campaign."""
    tables = top.read()
    if tables["campaign"] is None:
        message = "is missing; a campaign starts with [campaign], its slug and title"
        top.refuse("campaign", "missing_key", message)
        campaign, shared = None, Shared((), LANGUAGES[:1], None, {}, unit_problems)
    else:
        campaign, shared = _read_campaign_table(tables["campaign"], unit_problems)
    entries = _read_entries(top, tables["entry"])
    shared = replace(shared, entries=tuple(entry.slug for entry in entries))
    rounds = read_rounds(top, tables["round"], shared)
    with_answers = [each.values.get("slug") for each in tables["round"] if _has_answers(each)]
    gold = None if tables["gold"] is None else _read_gold(tables["gold"], rounds, with_answers)
    return None if campaign is None else replace(campaign, entries=entries, rounds=rounds, gold=gold)


def _read_campaign_table(table: TomlTable, unit_problems: Problems) -> tuple[CampaignConfig, Shared]:
    """Read the campaign itself, without its entries, rounds and gold, and what its rounds share."""
    values = table.read()
    if values["contact"] and not is_contact(values["contact"]):
        advice = "give an email address, or a link that begins with https://"
        table.refuse("contact", "bad_contact", f'"{values["contact"]}" is no address; {advice}')
    languages = _read_languages(table, values)
    scale = read_scale(values["scale"])
    if ("level" in table.values) != ("split" in table.values):
        given, missing = ("level", "split") if "level" in table.values else ("split", "level")
        table.refuse(given, "missing_key", f"needs {missing}: together they say where the gold goes")
    labels = read_labels_by_language(values["labels"], languages, scale)
    unchanged = ("slug", "title", "contact", "text_language", "level", "split")
    campaign = CampaignConfig(
        **{name: values[name] for name in unchanged},
        languages=languages,
        consent=_read_prose_by_language(values["consent"], languages),
        guide=_read_prose_by_language(values["guide"], languages),
        entries=(),
        rounds=(),
        gold=None,
    )
    return campaign, Shared((), languages, scale, labels, unit_problems, has_scale="scale" in table.values)


def _read_languages(table: TomlTable, values: dict[str, Any]) -> tuple[str, ...]:
    """Return the languages of the pages, without those that are refused."""
    languages: tuple[str, ...] = values["languages"]
    for language in dict.fromkeys(languages):
        if language not in LANGUAGES:
            message = f'"{language}" is not one of the languages of the pages: {", ".join(LANGUAGES)}'
            table.refuse("languages", "unknown_value", message)
    if not languages or len(set(languages)) < len(languages):
        table.refuse("languages", "unknown_value", "must name each language once, the default one first")
    if values["text_language"] and _LANGUAGE.fullmatch(values["text_language"]) is None:
        message = f'"{values["text_language"]}" is not the code of a language, such as "en" or "pt-BR"'
        table.refuse("text_language", "unknown_value", message)
    known = tuple(dict.fromkeys(language for language in languages if language in LANGUAGES))
    return known or LANGUAGES[:1]


def _read_prose_by_language(table: TomlTable | None, languages: Sequence[str]) -> dict[str, str]:
    """Read a text that every language of the pages needs, or the file that it names."""
    if table is None:
        return {}
    refuse_other_languages(table, languages)
    texts = {}
    for language in languages:
        before = table.problems.count
        texts[language] = read_prose(table, language, table.value(Key(language, required=True), ""))
        if not texts[language].strip() and table.problems.count == before:
            table.refuse(language, "empty_text", "is empty; write the text, or name a file of it")
        if len(texts[language]) > MAX_PROSE:
            message = f"has {len(texts[language])} characters; use at most {MAX_PROSE}"
            table.refuse(language, "too_long", message)
    return texts


def _read_entries(top: TomlTable, table: TomlTable) -> tuple[EntryConfig, ...]:
    entries = []
    if len(table.values) > MAX_ENTRIES:
        top.refuse("entry", "too_many", f"has {len(table.values)} entries; use at most {MAX_ENTRIES}")
    for name in list(table.values)[:MAX_ENTRIES]:
        if SLUG.fullmatch(name) is None:
            table.refuse(name, "bad_slug", f"is not a short name; use {SLUG_WORDS[SLUG]}")
        entry = table.value(Key(name, "table", keys=ENTRY_KEYS))
        entries.append(EntryConfig(name, **entry.read()))
        _check_entry(entry, entries[-1])
    if not entries:
        top.refuse("entry", "missing_key", "is missing; name a way in, such as [entry.students]")
    return tuple(entries)


def _check_entry(table: TomlTable, entry: EntryConfig) -> None:
    """Note keys that the kind of the entry lacks, or that do not fit it, and wrong values of them."""
    if entry.kind != "crowd":
        for name in sorted(table.values.keys() & set(_OF_CROWD)) if entry.kind else ():
            table.refuse(name, "wrong_kind", f"is not used in an entry of kind {entry.kind}; leave it out")
        return
    for name in ("lease_hours", *_OF_CROWD):
        if name not in table.values:
            table.refuse(name, "missing_key", "is missing; an entry of kind crowd needs it")
    for name in ("person", "done", "failed"):
        text = getattr(entry, name)
        if text is not None and _NAME.fullmatch(text) is None:
            message = f'"{text}" must have 1 to 64 letters, digits, hyphens or underscores'
            table.refuse(name, "unknown_value", message)
    if entry.done is not None and entry.done == entry.failed:
        table.refuse("failed", "unknown_value", "is the code of done, too; give each its own")
    if entry.back is not None and not (
        "{code}" in entry.back and is_web_address(entry.back.replace("{code}", "x"))
    ):
        message = (
            f'"{entry.back}" is no address that begins with https:// and has {{code}} where the code goes'
        )
        table.refuse("back", "unknown_value", message)


def _has_answers(round_: TomlTable) -> bool:
    """Whether a round says how many answers a unit gets, and that number is allowed."""
    answers = round_.values.get("answers")
    return type(answers) is int and 1 <= answers <= MAX_ANSWERS


def _read_gold(table: TomlTable, rounds: Sequence[RoundConfig], with_answers: Container[Any]) -> GoldRule:
    """Read the rule for gold; `with_answers`: the rounds with a valid number of answers for each unit."""
    values = table.read()
    slugs = [round_.slug for round_ in rounds]
    if values["round"] and slugs and values["round"] not in slugs:
        table.refuse(
            "round", "unknown_value", f'"{values["round"]}" is not one of the rounds: {", ".join(slugs)}'
        )
    round_ = next((round_ for round_ in rounds if round_.slug == values["round"]), None)
    if round_ is None:
        return GoldRule(values["round"], "", values["rule"], values["at_least"] or 1)
    at_least = round_.answers if values["at_least"] is None else values["at_least"]
    if at_least > round_.answers and round_.slug in with_answers:
        message = f"is {at_least}, and each unit gets {round_.answers} answers; use at most {round_.answers}"
        table.refuse("at_least", "out_of_range", message)
    if round_.kind in ("choose", "write"):
        message = f'"{round_.slug}" is a round of kind {round_.kind}, which gives no gold'
        table.refuse("round", "unknown_value", f"{message}; its pairs are rated in another campaign")
    elif values["rule"] and (values["rule"] == "bws") != (round_.kind == "bws"):
        rules = "bws" if round_.kind == "bws" else "mean or median"
        message = f'"{values["rule"]}" does not fit a round of kind {round_.kind}; use {rules}'
        table.refuse("rule", "unknown_value", message)
    passes = [each.slug for each in round_.passes]
    if values["pass"] is not None and values["pass"] not in passes:
        known = ", ".join(filter(None, passes)) or "none: the round has one pass without a name"
        table.refuse("pass", "unknown_value", f'"{values["pass"]}" is not one of the passes: {known}')
    return GoldRule(values["round"], values["pass"] or passes[0], values["rule"], at_least)
