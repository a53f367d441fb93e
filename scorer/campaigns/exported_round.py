"""Finds out which round of a campaign an export is of, and reads its tables."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from scorer.campaigns.config import CampaignConfig, RoundConfig, Unit
from scorer.campaigns.reader import CONFIG_NAME, read_campaign
from scorer.campaigns.units_reader import read_table
from scorer.errors import BundleError, Problem
from scorer.files.reading import read_bytes
from scorer.files.tables import find_columns, strip_rows
from scorer.files.text import Problems, shorten

_MANIFEST_NAME = "manifest.json"


def find_exported_round(folder: Path) -> tuple[CampaignConfig, RoundConfig]:
    """Read the campaign of an export, and which of its rounds was exported.

    Parameters
    ----------
    folder : Path
        It has annotation.toml with the files that it names, or a folder campaign with them. If there are
        several rounds, manifest.json says which was exported; without it, it is the round that makes gold, or
        the first one.

    Returns
    -------
    CampaignConfig, RoundConfig

    Raises
    ------
    DataError
        If the campaign has problems, or files are not those that manifest.json lists.
    """
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


def read_export_table(path: Path, columns: Sequence[str]) -> list[dict[str, str]]:
    """Read columns of a table of an export, which has tabs between its columns.

    Raises
    ------
    DataError
        If the file is missing, lacks a column, or has rows of another width.
    """
    problems = Problems(path.name)
    rows = read_table(read_bytes(str(path)), problems, "every line is one row", "tab")
    problems.raise_as(BundleError)
    header, *body = rows
    places = find_columns(header, columns, problems)
    problems.raise_as(BundleError)
    found = [
        {name: fields[place] for name, place in places.items()}
        for _, fields in strip_rows(body, len(header[1]), problems)
    ]
    problems.raise_as(BundleError)
    return found


def get_exported(known: Mapping[str, Unit], key: str, source: str) -> Unit:
    """Return what a table of an export names by its key; raise BundleError if the campaign lacks it."""
    if key not in known:
        message = f"{shorten(key)} is not in the campaign of the export; export the round again"
        raise BundleError([Problem(source, None, "unknown_id", message)])
    return known[key]
