"""Answers to the questions of the ACL's responsible-research checklist that the sources can answer."""

from collections.abc import Iterator

from scorer.paper.numbers import numbers
from scorer.paper.sources import CampaignSource, Sources

OPEN = "**Open:**"
_INTRODUCTION = """# Responsible research: what the sources say

The questions are those of the checklist of ACL Rolling Review on data (B), results (C) and annotators (D),
in our words. What begins with "Open" has to be answered by the authors.
"""


def checklist(sources: Sources) -> str:
    """Write the checklist as Markdown."""
    parts = [_INTRODUCTION, *_about_data(sources), *_about_experiments(sources)]
    parts += ["## D. Annotators\n"]
    if not sources.campaigns:
        parts.append(f"{OPEN} no export of a campaign was among the sources.\n")
    for source in sources.campaigns:
        parts += _about_annotators(source, several=len(sources.campaigns) > 1)
    return "\n".join(parts)


def _about_data(sources: Sources) -> Iterator[str]:
    yield "## B. Data\n"
    task = None if sources.board is None else sources.board.bundle.task
    licence = task.licence if task is not None else ""
    licence = "" if licence.startswith("TODO") else licence
    yield f"- Licence or terms: {licence}" if licence else f"- {OPEN} the licence of the data."
    if task is not None and task.terms:
        yield "- Terms that participants accept: yes, in the task."
    yield f"- {OPEN} whether the data has names of people or offensive content, and what was done about it."
    if sources.board is not None:
        yield "- Sizes of the splits, genres and lengths: tables `sizes` and `genres`."
    yield ""


def _about_experiments(sources: Sources) -> Iterator[str]:
    if sources.board is None:
        return
    yield "## C. Results\n"
    if sources.board.inference is not None:
        options = sources.board.inference["options"]
        yield (
            f"- Error bars: intervals from {options['b']:,} resamples of the items, tests of all pairs of "
            "systems; see README.md."
        )
    yield "- Software and versions: README.md."
    yield f"- {OPEN} computing power and parameters of the systems, which their teams know."
    yield ""


def _about_annotators(source: CampaignSource, *, several: bool) -> Iterator[str]:
    if several:
        yield f"### {source.title}\n"
    campaign, round_ = source.campaign, source.round_
    if campaign is not None:
        guides, consents = sorted(campaign.guide), sorted(campaign.consent)
        yield (
            f"- Instructions: shown to all annotators ({', '.join(guides)}); their text is in the export, "
            "campaign/."
            if guides
            else f"- {OPEN} the instructions; the campaign has none."
        )
        kinds = {
            "crowd": "over a crowd platform, by one link",
            "open": "by an open link",
            "personal": "by personal links",
        }
        ways = sorted({kinds.get(entry.kind, entry.kind) for entry in campaign.entries})
        yield f"- Recruitment: {', '.join(ways)}. {OPEN} who was invited, and how annotators were paid."
        gate = round_.calibration.gate if round_ is not None and round_.calibration is not None else None
        if gate is not None:
            yield (
                f"- Selection: annotators had to rate at least {gate.need} calibration units within "
                f"{gate.within:g} of their known values."
            )
        yield (
            f"- Consent: given before the first answer ({', '.join(consents)}); its text is in the "
            "export, campaign/."
        )
    values = [f"{what}: {text}" for text, what in _numbers_of(source)]
    yield f"- Numbers: {'; '.join(values)}." if values else f"- {OPEN} the number of annotators."
    yield f"- {OPEN} approval by an ethics board, and languages, countries and training of the annotators.\n"


def _numbers_of(source: CampaignSource) -> list[tuple[str, str]]:
    alone = numbers(Sources(None, (source,)))
    chosen = ("Annotators", "Ratings", "Hours", "Alpha")
    return [
        (text.replace("$-$", "-"), what.rpartition(",")[0] or what)
        for name, (text, what) in alone.items()
        if name.removeprefix("Assay").startswith(chosen)
    ]
