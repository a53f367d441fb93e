"""A draft as JSON, for a job and for the process that writes its files."""

from collections.abc import Mapping
from typing import Any

from scorer.campaigns.drafts.draft import CampaignDraft


def read_draft(values: Mapping[str, Any]) -> CampaignDraft:
    """Return the draft whose fields were written as JSON, which has neither tuples nor numbers as keys."""
    tuples = {name: tuple(values[name]) for name in ("roles", "languages")}
    rows = tuple(map(tuple, values["rows"]))
    labels = {float(point): label for point, label in values["labels"].items()}
    return CampaignDraft(**{**values, **tuples, "rows": rows, "labels": labels})
