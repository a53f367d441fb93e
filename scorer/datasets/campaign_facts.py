"""What a data set says of its campaign: its names, its scale, and the exported round."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from scorer.campaigns.config import CampaignConfig, RoundConfig
from scorer.campaigns.exported_round import find_exported_round
from scorer.campaigns.reader import CONFIG_NAME
from scorer.errors import BundleError, Problem

BWS = "bws"


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
        If the campaign has problems, if annotators chose or wrote in the round, or if its passes are not one
        without context, or one without and then one with context.
    """
    campaign, round_ = find_exported_round(folder)
    if round_.kind in ("choose", "write"):
        message = f"the exported round is one of kind {round_.kind}; make the campaign in which its pairs are"
        message += " rated (`scorer campaign next`), and use the export of that one"
        raise BundleError([Problem(CONFIG_NAME, None, "wrong_kind", message)])
    in_context = [any(column.endswith("_context") for column in each.show) for each in round_.passes]
    if in_context not in ([False], [False, True]):
        message = (
            "the exported round needs a pass without context, and may have a second one that shows "
            "left_context or right_context"
        )
        raise BundleError([Problem(CONFIG_NAME, None, "bad_passes", message)])
    return CampaignFacts(campaign, round_)
