"""What a data set says of its campaign: its names, its scale, and the exported round."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from scorer.campaigns.config import CampaignConfig, RoundConfig
from scorer.campaigns.reader import CONFIG_NAME, read_campaign
from scorer.errors import BundleError, Problem

BWS = "bws"
_MANIFEST_NAME = "manifest.json"


@dataclass(frozen=True, slots=True)
class CampaignFacts:
    """A campaign and its exported round.

    Parameters
    ----------
    campaign : CampaignConfig
    round : RoundConfig
        It has one pass without context, or one without and then one with context.
    """

    campaign: CampaignConfig
    round: RoundConfig

    @property
    def scale(self) -> tuple[float, float]:
        """The minimum and maximum rating; those of best-worst scores are 0 and 1."""
        scale = self.round.scale
        return (0.0, 1.0) if self.round.kind == BWS else (scale.min, scale.max)

    @property
    def at_least(self) -> int:
        """The minimum number of answers for a gold label of the round; 1 if the round makes no gold."""
        gold = self.campaign.gold
        return 1 if gold is None or gold.round != self.round.slug else gold.at_least

    @property
    def labels(self) -> Mapping[str, str]:
        """What points of the scale mean, in the first language of the campaign."""
        if self.round.kind == BWS:
            return {}
        labels = self.round.labels.get(self.campaign.languages[0], {})
        return {f"{point:g}": meaning for point, meaning in labels.items()}


def read_facts(folder: Path) -> CampaignFacts:
    """Read the campaign of an export, and which of its rounds was exported.

    Parameters
    ----------
    folder : Path
        It has annotation.toml with the files that it names, or a folder campaign with them. If there are
        several rounds, manifest.json says which was exported; without it, it is the round that makes gold, or
        the first one.

    Returns
    -------
    CampaignFacts

    Raises
    ------
    DataError
        If the campaign has problems, or if the passes of the round are not one without context, or one
        without and then one with context.
    """
    campaign, round_ = find_exported_round(folder)
    in_context = [any(column.endswith("_context") for column in each.show) for each in round_.passes]
    if in_context not in ([False], [False, True]):
        message = (
            "the exported round needs a pass without context, and may have a second one that shows "
            "left_context or right_context"
        )
        raise BundleError([Problem(CONFIG_NAME, None, "bad_passes", message)])
    return CampaignFacts(campaign, round_)


def find_exported_round(folder: Path) -> tuple[CampaignConfig, RoundConfig]:
    """Read the campaign of an export, and which of its rounds was exported; see `read_facts`."""
    campaign = read_campaign(folder if (folder / CONFIG_NAME).exists() else folder / "campaign")
    path = folder / _MANIFEST_NAME
    if not path.exists():
        return campaign, campaign.gold_round
    try:
        manifest = json.loads(path.read_bytes())
        files = dict(manifest.get("files", {}))
        found = next(round_ for round_ in campaign.rounds if round_.slug == manifest["round"])
    except (AttributeError, KeyError, TypeError, ValueError, StopIteration):
        message = f"names no round of {CONFIG_NAME}; export the round again"
        raise BundleError([Problem(path.name, None, "bad_manifest", message)]) from None
    changed = [name for name, sha256 in files.items() if _hash_file(folder / name) != sha256]
    if changed:
        message = f"not the file that was exported, as {path.name} shows; unpack the export again"
        raise BundleError([Problem(name, None, "bad_manifest", message) for name in changed])
    return campaign, found


def _hash_file(path: Path) -> str | None:
    """Return the SHA-256 of a file; None if it is missing."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
