"""A preview of what a gold version would change, with warnings; nothing is written."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Select, case, func, literal_column, select, union_all
from sqlalchemy.orm import Session, aliased

from server.access import service as access
from server.boards import service as boards
from server.boards.inference_json import read_inference
from server.boards.significance_changes import SignificanceChange, list_significance_changes
from server.core.actors import Actor
from server.core.i18n import N_, _, ngettext
from server.corrections import scoring_jobs, service as gold
from server.gold import versions as gold_versions
from server.gold.models import GoldEvent, GoldVersion
from server.phases.models import Phase
from server.releases import inferences, service as releases
from server.runs.models import Run
from server.scoring import service as scoring
from server.scoring.models import PartScore, Score, ScoreColumns
from server.submissions import rescoring
from server.submissions.models import Submission
from server.tasks.models import Task

MAX_TEXT_LENGTH = 80
"""How many characters of an item's texts are shown."""
MAX_NAMED_ITEMS = 10
"""How many items a warning names."""


@dataclass(frozen=True, slots=True)
class GoldVersionView:
    """A gold version, its state, and how many files of its split have a score against it."""

    version: GoldVersion
    state: gold_versions.GoldState
    progress: rescoring.ScoringProgress
    reason: str
    """The newest reason: why it was uploaded, discarded or put in force again."""


@dataclass(frozen=True, slots=True)
class ChangedLabel:
    """An item whose gold label differs; None: it is not scored."""

    item: str
    left: str
    right: str
    old: float | None
    new: float | None


class FileCounts(NamedTuple):
    """The files of a phase that have both scores, and those whose value of any metric differs."""

    changed: int = 0
    scored: int = 0
    changed_baselines: int = 0
    """How many of the changed files are of baselines."""
    baselines: int = 0


@dataclass(frozen=True, slots=True)
class PhasePreview:
    """The changes in one phase on the items."""

    phase: Phase
    changes: boards.Changes
    """The changes of the leaderboard as organizers see it."""
    files: FileCounts
    """Its files with another value, whether they count or not; baselines included."""
    release: releases.ReleaseState | None
    """The newest release, if it is public."""
    live: bool
    """Whether the public sees a live leaderboard."""
    verdicts: list[SignificanceChange] | None
    """Neighbours between which the outcome of the test changes; None: not computed yet."""
    fault: str | None
    """Why the tests could not be computed."""


@dataclass(frozen=True, slots=True)
class GoldPreview:
    """A gold version compared with the one in force."""

    version: GoldVersion
    state: gold_versions.GoldState
    progress: rescoring.ScoringProgress
    events: tuple[GoldEvent, ...]
    in_force: GoldVersion | None
    labels: tuple[ChangedLabel, ...]
    phases: tuple[PhasePreview, ...] | None
    """The changes by phase; None: some files have no score yet, or it is the version in force."""
    warnings: tuple[str, ...]
    """Warnings about lost values and labels off the scale's steps; complete once every file is scored."""
    errors: tuple[str, ...]
    """Errors that occurred while files were scored."""
    worked_on: bool
    """Whether a job is waiting or running that scores more of them."""
    installed: str
    """The version of the installed scorer."""


def list_version_views(session: Session, actor: Actor, task: Task) -> list[GoldVersionView]:
    """List all gold versions of a task with their states, by level, split and number.

    Raises:
        Forbidden, NotFound: `actor` may not see all of the task.
    """
    versions = gold.list_versions(session, actor, task)
    states = gold_versions.states_of(session, versions)
    events = gold_versions.list_events(session, versions)
    waiting = [version.id for version in versions if states[version.id] == "candidate"]
    scored = rescoring.count_scored(session, waiting) if waiting else {}
    return [
        GoldVersionView(
            version,
            states[version.id],
            scored.get(version.id, rescoring.ScoringProgress()),
            events[version.id][-1].reason if events[version.id] else version.reason,
        )
        for version in versions
    ]


def list_outdated(views: list[GoldVersionView]) -> list[GoldVersion]:
    """List the versions in force whose scores are from another scorer version and have no candidate yet."""
    waiting = {view.version.split_id for view in views if view.state == "candidate"}
    return [
        view.version
        for view in views
        if view.state == "in force"
        and view.version.scorer != scoring.VERSION
        and view.version.split_id not in waiting
    ]


