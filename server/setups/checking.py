"""Checks a task setup by planning the import of its bundle: one split alone, or all of it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from scorer.bundles.overview import OffStep, SplitOverview, list_off_step, list_splits
from server import bundles
from server.bundles import ImportPlan
from server.core.cache import CacheByHash
from server.core.errors import FileProblem, InvalidFile
from server.core.i18n import N_, _, ngettext
from server.core.storage import Storage
from server.core.zips import MEGABYTE
from server.setups import levels
from server.setups.bundle_files import BundleFile, SetupContent, write_bundle
from server.setups.models import TaskSetup
from server.setups.rules import KINDS, SPLITS

IN_PROCESS_LIMIT = MEGABYTE
"""The maximum size of a split's files that are read without a process that has limits of memory and time."""
ANY_SCALE = {"min": -1e300, "max": 1e300}
"""The scale against which gold is checked before the person has given theirs."""
SPLIT_TASK_KEYS = ("slug", "title", "scale", "metrics", "run_format", "keyed")


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The problems of a bundle, of which there are `count`; without any, what each split has.

    `message` says what is wrong if that is no problem of one of its files.
    """

    problems: tuple[FileProblem, ...] = ()
    count: int = 0
    message: str = ""
    splits: tuple[SplitOverview, ...] = ()
    off_step: tuple[OffStep, ...] = ()
    """Gold values that are allowed, but not on a step of the scale."""

    @property
    def is_good(self) -> bool:
        """Whether there is no problem."""
        return not self.problems and not self.message


_RESULTS: CacheByHash[tuple[str, bool], CheckResult] = CacheByHash(64)
"""The results of checks by a hash of everything that the bundle has; only its person sees them."""


_PAGE_WORDS = {
    "set public_gold = true": N_("let everyone download the gold"),
    "correct it, or the scale in task.toml": N_("correct it, or the scale of the task"),
    "add the column, and group to the level's columns": N_("add the column, and choose “group” for it"),
    'must name "left" once': N_("choose which column is the left text"),
    'must name "right" once': N_("choose which column is the right text"),
    'must name "id" once': N_("choose which column is the id"),
}
"""What a message about a key of task.toml means on the pages, where nobody writes that file."""


def split_content(setup: TaskSetup, level: str, split: str) -> SetupContent:
    """Return the part of a setup that has one split of a level, as a bundle that can be checked."""
    table, task = levels.get_level(setup, level), setup.tables["task"]
    tables = {
        "task": {"scale": ANY_SCALE, **{key: task[key] for key in SPLIT_TASK_KEYS if key in task}},
        "level": [{key: value for key, value in table.items() if key == split or key not in SPLITS}],
        "phase": [{"slug": "check", "split": split}],
    }
    found = (levels.find_file(setup, level, split, kind) for kind in KINDS)
    files = tuple(BundleFile(file.path, file.sha256, file.size) for file in found if file is not None)
    return SetupContent(tables, files)


def check_split(content: SetupContent, storage: Storage) -> CheckResult:
    """Check one split alone; small files are read at once, because nothing is computed from them."""
    small = content.size <= IN_PROCESS_LIMIT
    return _check(content, storage, bundles.plan_import if small else bundles.plan_upload)


def check_bundle(content: SetupContent, storage: Storage) -> CheckResult:
    """Check the whole bundle as an import does, with limits of memory and time."""
    return _check(content, storage, bundles.plan_upload)


def _check(content: SetupContent, storage: Storage, plan: Callable[[Path], ImportPlan]) -> CheckResult:
    def compute() -> CheckResult:
        with TemporaryDirectory(prefix="assay-setup-") as name:
            folder = Path(name)
            write_bundle(folder, content, storage)
            try:
                bundle = plan(folder).bundle
                return CheckResult(splits=tuple(list_splits(bundle)), off_step=tuple(list_off_step(bundle)))
            except InvalidFile as error:
                if not error.problems:
                    raise  # it took too long, which it may not do the next time: that is not cached
                return CheckResult(tuple(map(_for_pages, error.problems)), error.count)

    try:
        return _RESULTS.get((content.digest, plan is bundles.plan_upload), compute)
    except InvalidFile as error:
        return CheckResult(message=error.message)


def describe_off_step(off: OffStep) -> str:
    """Say which gold values are not on a step of the scale."""
    values = {
        "count": len(off.places), "step": f"{off.step:g}", "low": f"{off.low:g}", "places": off.first_places,
    }  # fmt: skip
    if off.are_lines:
        return ngettext(
            "%(count)s gold value is not in steps of %(step)s from %(low)s: line %(places)s.",
            "%(count)s gold values are not in steps of %(step)s from %(low)s: lines %(places)s.",
            len(off.places),
            **values,
        )
    return ngettext(
        "%(count)s gold value is not in steps of %(step)s from %(low)s: item %(places)s.",
        "%(count)s gold values are not in steps of %(step)s from %(low)s: items %(places)s.",
        len(off.places),
        **values,
    )


def _for_pages(problem: FileProblem) -> FileProblem:
    """Return a problem in the words of the pages."""
    message = problem.message
    for part, words in _PAGE_WORDS.items():
        message = message.replace(part, _(words))
    return replace(problem, message=message)
