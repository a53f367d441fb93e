"""Makes the files of the next campaign from the export of a round: pairs to rate, and an annotation.toml."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from scorer.bundles.bundle import ScaleSpec
from scorer.bundles.toml_values import toml_list, toml_table, toml_text
from scorer.campaigns.config import CampaignConfig, RoundConfig, RoundKind, Unit
from scorer.campaigns.drafts.campaign_files import read_template, write_labels, write_scale
from scorer.campaigns.drafts.chosen_pairs import pair_choices
from scorer.campaigns.drafts.written_pairs import DEFINITION, pair_texts
from scorer.campaigns.exported_round import find_exported_round
from scorer.campaigns.reader import CONFIG_NAME
from scorer.campaigns.units_reader import TEXTS
from scorer.campaigns.units_writer import write_units
from scorer.errors import RequestError

PAIRS_FILE = "pairs.tsv"
CONTEXT = 2
ZEROS = 0.2
"""The share of a rating if the others, 1 to 4, are wanted as often."""
SEED = 0
OPTIONS: Mapping[RoundKind, tuple[str, ...]] = {
    "choose": ("first", "assignments", "context"),
    "write": ("zeros", "seed"),
    "bws": (),
}
"""The options of each kind of round that has a next stage."""
_ASSIGNMENT = 50
_MAX_SLUG = 64
_CHECK_SCALE = ScaleSpec(0, 1, 1)
_CHECK_LABELS: Mapping[str, Mapping[float, str]] = {
    "en": {0: "rather different", 1: "rather similar"},
    "cs": {0: "spíše odlišné", 1: "spíše podobné"},
    "de": {0: "eher verschieden", 1: "eher ähnlich"},
}
"""The question of GiCCS to its expert."""


@dataclass(frozen=True, slots=True)
class NextOptions:
    """How the next stage is made. None: as is usual; an option that a kind of round does not have is refused.

    Parameters
    ----------
    slug, title : str or None
        Of the campaign. None: as `name_next` says, and the title of the campaign before.
    first, assignments, context : int or None
        Of choices: see `pair_choices`.
    zeros : float or None
    seed : int or None
        Of written texts: see `pair_texts`.
    """

    slug: str | None = None
    title: str | None = None
    guide: str | None = None
    first: int | None = None
    assignments: int | None = None
    context: int | None = None
    zeros: float | None = None
    seed: int | None = None


_USUAL = NextOptions()


@dataclass(frozen=True, slots=True)
class NextStage:
    """The files of a campaign.

    Parameters
    ----------
    files : dict of str to bytes
        Their contents by name.
    notes : tuple of str
        What the export lacked, in sentences.
    """

    files: dict[str, bytes]
    notes: tuple[str, ...]


def draft_next(folder: Path, options: NextOptions = _USUAL) -> NextStage:
    """Make the campaign that follows a round: its pairs are rated.

    Parameters
    ----------
    folder : Path
        The unpacked export of a round of kind choose, write or bws.
    options : NextOptions

    Returns
    -------
    NextStage
        With an annotation.toml that `read_campaign` accepts. Consent texts, languages, scale and labels are
        those of the campaign before; its guide explains other work and is not taken over. Items of best-worst
        scaling have a scale of two points.

    Raises
    ------
    DataError
        If a file of the export is missing or has problems.
    RequestError
        If the round has no next stage or too few answers, or an option does not fit its kind.
    """
    campaign, round_ = find_exported_round(folder)
    guide = dict.fromkeys(campaign.languages, options.guide) if options.guide else {}
    campaign = replace(campaign, guide=guide)
    _check_options(round_.kind, options)
    pairs, notes = _make_pairs(folder, round_, options)
    files = {CONFIG_NAME: _write_config(campaign, round_, pairs, options), PAIRS_FILE: write_units(pairs)}
    files |= {f"consent.{language}.md": text for language, text in campaign.consent.items()}
    files |= {f"guide.{language}.md": text for language, text in campaign.guide.items()}
    return NextStage({name: text.encode() for name, text in files.items()}, tuple(notes))


def name_next(slug: str, kind: RoundKind) -> str:
    """Return the usual slug of the campaign that follows one with this slug.

    Examples
    --------
    >>> name_next("harbour", "write"), name_next("harbour", "bws")
    ('harbour-rate', 'harbour-check')
    """
    suffix = "-check" if kind == "bws" else "-rate"
    return slug[: _MAX_SLUG - len(suffix)].rstrip("-") + suffix


def _check_options(kind: RoundKind, options: NextOptions) -> None:
    if kind not in OPTIONS:
        kinds = ", ".join(OPTIONS)
        raise RequestError(f"the export is of a round of kind {kind}; a next stage needs one of {kinds}")
    for name in chain(*OPTIONS.values()):
        if getattr(options, name) is not None and name not in OPTIONS[kind]:
            raise RequestError(f"{name} does not fit an export of a round of kind {kind}; leave it out")


def _make_pairs(
    folder: Path, round_: RoundConfig, options: NextOptions
) -> tuple[Sequence[Unit], Sequence[str]]:
    """Return the pairs, and what the export lacked."""
    if round_.kind == "choose":
        context = CONTEXT if options.context is None else options.context
        return pair_choices(folder, round_, options.first, options.assignments, context)
    if round_.kind == "write":
        zeros = ZEROS if options.zeros is None else options.zeros
        return pair_texts(folder, round_, zeros, SEED if options.seed is None else options.seed)
    columns = dict.fromkeys((*round_.columns, *TEXTS))
    texts = [{name: unit.texts[name] for name in columns} for unit in round_.items]
    return [replace(unit, texts=values) for unit, values in zip(round_.items, texts, strict=True)], ()


def _write_config(
    campaign: CampaignConfig, round_: RoundConfig, pairs: Sequence[Unit], options: NextOptions
) -> str:
    """Write the annotation.toml: what is taken over, and the round, which depends on the kind before."""
    is_check = round_.kind == "bws"
    labels = _CHECK_LABELS if is_check else round_.labels
    # An expert's answers do not replace the gold standard.
    has_gold = campaign.level and not is_check
    head = read_template("next.toml").substitute(
        before=toml_text(campaign.slug),
        slug=toml_text(options.slug or name_next(campaign.slug, round_.kind)),
        title=toml_text(options.title or campaign.title),
        **{name: toml_text(getattr(campaign, name)) for name in ("contact", "text_language")},
        languages=toml_list(campaign.languages),
        consent=toml_table({name: f"consent.{name}.md" for name in campaign.consent}),
        no_guide="" if campaign.guide else "# ",
        guide=toml_table({name: f"guide.{name}.md" for name in campaign.guide or campaign.consent}),
        scale=write_scale(_CHECK_SCALE if is_check else round_.scale),
        labels=write_labels({name: labels[name] for name in campaign.languages if labels.get(name)}),
        no_gold="" if has_gold else "# ",
        level=toml_text(campaign.level or "sentences"),
        split=toml_text(campaign.split or "test"),
    )
    size = options.first or len(pairs)
    tail = read_template(f"next_{round_.kind}.toml").substitute(
        assignment=min(size, _ASSIGNMENT), show=toml_list(_choose_columns(pairs))
    )
    return f"{head}{tail}"


def _choose_columns(pairs: Sequence[Unit]) -> list[str]:
    """Return the columns that annotators see: all that have texts, but a sense only by its definition."""
    shown = dict.fromkeys(name for pair in pairs for name, text in pair.texts.items() if text)
    return [name for name in shown if name != "right" or DEFINITION not in shown]