def preview_version(session: Session, actor: Actor, task: Task, version_id: int) -> GoldPreview:
    """Compare a gold version with the one in force.

    Raises:
        Forbidden, NotFound: `actor` may not see all of the task, or it has no such version.
    """
    access.require_observer(session, actor, task)
    version = gold.get_version(session, actor, task, version_id)
    in_force = gold_versions.find_gold(session, version.split)
    progress = rescoring.count_scored(session, [version.id])[version.id]
    compared = in_force is not None and in_force.id != version.id and not progress.lacking
    labels = _changed_labels(session, in_force, version)
    warnings = warn_of_items([(label.old, label.new) for label in labels])
    warnings += warn_of_steps(task, [(label.item, label.new) for label in labels])
    warnings += [] if in_force is None else warn_of_sds(session, in_force, version)
    if in_force and compared:
        warnings += warn_of_values(session, in_force, version)
    return GoldPreview(
        version=version,
        state=gold_versions.states_of(session, [version])[version.id],
        progress=progress,
        events=tuple(gold_versions.list_events(session, [version])[version.id]),
        in_force=in_force,
        labels=tuple(labels),
        phases=tuple(_preview_phases(session, in_force, version)) if in_force and compared else None,
        warnings=tuple(warnings),
        errors=tuple(scoring_jobs.list_errors(session, version)),
        worked_on=scoring_jobs.is_scoring(session, version),
        installed=scoring.VERSION,
    )


def _changed_labels(session: Session, old: GoldVersion | None, new: GoldVersion) -> list[ChangedLabel]:
    """List the items whose gold label differs, in order."""
    if old is None or old.sha256 == new.sha256:
        return []
    split = new.split
    before, after = (scoring.gold_of(session, split, version).values for version in (old, new))
    items = scoring.items_of(session, split).items
    return [
        ChangedLabel(item.id, _shorten(item.left), _shorten(item.right), was, now)
        for item, was, now in zip(items, before, after, strict=True)
        if was != now
    ]


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_TEXT_LENGTH else line[: MAX_TEXT_LENGTH - 1].rstrip() + "…"


def _preview_phases(session: Session, old: GoldVersion, new: GoldVersion) -> list[PhasePreview]:
    """Preview the changes in each phase on the split."""
    task = new.split.level.task
    on_split = select(Phase).where(Phase.task_id == task.id, Phase.split == new.split.name)
    phases = list(session.scalars(on_split.order_by(Phase.position)))
    files, public = _count_files(session, old, new), releases.list_newest(session, phases)
    return [
        _preview_phase(session, phase, new, files.get(phase.id, FileCounts()), public.get(phase.id))
        for phase in phases
    ]


def _preview_phase(
    session: Session, phase: Phase, new: GoldVersion, files: FileCounts, newest: releases.ReleaseState | None
) -> PhasePreview:
    compared = boards.compare_gold(session, phase, new)
    texts = inferences.find_draft_and_candidate(session, phase, new, compared.hashes)
    return PhasePreview(
        phase,
        compared.changes,
        files,
        None if newest is None or newest.withdrawal is not None else newest,
        _is_live(phase, newest),
        None if texts is None else list_significance_changes(*map(read_inference, texts)),
        None if texts is not None else inferences.find_candidate_error(session, phase, new),
    )


def _count_files(session: Session, old: GoldVersion, new: GoldVersion) -> dict[int, FileCounts]:
    """Count the files of each phase."""
    before, after = aliased(Score), aliased(Score)
    both = (before.submission_id == after.submission_id) & (before.metric == after.metric)
    differs = before.value.is_distinct_from(after.value)
    of_baseline = Run.baseline.is_not(None)
    counted = (
        case((differs, Submission.id)),
        Submission.id,
        case((differs & of_baseline, Submission.id)),
        case((of_baseline, Submission.id)),
    )
    query = (
        select(Run.phase_id, *(func.count(each.distinct()) for each in counted))
        .join(before, before.submission_id == Submission.id)
        .join(after, both)
        .join(Run, Run.id == Submission.run_id)
        .where(before.gold_version_id == old.id, after.gold_version_id == new.id)
        .group_by(Run.phase_id)
    )
    return {row[0]: FileCounts._make(row[1:]) for row in session.execute(query)}


def _is_live(phase: Phase, newest: releases.ReleaseState | None) -> bool:
    rests = newest is not None and newest.by_hand
    return phase.board == "live" and phase.feedback != "hidden" and not rests


LabelChanges = Sequence[tuple[float | None, float | None]]
"""The gold label of each item that differs, before and after; None: it is not scored."""


def warn_of_items(labels: LabelChanges) -> list[str]:
    """Return a sentence on items that would no longer be scored, and one on items that newly would be."""
    fewer, more = (sum(pair[side] is None for pair in labels) for side in (1, 0))
    gone = ngettext(
        "%(num)d item would no longer be scored.", "%(num)d items would no longer be scored.", fewer
    )
    come = ngettext("%(num)d item would newly be scored.", "%(num)d items would newly be scored.", more)
    return [words for count, words in ((fewer, gone), (more, come)) if count]


def warn_of_sds(session: Session, old: GoldVersion, new: GoldVersion) -> list[str]:
    """Return a sentence on items whose standard deviation differs, if a metric uses it."""
    before, after = (scoring.gold_of(session, new.split, version).sds or () for version in (old, new))
    changed = sum(was != now for was, now in zip(before, after, strict=True))
    words = ngettext(
        "The standard deviation of %(num)d item would change.",
        "The standard deviations of %(num)d items would change.",
        changed,
    )
    return [words] if changed else []


