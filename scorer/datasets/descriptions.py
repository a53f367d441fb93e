"""The texts of a data set: README, data card, and the task.toml with which a site hosts it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scorer.bundles.placeholders import PLACEHOLDER_WORD, PLACEHOLDER_YEAR
from scorer.datasets.campaign_facts import CampaignFacts

_README, _DATA_CARD = (
    Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("readme.md", "data-card.md")
)


@dataclass(frozen=True, slots=True)
class HostedLevel:
    """A level of the task.

    Parameters
    ----------
    slug, title : str
    columns : sequence of str
        The columns of its items.
    test : str
        The file with the gold labels; the file with the items has the same name, in the folder items.
    training : bool
        Whether the training pairs are of this level.
    """

    slug: str
    title: str
    columns: Sequence[str]
    test: str
    training: bool = False


def write_readme(
    facts: CampaignFacts,
    rows: Mapping[str, int],
    about: Mapping[str, str],
    columns: str,
    option: str = "",
) -> str:
    """Write the README.

    Parameters
    ----------
    facts : CampaignFacts
    rows : mapping of str to int
        The number of rows of each file.
    about : mapping of str to str
        What each possible file has, in the order of the README.
    columns : str
        What the columns mean, in Markdown.
    option : str
        An option of `scorer figures`, after a space.

    Returns
    -------
    str
    """
    low, high = facts.scale
    files = [f"| `{name}` | {rows[name]} | {text} |" for name, text in about.items() if name in rows]
    return _README.format(
        title=facts.campaign.title,
        low=low,
        high=high,
        files="\n".join(files),
        columns=columns,
        option=option,
    )


def write_data_card(facts: CampaignFacts, paragraphs: Sequence[str]) -> str:
    """Write the data card: what the program knows, and a list of what only the organizers know."""
    low, high = facts.scale
    labels = "".join(f"- {point}: {meaning}\n" for point, meaning in facts.labels.items())
    return _DATA_CARD.format(
        title=facts.campaign.title,
        low=low,
        high=high,
        labels=f"{labels}\n" if labels else "",
        facts="".join(f"{paragraph}\n\n" for paragraph in paragraphs).removesuffix("\n"),
    )


def write_task_toml(
    facts: CampaignFacts, metrics: Sequence[str], gold: str, levels: Sequence[HostedLevel]
) -> str:
    """Write a task.toml that hosts the test items, with placeholders for what the campaign does not say.

    Parameters
    ----------
    facts : CampaignFacts
    metrics : sequence of str
        The metrics; the first one is official.
    gold : str
        The column of the gold label.
    levels : sequence of HostedLevel

    Returns
    -------
    str
    """
    low, high = facts.scale
    labels = ", ".join(f"{_text(point)} = {_text(meaning)}" for point, meaning in facts.labels.items())
    lines = [
        "[task]",
        f"slug = {_text(facts.campaign.slug)}",
        f"title = {_text(facts.campaign.title)}",
        'description = "data-card.md"',
        'terms = "none"',
        f'licence = "{PLACEHOLDER_WORD}: the licence of the data"',
        f'organizers = "{PLACEHOLDER_WORD}: the names of the organizers"',
        f"contact = {_text(facts.campaign.contact or f'{PLACEHOLDER_WORD}: an email address or a link')}",
        f"scale = {{ min = {low:g}, max = {high:g} }}",
        *([f"labels = {{ {labels} }}"] if labels else []),
        f"metrics = {_text(list(metrics))}",
        'run_format = "keyed"  # a run has a header and a row for each item',
        f'keyed = {{ id = "id", score = "score", gold = "{gold}" }}',
        *(line for level in levels for line in _level(level)),
        "",
        "[[phase]]",
        'slug = "evaluation"',
        'split = "test"',
        f"opens = {PLACEHOLDER_YEAR}-01-01T00:00:00Z",
        f"closes = {PLACEHOLDER_YEAR}-01-31T23:59:59-12:00  # anywhere on earth",
        'feedback = "hidden"',
    ]
    return "".join(f"{line}\n" for line in lines)


_TRAINING = 'training = { items = "train.tsv", gold = "gold/train.tsv", public_gold = true }'


def _level(level: HostedLevel) -> list[str]:
    columns = ", ".join(f'{name} = "{name}"' for name in level.columns)
    return [
        "",
        "[[level]]",
        f'slug = "{level.slug}"',
        f'title = "{level.title}"',
        f"columns = {{ {columns} }}",
        'sides = ["text", "text"]',
        *([_TRAINING] if level.training else []),
        f'test = {{ items = "items/{level.test}", gold = "{level.test}" }}',
    ]


def _text(value: str | list[str]) -> str:
    """Write a text, or a list of texts, as TOML."""
    return json.dumps(value, ensure_ascii=False)
