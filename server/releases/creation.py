"""Creating a release: a copy of the leaderboard as it is now, with or without team names.

The release keeps the rules and the run files of that moment too.
"""

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from server.access import service as access, tasks, terms
from server.audit import service as audit
from server.boards import service as boards
from server.core.actors import Actor
from server.core.dates import format_utc
from server.core.errors import Conflict
from server.core.storage import text_sha256
from server.gold import versions as gold_versions
from server.gold.models import GoldEvent
from server.inferences import inference_inputs
from server.mail import notices
from server.phases import windows
from server.phases.feedback import Feedback
from server.phases.models import Extension, Phase
from server.releases import inferences, pseudonyms, release_gold, run_files, seals
from server.releases.models import Release, ReleaseNaming
from server.releases.service import find_newest
from server.scoring import service as scoring
from server.submissions import follow_up_jobs
from server.tasks.models import Split


@dataclass(frozen=True, slots=True)
class ReleaseOptions:
    """How a leaderboard is released: with or without team names, with the gold standard, with a note."""

    anonymous: bool = False
    opens_gold: bool = False
    note: str | None = None
    """The organizers' note to readers."""


DEFAULT_OPTIONS = ReleaseOptions()


HumanCeilings = dict[int, list[dict[str, Any]]]
"""How well annotators would do by each metric of a level, by the id of its split."""


@dataclass(frozen=True, slots=True)
class ReleaseContent:
    """The stored parts of a release; `named_board`: the leaderboard of an anonymous one with team names."""

    board: str
    named_board: str | None = None
    files: list[dict[str, Any]] | None = None
    opens_gold: bool = False
    note: str | None = None
    ceilings: HumanCeilings = field(default_factory=dict)


def release_board(
    session: Session, actor: Actor, phase: Phase, now: datetime, manner: ReleaseOptions = DEFAULT_OPTIONS
) -> Release:
    """Release the current leaderboard of a phase; raises as `make_release` does.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
    """
    access.require_organizer(session, actor, phase.task)
    return make_release(session, actor, phase, now, manner)


def make_release(
    session: Session, actor: Actor, phase: Phase, now: datetime, manner: ReleaseOptions
) -> Release:
    """Make a manual or scheduled release. The caller checks the permission; all checks precede writing.

    Raises:
        Conflict: the task is a draft, the board is empty, the newest manual release shows the same, the
            pseudonyms of an anonymous one are known already, or the gold standard may not be published.
    """
    access.require_published(phase.task)
    hidden_until = windows.baselines_hidden_until(session, phase, now)
    baselines = hidden_until is None
    named = boards.board_text(session, phase, baselines=baselines)
    _require_rows(phase, named, hidden_until)
    require_allowed_options(session, phase, manner, now)
    ceilings = _list_human_ceilings(session, phase, now, opens_gold=manner.opens_gold)
    _require_change(session, phase, named, manner, ceilings)
    if manner.opens_gold:
        release_gold.open_gold(session, actor, phase, now)
    names = pseudonyms.name_runs(session, phase) if manner.anonymous else None
    text = boards.board_text(session, phase, baselines=baselines, names=names) if manner.anonymous else named
    copy = ReleaseContent(
        board=text,
        named_board=named if manner.anonymous else None,
        files=run_files.list_files(session, phase, names, baselines=baselines),
        opens_gold=manner.opens_gold,
        note=manner.note or None,
        ceilings=ceilings,
    )
    release = add_release(session, actor, phase, copy, now)
    inputs = inference_inputs.collect_inputs(session, phase, baselines=baselines, names=names)
    inferences.queue_release(session, release, inputs, now)
    notices.queue_release_notice(session, phase, now)
    for other in windows.list_phases_on_items(session, phase.task_id, phase.split):
        follow_up_jobs.add_follow_up_jobs(session, other, now)
    return release


def require_allowed_options(session: Session, phase: Phase, manner: ReleaseOptions, at: datetime) -> None:
    """Raise unless these options are allowed at an instant, whatever the leaderboard is then.

    Raises:
        Conflict: the pseudonyms of an anonymous one are known, or the gold may not be published.
    """
    query = select(Release.number).join(ReleaseNaming, ReleaseNaming.release_id == Release.id)
    number = session.scalar(query.where(Release.phase_id == phase.id).limit(1))
    if manner.anonymous and number is not None:
        raise Conflict.of(
            "Release %(number)d already shows the team names, so an anonymous release would hide nothing.",
            number=number,
        )
    if manner.opens_gold:
        release_gold.require_may_open(session, phase, at)


def _require_rows(phase: Phase, text: str, hidden_until: datetime | None) -> None:
    values = json.loads(text)
    if not (values["official"] or values["late"] or values["baselines"]):
        if hidden_until is None:
            raise Conflict.of("There is nothing to release: %(phase)s has no submissions.", phase=phase.title)
        raise Conflict.of(
            "There is nothing to release: %(phase)s has no submissions, and baselines are hidden "
            "until %(at)s.",
            phase=phase.title,
            at=format_utc(hidden_until),
        )


def _list_human_ceilings(session: Session, phase: Phase, now: datetime, *, opens_gold: bool) -> HumanCeilings:
    """Return the human ceilings that a release may have; they are of all items, so it is scored on all."""
    may_show = opens_gold or release_gold.may_show_more(session, phase, now)
    if phase.feedback == "public-part" or not may_show:
        return {}
    pairs = tasks.splits_of(phase)
    golds = gold_versions.list_golds(session, [split for _level, split in pairs])
    found: HumanCeilings = {}
    for level, split in pairs:
        stored = golds[split.id].human_ceiling or () if split.id in golds else ()
        by_metric = {each["metric"]: each for each in stored}
        if shown := [by_metric[name] for name in level.metrics if name in by_metric]:
            found[split.id] = shown
    return found