def warn_of_steps(task: Task, labels: Iterable[tuple[str, float | None]]) -> list[str]:
    """Return a sentence on labels, given by item, that are between the steps of the task's scale."""
    items = [item for item, label in labels if label is not None and not scoring.is_on_step(label, task)]
    if not items:
        return []
    rest = len(items) - MAX_NAMED_ITEMS
    names = ", ".join(items[:MAX_NAMED_ITEMS]) + (_(" and %(rest)d more", rest=rest) if rest > 0 else "")
    return [
        ngettext(
            "%(num)d label is not in steps of %(step)s from %(low)s: item %(items)s.",
            "%(num)d labels are not in steps of %(step)s from %(low)s: items %(items)s.",
            len(items),
            step=f"{task.scale_step:g}",
            low=f"{task.scale[0]:g}",
            items=names,
        )
    ]


def warn_of_first_version(session: Session, version: GoldVersion) -> list[str]:
    """Return a sentence on all labels of a version that are between the steps of the task's scale."""
    values = scoring.gold_of(session, version.split, version).values
    items = scoring.items_of(session, version.split).items
    labels = ((item.id, value) for item, value in zip(items, values, strict=True))
    return warn_of_steps(version.split.level.task, labels)


def warn_of_values(session: Session, old: GoldVersion, new: GoldVersion) -> list[str]:
    """Return a sentence, with the reason, for each set of metrics by which files would lose their value."""
    metrics_by_loss: dict[tuple[str, int, int, str], list[str]] = defaultdict(list)
    for part, metric, lost, remaining, reasons in _list_losses(session, old, new):
        metrics_by_loss[part, lost, remaining, reasons].append(metric)
    level, warnings = new.split.level, []
    for (part, lost, remaining, why), metrics in metrics_by_loss.items():
        every = set(metrics) == set(level.metrics)
        where = level.title if every else f"{level.title} ({', '.join(metrics)})"
        none, one, many = _LOSS_WARNINGS[part]
        warnings.append(
            ngettext(one, many, lost, where=where, why=why) if remaining else _(none, where=where, why=why)
        )
    return warnings


_LOSS_WARNINGS = {
    "all": (
        N_("%(where)s: no submission would have a value any longer (%(why)s)."),
        N_("%(where)s: %(num)d submission would lose its value (%(why)s)."),
        N_("%(where)s: %(num)d submissions would lose their values (%(why)s)."),
    ),
    "public": (
        N_("%(where)s: no submission would have a value on the public items any longer (%(why)s)."),
        N_("%(where)s: %(num)d submission would lose its value on the public items (%(why)s)."),
        N_("%(where)s: %(num)d submissions would lose their values on the public items (%(why)s)."),
    ),
    "rest": (
        N_("%(where)s: no submission would have a value on the other items any longer (%(why)s)."),
        N_("%(where)s: %(num)d submission would lose its value on the other items (%(why)s)."),
        N_("%(where)s: %(num)d submissions would lose their values on the other items (%(why)s)."),
    ),
}
"""For values on all items and on the parts: of all files, of one, of several."""


def _list_losses(
    session: Session, old: GoldVersion, new: GoldVersion
) -> Iterator[tuple[str, str, int, int, str]]:
    """Yield by part and metric: how many files lose their value, how many keep one, and the reasons."""
    lost, remaining = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    reasons: dict[tuple[str, str], list[str]] = defaultdict(list)
    for part, metric, reason, n_lost, n_left in session.execute(union_all(*_loss_queries(old, new))):
        lost[part, metric] += n_lost
        remaining[part, metric] += n_left
        reasons[part, metric] += [reason] if n_lost else []
    for key in sorted(key for key in lost if lost[key]):
        yield *key, lost[key], remaining[key], "; ".join(sorted(reasons[key]))


def _loss_queries(old: GoldVersion, new: GoldVersion) -> Iterator[Select[Any]]:
    """Yield queries for all items and for the parts: values lost and kept, by metric and reason."""
    was, now = aliased(Score), aliased(Score)
    yield _loss_query(literal_column("'all'"), was, now, old, new)
    part_was, part_now = aliased(PartScore), aliased(PartScore)
    parts = _loss_query(part_now.part, part_was, part_now, old, new)
    yield parts.where(part_was.part == part_now.part).group_by(part_now.part)


def _loss_query(
    part: Any, was: type[ScoreColumns], now: type[ScoreColumns], old: GoldVersion, new: GoldVersion
) -> Select[Any]:
    went, stay = func.count(case((now.value.is_(None), was.value))), func.count(now.value)
    return (
        select(part, now.metric, now.undefined_reason, went, stay)
        .select_from(now)
        .join(was, (was.submission_id == now.submission_id) & (was.metric == now.metric))
        .where(was.gold_version_id == old.id, now.gold_version_id == new.id)
        .group_by(now.metric, now.undefined_reason)
    )
