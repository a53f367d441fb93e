"""What a gold version would take away: items that are scored, and values that files have."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Select, case, func, literal_column, select, union_all
from sqlalchemy.orm import Session, aliased

from server.core.i18n import N_, _, ngettext
from server.gold.models import GoldVersion
from server.scoring.models import PartScore, Score, ScoreColumns
from server.tasks.models import Level

Labels = Sequence[tuple[float | None, float | None]]
"""The gold of each item that differs, before and after; None: it is not scored."""


def warn_of_items(labels: Labels) -> list[str]:
    """A sentence where items would no longer be scored, and one where others would be."""
    fewer, more = (sum(pair[side] is None for pair in labels) for side in (1, 0))
    gone = ngettext(
        "%(num)d item would no longer be scored.", "%(num)d items would no longer be scored.", fewer
    )
    come = ngettext(
        "%(num)d item would be scored that was not.", "%(num)d items would be scored that were not.", more
    )
    return [words for count, words in ((fewer, gone), (more, come)) if count]


def warn_of_values(session: Session, old: GoldVersion, new: GoldVersion) -> list[str]:
    """A sentence for each set of metrics by which files would lose their value, and why."""
    found: dict[tuple[str, int, int, str], list[str]] = defaultdict(list)
    for part, metric, lost, left, reasons in _losses(session, old, new):
        found[part, lost, left, reasons].append(metric)
    level, every = new.split.level, set(new.split.level.metrics)
    return [
        _of_part(part, lost, left, _where(level, metrics if set(metrics) != every else ()), reasons)
        for (part, lost, left, reasons), metrics in found.items()
    ]


def _where(level: Level, metrics: Sequence[str]) -> str:
    return f"{level.title} ({', '.join(metrics)})" if metrics else level.title


def _of_part(part: str, lost: int, left: int, where: str, why: str) -> str:
    """Whose value would go, of all items or of a part of them."""
    if part == "public":
        return _say(lost, left, where, why, *PUBLIC)
    if part == "rest":
        return _say(lost, left, where, why, *REST)
    return _say(lost, left, where, why, *ALL)


def _say(lost: int, left: int, where: str, why: str, none: str, one: str, many: str) -> str:
    if not left:
        return _(none, where=where, why=why)
    return ngettext(one, many, lost, where=where, why=why)


ALL = (
    N_("At %(where)s no file would have a value any more: %(why)s."),
    N_("At %(where)s %(num)d file would lose its value: %(why)s."),
    N_("At %(where)s %(num)d files would lose their value: %(why)s."),
)
PUBLIC = (
    N_("At %(where)s no file would have a value on the public items any more: %(why)s."),
    N_("At %(where)s %(num)d file would lose its value on the public items: %(why)s."),
    N_("At %(where)s %(num)d files would lose their value on the public items: %(why)s."),
)
REST = (
    N_("At %(where)s no file would have a value on the items that are not public any more: %(why)s."),
    N_("At %(where)s %(num)d file would lose its value on the items that are not public: %(why)s."),
    N_("At %(where)s %(num)d files would lose their value on the items that are not public: %(why)s."),
)


def _losses(session: Session, old: GoldVersion, new: GoldVersion) -> Iterator[tuple[str, str, int, int, str]]:
    """By part and metric: files that would lose their value, those that would have one, the reasons."""
    lost, left = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    reasons: dict[tuple[str, str], list[str]] = defaultdict(list)
    for part, metric, reason, n_lost, n_left in session.execute(union_all(*_queries(old, new))):
        lost[part, metric] += n_lost
        left[part, metric] += n_left
        reasons[part, metric] += [reason] if n_lost else []
    for key in sorted(key for key in lost if lost[key]):
        yield *key, lost[key], left[key], "; ".join(sorted(reasons[key]))


def _queries(old: GoldVersion, new: GoldVersion) -> Iterator[Select[Any]]:
    """Of the scores of all items and of the parts: how many values went, and stay, by metric and reason."""
    was, now = aliased(Score), aliased(Score)
    yield _query(literal_column("'all'"), was, now, old, new)
    part_was, part_now = aliased(PartScore), aliased(PartScore)
    parts = _query(part_now.part, part_was, part_now, old, new)
    yield parts.where(part_was.part == part_now.part).group_by(part_now.part)


def _query(
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
