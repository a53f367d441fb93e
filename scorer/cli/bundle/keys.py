"""`scorer bundle keys`: explains every key of `task.toml`."""

import click

from scorer.cli._key_reference import FORMATS, KeyReference
from scorer.cli._options import StrictCommand, format_option

SCHEMA = "assay.bundle-keys/1"


@click.command("keys", cls=StrictCommand)
@click.argument("names", nargs=-1)
@format_option(FORMATS, "tsv has one line per key; json has one object per table.")
def command(*, names: tuple[str, ...], format_: str) -> None:
    """Explain every key of task.toml.

    This prints the meaning, the type, the default and an example of each key. NAMES limits the output to
    some tables or keys, such as phase or level.columns or phase.closes. The keys of the three splits of a
    level are the same and are called level.SPLIT.

    \b
    Examples:
      scorer bundle keys
      scorer bundle keys phase level.SPLIT
      scorer bundle keys --format tsv

    \b
    Exit codes:
      0  success
      1  bad data
      2  usage error
    """
    from scorer.bundles.key_reference import list_key_sections

    reference = KeyReference("task.toml", "scorer bundle keys", SCHEMA, list_key_sections())
    reference.print_keys([_any_split(name) for name in names], format_)


def _any_split(name: str) -> str:
    """Return the name under which a table or key is listed: brackets are left out, and any split is SPLIT."""
    parts = name.strip("[]").split(".")
    splits = ("trial", "training", "test")
    return ".".join("SPLIT" if at and part in splits else part for at, part in enumerate(parts))
