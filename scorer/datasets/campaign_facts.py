"""What a data set says of its campaign: its names, its scale, and the passes of the exported round."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorer.bundles.toml import parse_toml
from scorer.campaigns.reader import CONFIG_NAME
from scorer.errors import BundleError, Problem
from scorer.files.reading import read_bytes

BWS = "bws"
_MANIFEST_NAME = "manifest.json"


@dataclass(frozen=True, slots=True)
class CampaignFacts:
    """What a data set says of its campaign.

    Parameters
    ----------
    slug, title : str
    contact : str
        The email address, or a link, for questions; empty if the campaign has none.
    kind : str
        What the exported round asks for: "rate" or "bws".
    units_file : str
        The name of the file from which the units of the round were made.
    passes : tuple of str
        The slugs of the pass without and of the pass with context; or of one pass without context, "" if it
        has no name.
    scale : (float, float)
        The minimum and maximum rating. (0, 1) for best-worst scores.
    labels : mapping of str to str
        What points of the scale mean, in the first language of the campaign.
    """

    slug: str
    title: str
    contact: str
    kind: str
    units_file: str
    passes: tuple[str, ...]
    scale: tuple[float, float]
    labels: Mapping[str, str]


def read_facts(folder: Path) -> CampaignFacts:
    """Read what the annotation.toml of an export says about the exported round.

    Parameters
    ----------
    folder : Path
        It has annotation.toml, or a folder campaign with it. If there are several rounds, manifest.json says
        which was exported; without it, it is the round that makes gold, or the first one.

    Returns
    -------
    CampaignFacts

    Raises
    ------
    DataError
        If annotation.toml is missing or lacks what a data set needs, or if the passes of the round are not
        one without context, or one without and then one with context.
    """
    path = find_campaign_folder(folder) / CONFIG_NAME
    values = parse_toml(read_bytes(str(path)), path.name)
    try:
        facts = _facts(values, _exported_round(folder, values))
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, StopIteration):
        message = "lacks what a data set needs of the campaign; check it with scorer campaign check"
        raise BundleError([Problem(path.name, None, "missing_key", message)]) from None
    if facts is None:
        message = (
            "the exported round needs a pass without context, and may have a second one that shows "
            "left_context or right_context"
        )
        raise BundleError([Problem(path.name, None, "bad_passes", message)])
    return facts


def find_campaign_folder(folder: Path) -> Path:
    """Return the folder of the campaign's own files: the export, or its folder campaign."""
    return folder if (folder / CONFIG_NAME).exists() else folder / "campaign"


def _exported_round(folder: Path, values: Mapping[str, Any]) -> Mapping[str, Any]:
    rounds: Sequence[Mapping[str, Any]] = values["round"]
    slug = values.get("gold", {}).get("round", rounds[0]["slug"])
    if (folder / _MANIFEST_NAME).exists():
        slug = json.loads((folder / _MANIFEST_NAME).read_bytes())["round"]
    return next(of_round for of_round in rounds if of_round["slug"] == slug)


def _facts(values: Mapping[str, Any], of_round: Mapping[str, Any]) -> CampaignFacts | None:
    """Return the facts; None if the passes of the round are not those of a data set."""
    campaign = values["campaign"]
    passes = of_round.get("passes", [{"slug": ""}])
    in_context = [
        any(column.endswith("_context") for column in each.get("show", of_round.get("show", ())))
        for each in passes
    ]
    if in_context not in ([False], [False, True]):
        return None
    scale, labels = (0.0, 1.0), {}
    if of_round["kind"] != BWS:
        scale_table = of_round.get("scale") or campaign["scale"]
        scale = float(scale_table["min"]), float(scale_table["max"])
        by_language = of_round.get("labels") or campaign.get("labels", {})
        language = campaign.get("languages", [next(iter(by_language), "")])[0]
        labels = {str(point): str(meaning) for point, meaning in by_language.get(language, {}).items()}
    return CampaignFacts(
        str(campaign["slug"]),
        str(campaign["title"]),
        str(campaign.get("contact", "")),
        str(of_round["kind"]),
        str(of_round["units"]),
        tuple(str(each["slug"]) for each in passes),
        scale,
        labels,
    )
