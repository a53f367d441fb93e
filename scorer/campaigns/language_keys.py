"""Checks the keys of tables by language."""

from collections.abc import Sequence

from scorer.bundles.toml_table import TomlTable


def require_languages(table: TomlTable, languages: Sequence[str]) -> None:
    """Note each language of the campaign that a table by language lacks, and each other key."""
    refuse_other_languages(table, languages)
    for language in languages:
        if language not in table.values and any(other in table.values for other in languages):
            message = "is missing; write this text in every language of the campaign"
            table.refuse(language, "missing_key", message)


def refuse_other_languages(table: TomlTable, languages: Sequence[str]) -> None:
    """Note each key of a table by language that is not a language of the campaign."""
    for name in table.values:
        if name not in languages:
            message = f"is not one of the campaign's languages: {', '.join(languages)}"
            table.refuse(name, "unknown_key", message)
