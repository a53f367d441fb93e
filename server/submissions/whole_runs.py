"""Whole runs: files for several levels at once, each named by its level.

All of them are stored, or none. Only a file for a level with a used-up quota is left out, and named."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Generic, TypeVar

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from scorer.bundles.run_file_names import LEVEL_TWICE, NO_LEVEL, ignored_files, levels_in_name
from server.access import tasks
from server.core import db
from server.core.actors import Actor
from server.core.errors import (
    Conflict,
    FileFault,
    InvalidFile,
    InvalidRunFiles,
    NotFound,
    PhaseClosed,
    QuotaExceeded,
    TermsNotAccepted,
    TooLarge,
)
from server.core.i18n import _, ngettext
from server.core.zips import read_members
from server.phases.feedback import ShownScore
from server.phases.models import Phase
from server.phases.quotas import upload_limit
from server.runs import service as runs
from server.runs.models import Run
from server.submissions import eligibility, feedback, rejections, service as submissions
from server.submissions.models import Receipt, Standing, Submission
from server.tasks.models import Level

ZIP_SUFFIX = ".zip"
ReadFile = TypeVar("ReadFile")


@dataclass(frozen=True, slots=True)
class SentFile:
    """An uploaded file, whose name says its level; `first_is_score` and `sure` as in `ReceivedFile`."""

    name: str
    data: bytes
    first_is_score: bool = False
    sure: bool = False


@dataclass(frozen=True, slots=True)
class RunFiles(Generic[ReadFile]):
    """The files of a whole run, prepared or checked, and the names of zip members that are not run files.

    `left_out`: the files that are not stored with them, because the quota of their level is used up."""

    files: Sequence[ReadFile]
    ignored: Sequence[str]
    left_out: Sequence[FileFault] = ()


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A stored file of a whole run; its scores as the phase shows them, None if it hides them."""

    submission: Submission
    scores: Sequence[ShownScore] | None
    counts: bool
    receipt: bool


def get_run_size_limit(session: Session, actor: Actor, run_id: int) -> int:
    """Return the maximum size of all files of a run together.

    Raises:
        NotFound: no such run of the person's team.
    """
    return run_size_limit(runs.get_run(session, actor, run_id).phase)


def get_run_state(session: Session, run: Run, now: datetime) -> runs.RunState:
    """Return a run's submissions at each level, and how many more files are allowed there."""
    states = runs.list_runs(session, run.team, [run.phase], now)[run.phase_id]
    return next(state for state in states if state.run.id == run.id)


def prepare_run(
    session: Session, actor: Actor, run_id: int, sent: Sequence[SentFile], now: datetime
) -> RunFiles[submissions.PreparedFile]:
    """Unpack, parse and score every file; each invalid one is recorded, in one transaction.

    Raises:
        NotFound, PhaseClosed, TermsNotAccepted, RateLimited: as for a single file.
        InvalidRunFiles: a file is invalid, is not accepted now, or names no level; with each fault.
    """
    try:
        return _read_all(session, actor, run_id, sent, now, submissions.score_file)
    except InvalidRunFiles as refused:
        with db.writing(session):
            _record_rejections(session, actor, run_id, refused, now)
        raise


def check_run(
    session: Session, actor: Actor, run_id: int, sent: Sequence[SentFile], now: datetime
) -> RunFiles[submissions.UploadCheck]:
    """Unpack and parse every file; reads no gold and writes nothing; raises as `prepare_run` does."""
    return _read_all(session, actor, run_id, sent, now, submissions.check_file)


def _read_all(
    session: Session,
    actor: Actor,
    run_id: int,
    sent: Sequence[SentFile],
    now: datetime,
    read: Callable[[Session, Actor, eligibility.ReceivedFile, datetime], ReadFile],
) -> RunFiles[ReadFile]:
    """Read every file of a run at its level."""
    run = runs.get_run(session, actor, run_id)

    def read_file(file: SentFile, level: Level) -> ReadFile:
        target = eligibility.find_target(session, run, level.slug, now)
        received = eligibility.ReceivedFile(target, file.data, file.name, file.first_is_score, file.sure)
        return read(session, actor, received, now)

    return read_files(run.phase, sent, read_file)


def read_files(
    phase: Phase, sent: Sequence[SentFile], read: Callable[[SentFile, Level], ReadFile]
) -> RunFiles[ReadFile]:
    """Unpack files, and read each at the level that its name says.

    Raises:
        InvalidRunFiles: a file is invalid, is not accepted now, or names no level; with each fault.
    """
    levels = tasks.levels_of(phase)
    files, ignored, faults = _unpack(sent, run_size_limit(phase), [level.slug for level in levels])
    named, unclear = _assign_levels(files, levels)
    good, names = list[ReadFile](), list[str]()
    left_out: list[FileFault] = []
    for file, level in named:
        name = basename(file.name)
        try:
            good.append(read(replace(file, name=name), level))
            names.append(name)
        except (PhaseClosed, TermsNotAccepted):
            raise
        except InvalidFile as refused:
            faults.append(_file_fault(file, level, refused.code, refused.message, refused))
        except QuotaExceeded as error:
            left_out.append(_file_fault(file, level, error.code, error.message))
        except (TooLarge, Conflict) as error:
            faults.append(_file_fault(file, level, error.code, error.message))
    faults += unclear
    if faults or not good:
        faults += left_out
        raise _refuse_run(_sort_faults(faults, levels), names, ignored)
    return RunFiles(good, ignored, _sort_faults(left_out, levels))


