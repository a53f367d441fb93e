"""Writes a draft as the files of a campaign: a commented annotation.toml and what it names."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from scorer.bundles.placeholders import PLACEHOLDER_WORD
from scorer.bundles.toml_values import toml_list, toml_table, toml_text
from scorer.campaigns.config import LANGUAGES, Unit, scale_points
from scorer.campaigns.drafts.draft import CampaignDraft
from scorer.campaigns.drafts.units import COLUMNS, make_draft_tuples, read_draft_units
from scorer.campaigns.reader import CONFIG_NAME
from scorer.campaigns.round_reader import DEFAULT_QUESTIONS
from scorer.campaigns.scales import find_scale_fault
from scorer.campaigns.units_reader import GENRE, GROUP, KEY, TEXTS, read_units
from scorer.errors import BundleError
from scorer.files.text import Problems

UNITS_FILE, TUPLES_FILE = "units.tsv", "tuples.tsv"
SECONDS = 20
"""The assumed time for an answer, as in `scorer campaign check`."""
_LABELS = {
    "en": "unrelated|slightly related|somewhat related but not similar|somewhat similar|very similar",
    "cs": "nesouvisející|vzdáleně související|související, ale nepodobné|částečně podobné|velmi podobné",
    "de": "ohne Zusammenhang|entfernt verwandt|verwandt, aber nicht ähnlich|teilweise ähnlich|sehr ähnlich",
}
"""The labels of the points 0 to 4 in CLSS; the first and the last one fit the ends of any scale."""
_HEAD = f"""\
# Written by `scorer campaign new`. It is a proposal: read it once.
# Texts that begin with {PLACEHOLDER_WORD} are placeholders.
#
#     scorer campaign check FOLDER     lists what is wrong, or how many answers and hours are needed
#     scorer campaign keys             explains every key

