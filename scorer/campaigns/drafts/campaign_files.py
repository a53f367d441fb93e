"""Writes a draft as the files of a campaign: a commented annotation.toml and what it names."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from string import Template

from scorer.bundles.bundle import ScaleSpec
from scorer.bundles.toml_values import toml_list, toml_table, toml_text
from scorer.campaigns.config import Unit, scale_points
from scorer.campaigns.drafts.draft import CampaignDraft
from scorer.campaigns.drafts.units import MIN_TEXTS, read_draft_units
from scorer.campaigns.reader import CONFIG_NAME
from scorer.campaigns.round_reader import DEFAULT_QUESTIONS
from scorer.campaigns.units_writer import write_units

UNITS_FILE, TUPLES_FILE = "units.tsv", "tuples.tsv"
_LARGE = 6
"""From so many texts, tuples have four of them, and every text is in several tuples."""
SECONDS = 20
"""The assumed time for an answer, as in `scorer campaign check`."""
_LABELS = {
    "en": "unrelated|slightly related|somewhat related but not similar|somewhat similar|very similar",
    "cs": "nesouvisející|vzdáleně související|související, ale nepodobné|částečně podobné|velmi podobné",
    "de": "ohne Zusammenhang|entfernt verwandt|verwandt, aber nicht ähnlich|teilweise ähnlich|sehr ähnlich",
}
"""The labels of the points 0 to 4 in CLSS; the first and the last one fit the ends of any scale."""


def draw_tuples(keys: Sequence[str], size: int) -> str:
    """Draw tuples of texts, as `scorer bws tuples` does."""
    # numpy, which draws them, is not needed for ratings.
    from scorer.bws.tuples import ItemList, TupleRules, make_tuples, render_tuples  # noqa: PLC0415

    items = ItemList(UNITS_FILE, ((None, tuple(keys)),))
    return render_tuples(make_tuples(items, TupleRules(size)), "\t")


def write_campaign_files(
    draft: CampaignDraft, data: bytes, draw: Callable[[Sequence[str], int], str] = draw_tuples
) -> dict[str, bytes]:
    """Write the files of a campaign.

    Parameters
    ----------
    draft : CampaignDraft
    data : bytes
        The table that was drafted.
    draw : callable
        Draws tuples of a size from the keys of texts, as a table.

    Returns
    -------
    dict of str to bytes
        The content of each file by name.

    Raises
    ------
    BundleError
        Lists every problem of the table, or of a person's answers.
    """
    units = read_draft_units(draft, data)
    files = {CONFIG_NAME: _write_config(draft, units), UNITS_FILE: write_units(units)}
    if draft.kind == "bws":
        files[TUPLES_FILE] = draw([unit.key for unit in units], 4 if len(units) >= _LARGE else MIN_TEXTS)
    files |= {f"consent.{language}.md": _write_consent(draft, language) for language in draft.languages}
    if draft.guide:
        files |= {f"guide.{language}.md": draft.guide for language in draft.languages}
    return {name: text.encode() for name, text in files.items()}


def read_template(name: str) -> Template:
    """Read a file of this package, in which values are to be put."""
    return Template(Path(__file__).with_name(name).read_text(encoding="utf-8"))


def write_scale(scale: ScaleSpec) -> str:
    """Write a scale with a step as a TOML table."""
    return f"{{ min = {scale.min:.12g}, max = {scale.max:.12g}, step = {scale.step:.12g} }}"


def write_labels(labels: Mapping[str, Mapping[float, str]]) -> str:
    """Write the labels of points by language, a line for each language."""
    lines = []
    for language, meanings in labels.items():
        words = {f'"{point:.12g}"': label for point, label in meanings.items()}
        lines.append(f"labels.{language} = {toml_table(words)}")
    return "\n".join(lines)


def _write_consent(draft: CampaignDraft, language: str) -> str:
    """Write the usual consent text, which says how long an assignment takes."""
    minutes = -(-draft.assignment * SECONDS // 60)
    return read_template(f"consent.{language}.md").substitute(minutes=minutes)


def _write_config(draft: CampaignDraft, units: Sequence[Unit]) -> str:
    """Write the annotation.toml; lines of what a draft does not have are comments."""
    names = ("slug", "title", "contact", "text_language")
    return read_template(f"{draft.kind}.toml").substitute(
        {name: toml_text(getattr(draft, name)) for name in names},
        languages=toml_list(draft.languages),
        consent=toml_table({language: f"consent.{language}.md" for language in draft.languages}),
        no_guide="" if draft.guide else "# ",
        guide=toml_table({language: f"guide.{language}.md" for language in draft.languages}),
        scale=write_scale(draft.scale),
        labels=_write_labels(draft) if draft.kind == "rate" else "",
        no_gold="" if draft.level else "# ",
        level=toml_text(draft.level or "sentences"),
        split=toml_text(draft.split or "test"),
        answers=draft.answers,
        assignment=draft.assignment,
        groups=_write_groups(draft, Counter(unit.group for unit in units)),
        **{
            name: "\n".join(
                f"{name}.{language} = {toml_text(texts[language])}" for language in draft.languages
            )
            for name, texts in DEFAULT_QUESTIONS.items()
        },
    )


def _write_labels(draft: CampaignDraft) -> str:
    return write_labels(
        {
            language: draft.labels or _usual_labels(draft, _LABELS[language].split("|"))
            for language in draft.languages
        }
    )


def _usual_labels(draft: CampaignDraft, usual: Sequence[str]) -> Mapping[float, str]:
    if (draft.low, draft.high) != (0, 4):
        return {draft.low: usual[0], draft.high: usual[-1]}
    return {point: usual[int(point)] for point in scale_points(draft.scale) if point.is_integer()}


def _write_groups(draft: CampaignDraft, sizes: Counter[str | None]) -> str:
    """Keep the pairs of a group apart, unless that needs more people."""
    groups = [size for group, size in sizes.items() if group is not None]
    if not groups:
        return ""
    if max(groups) * draft.assignment > sizes.total():
        return '\ngroups = "free"  # with "apart", nobody gets two pairs of a group, and you need more people'
    return '\ngroups = "apart"  # nobody gets two pairs of a group'
