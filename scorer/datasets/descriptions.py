"""The texts of a data set: README, data card, and the task.toml with which a site hosts it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scorer.bundles.placeholders import PLACEHOLDER_WORD, PLACEHOLDER_YEAR
from scorer.datasets.campaign_facts import CampaignFacts
from scorer.datasets.figures import Figure


@dataclass(frozen=True, slots=True)
class DatasetCounts:
    """The numbers in the descriptions.

    Parameters
    ----------
    rows : mapping of str to int
        The number of rows below the header of each file of pairs or ratings.
    annotators : int
        The number of annotators.
    left_out : int
        The number of units that had too few ratings.
    at_least : int
        The minimum number of ratings in each pass.
    context_sentences : int
        The maximum number of sentences of context on each side.
    """

    rows: Mapping[str, int]
    annotators: int
    left_out: int
    at_least: int
    context_sentences: int


_ABOUT = {
    "train.tsv": "pairs of the first round that are no test pairs, with their choice and rating",
    "train-N1.tsv": "those whose rating differs by at most 1 from the one that is expected from the choice",
    "train-N2.tsv": "those whose rating differs by at most 2",
    "test-free.tsv": "test pairs, rated without context",
    "test-dep.tsv": "the same pairs, rated with context",
    "test-sig-free.tsv": "the pairs whose ratings differ significantly with context, without context",
    "test-sig-dep.tsv": "the same pairs with context",
    "test-ratings.tsv": "every rating, a row for each pair and annotator",
    "items/test-free.tsv": "the test pairs alone, for participants",
    "items/test-dep.tsv": "the test pairs with context alone, for participants",
    "gold/train.tsv": "the ratings of the training pairs, as a site reads them",
}


_README = """\
# {title}

Pairs of texts, rated for similarity from {low:g} to {high:g}.

| file | rows | what it has |
|---|---|---|
{files}

All files are UTF-8, with tabs between the columns and a header.

- `id`: the name of the pair, the same in all files of test pairs. Names and order are drawn.
- `left`, `right`: the two texts. In the files with context, a text is between `<sent>` and `</sent>`, with at
  most {context_sentences} sentences on each side.
- `mean`, `n`, `ratings`: the mean of the ratings, their number, and the ratings themselves. A position in
  `ratings` is not a person: `test-ratings.tsv` says which ratings are of one annotator.
- `first`: the rating of the pair in the first round, if it has one.
- `choice`, `rating`: for training pairs, why the pair was chosen, and its rating.
- `annotator`: a pseudonym, drawn for this data set.

Apart from the texts themselves, nothing says which pairs have the same source.

## Figures

Each command prints a figure from these files. `figures.json` has the results.

{figures}

## As a shared task

`scorer bundle check .` checks this folder, and `assay task import .` hosts it. First complete the TODO texts
and the dates in `task.toml`. The site publishes the items and the training gold. As long as the evaluation
runs, keep the other test files and `figures.json` to yourself: they show the gold standard.
"""
_DATA_CARD = """\
# Data card: {title}

**What it is.** Pairs of texts with their similarity from {low:g} to {high:g}.

{labels}**How it was rated.** {test} test pairs were rated by {annotators} annotators{passes}.
The gold standard is the mean of the ratings of a pair.{left_out}

{training}**Privacy.** Annotators have pseudonyms that were drawn for this data set. Times, comments and
assignments are not published. Contexts are shortened. Apart from the texts themselves, nothing says which
pairs have the same source.

**To be completed by the organizers:** the source and the language of the texts, and the rights to publish
them; who the annotators were, how they were found, instructed and paid, and what they agreed to; what the
data should not be used for; the licence, the version, and how to cite it.
"""


def readme(facts: CampaignFacts, counts: DatasetCounts, figures: Sequence[Figure]) -> str:
    """Write the README: the files, their columns, and every figure with its command."""
    low, high = facts.scale
    rows = [
        f"| `{name}` | {counts.rows[name]} | {about} |"
        for name, about in _ABOUT.items()
        if name in counts.rows
    ]
    return _README.format(
        title=facts.title,
        low=low,
        high=high,
        files="\n".join(rows),
        context_sentences=counts.context_sentences,
        figures="\n\n".join(f"{figure.title}:\n\n    {figure.command}" for figure in figures),
    )


def data_card(facts: CampaignFacts, counts: DatasetCounts) -> str:
    """Write the data card: what the program knows, and a list of what only the organizers know."""
    low, high = facts.scale
    labels = "".join(f"- {point}: {meaning}\n" for point, meaning in facts.labels.items())
    training = counts.rows.get("train.tsv")
    return _DATA_CARD.format(
        title=facts.title,
        low=low,
        high=high,
        labels=f"{labels}\n" if labels else "",
        test=counts.rows["test-free.tsv"],
        annotators=counts.annotators,
        passes=", first without and then with context" if "test-dep.tsv" in counts.rows else "",
        left_out=f" Pairs with fewer than {counts.at_least} ratings, which are left out: {counts.left_out}."
        if counts.left_out
        else "",
        training=f"**Training pairs.** {training} pairs of an earlier round, each rated once.\n\n"
        if training
        else "",
    )


def task_toml(facts: CampaignFacts, counts: DatasetCounts) -> str:
    """Write a task.toml that hosts the test pairs, with placeholders for what the campaign does not say."""
    low, high = facts.scale
    labels = ", ".join(f"{_text(point)} = {_text(meaning)}" for point, meaning in facts.labels.items())
    lines = [
        "[task]",
        f"slug = {_text(facts.slug)}",
        f"title = {_text(facts.title)}",
        'description = "data-card.md"',
        'terms = "none"',
        f'licence = "{PLACEHOLDER_WORD}: the licence of the data"',
        f'organizers = "{PLACEHOLDER_WORD}: the names of the organizers"',
        f'contact = "{PLACEHOLDER_WORD}: an email address or a link"',
        f"scale = {{ min = {low:g}, max = {high:g} }}",
        *([f"labels = {{ {labels} }}"] if labels else []),
        'metrics = ["pearson", "spearman", "mse"]',
        'run_format = "keyed"  # a run has a header and a row for each pair',
        'keyed = { id = "id", score = "score", gold = "mean" }',
    ]
    for name, title in (("free", "Without context"), ("dep", "With context")):
        if f"test-{name}.tsv" in counts.rows:
            lines += _level(name, title, training=name == "free" and "train.tsv" in counts.rows)
    lines += [
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


def _level(name: str, title: str, *, training: bool) -> list[str]:
    return [
        "",
        "[[level]]",
        f'slug = "{name}"',
        f'title = "{title}"',
        'columns = { id = "id", left = "left", right = "right" }',
        'sides = ["text", "text"]',
        *([_TRAINING] if training else []),
        f'test = {{ items = "items/test-{name}.tsv", gold = "test-{name}.tsv" }}',
    ]


def _text(text: str) -> str:
    """Write a text as a TOML string."""
    return json.dumps(text, ensure_ascii=False)
