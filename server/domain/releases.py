"""Rules of releases that need no database."""

from collections.abc import Mapping
from typing import Any

NOTE_MOST = 1000
"""Characters that a word to the readers may have."""


def may_tell_genres(rules: Mapping[str, Any]) -> bool:
    """Whether a release by hand may tell values by genre, and ranks without one: more than its board tells.

    As baselines, they wait until the last deadline on the items is over, or the gold is public.
    """
    return bool(rules.get("baselines", True) or rules.get("opens_gold", False))