"""


def write_campaign_files(draft: CampaignDraft, data: bytes) -> dict[str, bytes]:
    """Write the files of a campaign.

    Parameters
    ----------
    draft : CampaignDraft
    data : bytes
        The table that was drafted.

    Returns
    -------
    dict of str to bytes
        The content of each file by name. The table is among them unchanged if it has the columns of a table
        of units; else there is a table of units made from it.

    Raises
    ------
    BundleError
        Lists every problem of the table, or of the scale and the languages.
    ItemsError
        If fewer than three texts would be compared with each other.
    """
    _check_answers(draft)
    units = read_draft_units(draft, data)
    files = {}
    if draft.kind == "bws":
        tuples, sizes = make_draft_tuples(draft, units)
        files[TUPLES_FILE] = tuples.encode()
    else:
        sizes = Counter(unit.group for unit in units)
    files |= {f"consent.{language}.md": _write_consent(draft, language) for language in draft.languages}
    files |= {f"guide.{language}.md": text.encode() for language, text in draft.guide.items()}
    units_file, table = UNITS_FILE, _write_units(units)
    problems = Problems(draft.table)
    is_ready = _write_units(read_units(data, problems)) == table and not problems.count
    if is_ready and draft.table not in files:
        units_file, table = draft.table, data
    files[units_file] = table
    lines = [*_campaign(draft), *_round(draft, units_file, sizes)]
    return {CONFIG_NAME: (_HEAD + "\n".join(lines) + "\n").encode(), **files}


def _check_answers(draft: CampaignDraft) -> None:
    """Raise BundleError unless there are usual texts for the languages, and points of the scale."""
    problems = Problems(CONFIG_NAME)
    if not draft.languages or not {*draft.languages} <= {*LANGUAGES}:
        problems.add(None, "unknown_value", f"languages: use some of {', '.join(LANGUAGES)}")
    fault = find_scale_fault(draft.scale.min, draft.scale.max, draft.scale.step or 0)
    if fault is not None:
        problems.add(None, "out_of_range", f"scale.{fault[0]}: {fault[1]}")
    problems.raise_as(BundleError)


def _write_consent(draft: CampaignDraft, language: str) -> bytes:
    """Write the usual consent text, which says how long an assignment takes."""
    minutes = -(-draft.assignment * SECONDS // 60)
    text = Path(__file__).with_name(f"consent.{language}.md").read_text(encoding="utf-8")
    return text.replace("{minutes}", str(minutes)).encode()


def _write_units(units: Sequence[Unit]) -> bytes:
    """Write a table of units, without columns that are empty."""
    fields = [{KEY: unit.key, GROUP: unit.group, GENRE: unit.genre, **unit.texts} for unit in units]
    columns = [name for name in COLUMNS if any(values.get(name) for values in fields)]
    rows = [columns, *([values.get(name) or "" for name in columns] for values in fields)]
    return "".join("\t".join(row) + "\n" for row in rows).encode()


def _campaign(draft: CampaignDraft) -> Iterator[str]:
    yield "[campaign]"
    yield f"slug = {toml_text(draft.slug)}  # the name of the campaign in addresses and commands"
    yield f"title = {toml_text(draft.title)}  # annotators see it"
    yield f"contact = {toml_text(draft.contact)}  # whom annotators can ask: an email address or a link"
    yield f"languages = {toml_list(draft.languages)}  # of the annotators' pages, the default one first"
    yield f"text_language = {toml_text(draft.text_language)}"
    yield f"consent = {_file_table('consent', draft.languages)}  # a usual text: read it"
    is_note = "" if draft.guide else "# "
    yield f"{is_note}guide = {_file_table('guide', draft.languages)}  # instructions, with examples"
    if draft.kind == "rate":
        scale = draft.scale
        yield f"scale = {{ min = {scale.min:.12g}, max = {scale.max:.12g}, step = {scale.step:.12g} }}"
        for language in draft.languages:
            labels = draft.labels.get(language) or _usual_labels(draft, language)
            words = {f'"{point:.12g}"': label for point, label in labels.items()}
            yield f"labels.{language} = {toml_table(words)}"
    is_note = "" if draft.level else "# "
    yield f"{is_note}level = {toml_text(draft.level or 'sentences')}  # where the gold standard goes"
    yield f"{is_note}split = {toml_text(draft.split or 'test')}"
    yield ""


def _file_table(name: str, languages: Sequence[str]) -> str:
    return toml_table({language: f"{name}.{language}.md" for language in languages})


def _usual_labels(draft: CampaignDraft, language: str) -> Mapping[float, str]:
    low, high = draft.scale.min, draft.scale.max
    usual = _LABELS[language].split("|")
    if (low, high) != (0, 4):
        return {low: usual[0], high: usual[-1]}
    return {point: usual[int(point)] for point in scale_points(draft.scale) if point.is_integer()}


def _round(draft: CampaignDraft, units_file: str, sizes: Counter[str | None]) -> Iterator[str]:
    is_bws = draft.kind == "bws"
    slug, noun = ("compare", "tuple") if is_bws else ("rate", "pair")
    yield "[entry.annotators]"
    yield 'kind = "personal"  # each of them gets a personal link'
    yield ""
    yield "[[round]]"
    yield f"slug = {toml_text(slug)}"
    yield f"kind = {toml_text(draft.kind)}"
    yield f"units = {toml_text(units_file)}"
    if is_bws:
        yield f"tuples = {toml_text(TUPLES_FILE)}  # as `scorer bws tuples` makes them"
    yield f"show = {toml_list(TEXTS[:1] if is_bws else TEXTS)}  # the columns that annotators see"
    for name in ("best", "worst") if is_bws else ("question",):
        for language in draft.languages:
            yield f"{name}.{language} = {toml_text(DEFAULT_QUESTIONS[name][language])}"
    yield f"answers = {draft.answers}  # of different annotators, for each {noun}"
    yield f"assignment = {draft.assignment}  # {noun}s for an annotator"
    groups = [size for group, size in sizes.items() if group is not None]
    if groups and max(groups) * draft.assignment > sizes.total():
        yield f'groups = "free"  # with "apart", nobody gets two {noun}s of a group, and you need more people'
    elif groups:
        yield f'groups = "apart"  # nobody gets two {noun}s of a group'
    yield ""
    yield "[gold]"
    yield f"round = {toml_text(slug)}"
    yield 'rule = "bws"' if is_bws else 'rule = "mean"  # or median'