def _require_change(
    session: Session, phase: Phase, named: str, manner: ReleaseOptions, ceilings: HumanCeilings
) -> None:
    """Raise if the newest manual release shows the same.

    Publishing the gold standard counts as a change, and so does a human ceiling that was hidden.
    """
    newest = find_newest(session, phase)
    if newest is None or newest.withdrawal is not None or not newest.by_hand or manner.opens_gold:
        return
    if ceilings and newest.people is None:
        return
    same = (newest.release.named_sha256 or newest.release.sha256) == text_sha256(named)
    if same and newest.anonymous == manner.anonymous:
        raise Conflict.of("Release %(number)d already shows this leaderboard.", number=newest.release.number)
    if same and newest.anonymous:
        raise Conflict.of(
            "Release %(number)d shows this leaderboard without names. Reveal its team names instead.",
            number=newest.release.number,
        )


def add_release(
    session: Session,
    actor: Actor,
    phase: Phase,
    copy: ReleaseContent,
    now: datetime,
    feedback: Feedback | None = None,
) -> Release:
    """Add a release; the caller checks the permission. With `feedback`, it is of a live leaderboard."""
    newest = find_newest(session, phase)
    named = copy.named_board
    release = Release(
        phase_id=phase.id,
        number=1 if newest is None else newest.release.number + 1,
        board=copy.board,
        sha256=text_sha256(copy.board),
        named_board=named,
        named_sha256=None if named is None else text_sha256(named),
        rules=snapshot_rules(session, phase, now, copy),
        files=copy.files,
        opens_gold=copy.opens_gold,
        feedback=feedback,
        note=copy.note,
        **actor.made(now),
    )
    session.add(release)
    session.flush()
    manner = {"anonymous": release.anonymous, "opens_gold": release.opens_gold, "note": copy.note is not None}
    details = {"number": release.number, "sha256": release.sha256, "statement": True}
    details |= {name: True for name, applies in manner.items() if applies}
    action = "release.add" if feedback is None else "release.live"
    entry = audit.record(session, actor, now, action, phase.task_id, phase=phase.slug, **details)
    seals.seal_release(session, phase, release, entry, now)
    return release


RULES_SCHEMA = "assay.rules/1"


def snapshot_rules(session: Session, phase: Phase, now: datetime, content: ReleaseContent) -> dict[str, Any]:
    """Return the rules of a phase as its leaderboard is released; only human ceilings depend on gold."""
    in_force = terms.find_terms(session, phase.task)
    return {
        "schema": RULES_SCHEMA,
        "phase": {
            "slug": phase.slug,
            "title": phase.title,
            "split": phase.split,
            "opens": _instant(phase.opens),
            "closes": _instant(phase.closes),
            "grace_hours": phase.grace_hours,
        },
        "extensions": _extension_rules(session, phase),
        "runs_per_team": phase.runs_per_team,
        "files_per_level": phase.files_per_level,
        "files_per_day": phase.files_per_day,
        "feedback": {"kind": phase.feedback, "places": phase.feedback_places, "step": phase.ladder_step},
        "board": dict(phase.task.board_rules),
        "levels": _level_rules(session, phase, content.ceilings),
        "baselines": windows.baselines_hidden_until(session, phase, now) is None,
        "runs_public": phase.runs_public,
        "opens_gold": content.opens_gold,
        "terms": None if in_force is None else in_force.number,
        "scorer": scoring.VERSION,
    }


def _extension_rules(session: Session, phase: Phase) -> dict[str, Any]:
    """Return the extensions for all, in order, and how many teams had their own."""
    query = select(Extension.closes).where(Extension.phase_id == phase.id, Extension.team_id.is_(None))
    teams = select(func.count(Extension.team_id.distinct())).where(Extension.phase_id == phase.id)
    return {
        "for_all": [_instant(closes) for closes in session.scalars(query.order_by(Extension.id))],
        "teams": session.scalar(teams) or 0,
    }


def _level_rules(session: Session, phase: Phase, ceilings: HumanCeilings) -> list[dict[str, Any]]:
    pairs = tasks.splits_of(phase)
    golds = _gold_rules(session, [split for _, split in pairs], ceilings)
    return [
        {
            "slug": level.slug,
            "title": level.title,
            "metrics": list(level.metrics),
            "counts": level.counts,
            "items": split.n_items,
            "public_items": split.n_public,
            "gold": golds.get(split.id),
        }
        for level, split in pairs
    ]


def _gold_rules(session: Session, splits: list[Split], ceilings: HumanCeilings) -> dict[int, dict[str, Any]]:
    """Return the number of each gold version in force and since when it is, by the id of its split."""
    versions = gold_versions.list_golds(session, splits)
    since = select(func.max(GoldEvent.made_at), GoldEvent.gold_version_id)
    published = since.where(
        GoldEvent.event == "published",
        GoldEvent.gold_version_id.in_([version.id for version in versions.values()]),
    )
    dates = {row[1]: row[0] for row in session.execute(published.group_by(GoldEvent.gold_version_id))}
    return {
        split_id: {"version": version.number, "since": _instant(dates[version.id])}
        | ({"human_ceiling": ceilings[split_id]} if split_id in ceilings else {})
        for split_id, version in versions.items()
    }


def _instant(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat(timespec="seconds").replace("+00:00", "Z")