def _file_fault(
    file: SentFile, level: Level, code: str, words: str, refused: InvalidFile | None = None
) -> FileFault:
    data = b"" if refused is None else file.data
    return FileFault(file.name, code, words, level.slug, level.title, refused, data)


def _record_rejections(
    session: Session, actor: Actor, run_id: int, refused: InvalidRunFiles, now: datetime
) -> None:
    """Record each invalid file like a single upload, so that each counts towards the limit of an hour."""
    for fault in refused.faults:
        if fault.refused is not None and fault.level is not None:
            level, name = fault.level, basename(fault.filename)
            rejections.record_rejection(session, actor, run_id, level, fault.data, name, fault.refused, now)


def list_stored_files(session: Session, run: Run, ids: Sequence[int]) -> list[StoredFile]:
    """Return the submissions of a run with these ids, in the order of the levels.

    Raises:
        NotFound: one of them is not a submission of the run.
    """
    query = select(Submission).where(Submission.run_id == run.id, Submission.id.in_(ids))
    files = list(session.scalars(query.options(joinedload(Submission.level), joinedload(Submission.run))))
    if len(files) != len(set(ids)) or not files:
        raise NotFound.of("There is no such upload.")
    shown = feedback.shown_scores(session, run.phase, Submission.id.in_(ids))
    counting = set(session.scalars(select(Standing.submission_id).where(Standing.run_id == run.id)))
    receipts = set(session.scalars(select(Receipt.submission_id).where(Receipt.submission_id.in_(ids))))
    return [
        StoredFile(one, shown.get(one.id), one.id in counting, one.id in receipts)
        for one in sorted(files, key=lambda one: one.level.position)
    ]


def basename(path: str) -> str:
    """Return the name of a file without its folders."""
    return path.rpartition("/")[2]


def run_size_limit(phase: Phase) -> int:
    """Return the maximum size of all files of a run together."""
    keyed = phase.task.keyed is not None
    return sum(upload_limit(split.n_items, keyed=keyed) for _level, split in tasks.splits_of(phase))


def _unpack(
    sent: Sequence[SentFile], most: int, slugs: Sequence[str]
) -> tuple[list[SentFile], list[str], list[FileFault]]:
    """Return the files, including those of zips; which members were ignored; and what is wrong with files."""
    files: list[SentFile] = []
    ignored: list[str] = []
    faults: list[FileFault] = []
    for sent_file in sent:
        if not sent_file.name.lower().endswith(ZIP_SUFFIX):
            files.append(sent_file)
            continue
        try:
            members = read_members(sent_file.data, most)
        except InvalidFile as refused:
            faults += [
                FileFault(f"{sent_file.name}/{bad.source}", bad.code, bad.message) for bad in refused.problems
            ] or [FileFault(sent_file.name, refused.code, refused.message)]
            continue
        zips = [name for name, _data in members if name.lower().endswith(ZIP_SUFFIX)]
        if zips:
            words = _("it is a zip within the zip. Put its files into the zip themselves")
            faults += [FileFault(f"{sent_file.name}/{name}", NO_LEVEL, words) for name in zips]
            continue
        ignored_names = ignored_files([name for name, _data in members], slugs)
        files += [
            replace(sent_file, name=name, data=data) for name, data in members if name not in ignored_names
        ]
        ignored += ignored_names
    return files, ignored, faults


def _assign_levels(
    files: Sequence[SentFile], levels: Sequence[Level]
) -> tuple[list[tuple[SentFile, Level]], list[FileFault]]:
    """Return the files with their levels, and faults of those whose level is unclear."""
    by_slug = {level.slug: level for level in levels}
    taken: dict[str, list[SentFile]] = {}
    faults: list[FileFault] = []
    for file in files:
        slugs = levels_in_name(file.name, list(by_slug))
        if len(slugs) == 1:
            taken.setdefault(slugs[0], []).append(file)
        elif slugs:
            words = _("its name contains more than one level: %(levels)s", levels=", ".join(slugs))
            faults.append(FileFault(file.name, NO_LEVEL, words))
        else:
            words = _(
                "its name contains no level. Leave it out, or add one of these to its name: %(levels)s",
                levels=", ".join(by_slug),
            )
            faults.append(FileFault(file.name, NO_LEVEL, words))
    named = [(same[0], by_slug[slug]) for slug, same in taken.items() if len(same) == 1]
    for slug, same in taken.items():
        level = by_slug[slug]
        names = ", ".join(file.name for file in same)
        words = _("several files are for %(level)s: %(names)s. Send one.", level=level.title, names=names)
        faults += [_file_fault(file, level, LEVEL_TWICE, words) for file in same if len(same) > 1]
    return named, faults


def _sort_faults(faults: Sequence[FileFault], levels: Sequence[Level]) -> list[FileFault]:
    """Sort faults by the task's levels, then those without a level."""
    slugs = [level.slug for level in levels]
    return sorted(faults, key=lambda one: slugs.index(one.level) if one.level else len(slugs))


def _refuse_run(faults: Sequence[FileFault], good: Sequence[str], ignored: Sequence[str]) -> InvalidRunFiles:
    if not faults:
        return InvalidRunFiles(_("No run file was sent."), (), (), ignored)
    words = ngettext("%(num)d file has problems.", "%(num)d files have problems.", len(faults))
    return InvalidRunFiles(words, faults, good, ignored)
