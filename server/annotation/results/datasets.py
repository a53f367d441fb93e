"""The data set of a round, by a job: what `scorer dataset` makes of the export, as a zip file to download.

The command runs in a process of its own, since the site's processes load no numpy. The same command makes the
same files from the downloaded export. A data set shows hidden gold, and is offered only as long as it has
exactly the answers that count.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from shlex import join
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from scorer.campaigns.scales import expect_ratings, format_expected_ratings
from server.access import service as access
from server.annotation.models import AnnotationRound, RoundDataSet
from server.annotation.results import answer_rows, exports
from server.core import db
from server.core.actors import Actor
from server.core.errors import NotFound
from server.core.scorer_zips import store_made
from server.core.site_resources import Site
from server.core.storage import storage_of
from server.jobs import service as jobs

DATA_SET_JOB = "annotation.dataset"
"""The kind of job that makes a data set; waiting jobs have this name."""
CHOICES_NAME = "choices.tsv"
"""The name by which the commands read the pairs of an earlier round."""
_OUT = "dataset"
_OPTIONS = {
    "at_least": "--at-least",
    "context_sentences": "--context-sentences",
    "seed": "--seed",
    "expected": "--expected",
}


@dataclass(frozen=True, slots=True)
class DataSet:
    """The newest data set of a round; `failure`: why its job could not run.

    `current`: it is there, and has the answers that count now.
    """

    row: RoundDataSet
    current: bool
    failure: str | None

    @property
    def waiting(self) -> bool:
        """Whether its job has not run yet."""
        return self.row.made_at is None and self.failure is None

    @property
    def command(self) -> str:
        """The command that makes the same files in the folder of the export."""
        return join(("scorer", *list_arguments(self.row.options)))


@dataclass(frozen=True, slots=True)
class FirstRound:
    """A table of pairs that were rated before the campaign, and the expected ratings of its choices."""

    sha256: str
    expected: str

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments with which commands read the table."""
        return (f"--expected={self.expected}",) if self.expected else ()


def list_arguments(options: Mapping[str, int | str]) -> tuple[str, ...]:
    """Return the arguments of `scorer` in the folder of the export."""
    chosen = (f"{name}={options[key]}" for key, name in _OPTIONS.items() if key in options)
    return ("dataset", ".", f"--out={_OUT}", *chosen)


def suggest_options(session: Session, round_: AnnotationRound) -> dict[str, int | str]:
    """Return the options of the newest data set, or else those that suit the round and its gold."""
    newest, rule = _find_newest(session, round_.id), round_.campaign.gold_rule
    scale = round_.rules.scale
    options: dict[str, int | str] = {
        "expected": format_expected_ratings(expect_ratings(scale.min, scale.max))
    }
    if rule is not None and rule.round == round_.slug:
        options["at_least"] = rule.at_least
    return options if newest is None else options | newest.options


def request_data_set(
    session: Session,
    actor: Actor,
    round_: AnnotationRound,
    options: Mapping[str, int | str],
    choices: bytes | None,
    now: datetime,
) -> RoundDataSet:
    """Have a data set made, which replaces the earlier one of the round.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
    """
    access.require_organizer(session, actor, round_.campaign.task)
    # Their files are orphaned, so that the sweep deletes them.
    earlier = update(RoundDataSet).where(RoundDataSet.round_id == round_.id)
    session.execute(earlier.values(choices_sha256=None, sha256=None))
    row = RoundDataSet(
        round_id=round_.id,
        options=dict(options),
        choices_sha256=None if choices is None else storage_of(session).put(choices),
    )
    session.add(row)
    session.flush()
    jobs.add_job(session, DATA_SET_JOB, {"data_set": row.id}, now, key=_job_key(row))
    return row


def find_data_set(session: Session, round_: AnnotationRound) -> DataSet | None:
    """Return the newest data set of a round; None: nobody asked for one."""
    row = _find_newest(session, round_.id)
    if row is None:
        return None
    has_file, state = row.sha256 is not None, answer_rows.hash_state(session, [round_])
    failure = jobs.find_error(session, _job_key(row))
    return DataSet(row, has_file and row.answers_sha256 == state, failure)


def read_data_set(session: Session, actor: Actor, round_: AnnotationRound) -> bytes:
    """Return the zip file of the newest data set.

    Raises:
        Forbidden, NotFound: `actor` may not see all of the task, or no data set has the answers that count.
    """
    access.require_observer(session, actor, round_.campaign.task)
    found = find_data_set(session, round_)
    if found is None or not found.current or found.row.sha256 is None:
        raise NotFound.of("There is no data set of the answers that count now.")
    return storage_of(session).get(found.row.sha256)


def find_first_round(session: Session, round_: AnnotationRound) -> FirstRound | None:
    """Return the table of an earlier round of the newest data set, if the scorer accepted it."""
    row = _find_newest(session, round_.id)
    if row is None or row.choices_sha256 is None or row.made_at is None or row.error is not None:
        return None
    return FirstRound(row.choices_sha256, str(row.options.get("expected", "")))


def name_folder(round_: AnnotationRound) -> str:
    """Return the name of the folder in the zip file, which is made of slugs."""
    return f"{exports.name_folder(round_)}-dataset"


def make_data_set(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
    """Make a data set from the answers that count now, and store its zip file or why there is none."""
    session = site.session()
    with TemporaryDirectory() as name:
        folder = Path(name)
        with db.reading(session):
            row = session.get_one(RoundDataSet, payload["data_set"])
            if row.made_at is not None or _find_newest(session, row.round_id) is not row:
                return
            state = answer_rows.hash_state(session, [row.round])
            exports.write_files(session, row.round, folder)
            arguments, folder_name = list_arguments(row.options), name_folder(row.round)
            if row.choices_sha256 is not None:
                (folder / CHOICES_NAME).write_bytes(site.storage.get(row.choices_sha256))
        sha256, error = store_made(site.storage, arguments, folder, _OUT, folder_name)
    with db.writing(session):
        row = session.get_one(RoundDataSet, payload["data_set"])
        row.answers_sha256, row.error, row.made_at = state, error, now
        if _find_newest(session, row.round_id) is row:
            row.sha256 = sha256


def _find_newest(session: Session, round_id: int) -> RoundDataSet | None:
    query = select(RoundDataSet).where(RoundDataSet.round_id == round_id)
    return session.scalar(query.order_by(RoundDataSet.id.desc()).limit(1))


def _job_key(row: RoundDataSet) -> str:
    return f"{DATA_SET_JOB} {row.id}"
