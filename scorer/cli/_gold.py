"""How a file of gold is written, for the commands that know the items: aligned, or keyed by two columns."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from scorer.errors import RequestError
from scorer.files.reading import KeyedFormat

Command = Callable[..., None]


def gold_options(function: Command) -> Command:
    """Add the options that name the columns of keyed gold; the command gets them as `gold_format`."""

    @click.option("--id", "id_", metavar="COLUMN", help="Keyed gold: the column with the item's id.")
    @click.option("--gold-score", metavar="COLUMN", help="Keyed gold: the column with the gold.")
    @wraps(function)
    def with_format(id_: str | None, gold_score: str | None, **rest: Any) -> None:
        if (id_ is None) != (gold_score is None):
            raise RequestError("keyed gold needs both --id COLUMN and --gold-score COLUMN")
        keyed = KeyedFormat(id_, gold_score) if id_ is not None and gold_score is not None else None
        function(gold_format=keyed, **rest)

    return with_format
