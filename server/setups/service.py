"""Beginning, changing and deleting a task setup. Each function is for the person who began it alone."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from server.core.actors import Actor
from server.core.errors import Conflict, NotFound
from server.core.i18n import _
from server.scoring.baselines import BASELINES
from server.setups.models import TaskSetup
from server.teams.service import ORGANIZERS

MAX_SETUPS = 20
"""How many tasks a person can be setting up at a time."""


def begin_setup(session: Session, actor: Actor, title: str, slug: str, now: datetime) -> TaskSetup:
    """Begin to set up a task, which gets both baselines and Pearson's and Spearman's correlation.

    Raises:
        Conflict: the person is setting up too many tasks.
    """
    query = select(func.count(TaskSetup.id)).where(TaskSetup.user_id == actor.user_id)
    if (session.scalar(query) or 0) >= MAX_SETUPS:
        raise Conflict(
            _("You are setting up %(most)d tasks already. Create or delete one first.", most=MAX_SETUPS)
        )
    task = {"slug": slug, "title": title, "metrics": ["pearson", "spearman"]}
    tables = {"task": task, "run": list_baseline_runs(list(BASELINES))}
    setup = TaskSetup(user_id=actor.user_id, made_at=now, changed_at=now, tables=tables)
    session.add(setup)
    session.flush()
    return setup


def list_setups(session: Session, actor: Actor) -> list[TaskSetup]:
    """List the tasks that a person is setting up, the last changed first."""
    query = select(TaskSetup).where(TaskSetup.user_id == actor.user_id)
    return list(session.scalars(query.order_by(TaskSetup.changed_at.desc(), TaskSetup.id.desc())))


def get_setup(session: Session, actor: Actor, setup_id: int) -> TaskSetup:
    """Return a setup to the person who began it.

    Raises:
        NotFound: for everyone else.
    """
    setup = session.get(TaskSetup, setup_id)
    if setup is None or actor.user_id is None or setup.user_id != actor.user_id:
        raise NotFound(_("There is no such page."))
    return setup


def change_tables(setup: TaskSetup, now: datetime, **tables: Any) -> None:
    """Put tables in the place of those with the same names."""
    setup.tables = {**setup.tables, **tables}
    setup.changed_at = now


def change_task(setup: TaskSetup, values: Mapping[str, Any], now: datetime) -> None:
    """Change some keys of the task; a value of None removes its key."""
    task = {**setup.tables["task"], **values}
    change_tables(setup, now, task={key: value for key, value in task.items() if value is not None})


def list_baseline_runs(names: Sequence[str]) -> list[dict[str, str]]:
    """Return the runs of these baselines."""
    return [
        {"team": ORGANIZERS, "name": title, "baseline": name}
        for name, title in BASELINES.items()
        if name in names
    ]


def delete_setup(session: Session, setup: TaskSetup) -> None:
    """Delete a setup; its files are removed with other files that no row refers to."""
    session.delete(setup)
    session.flush()


def delete_setups(session: Session, user_id: int) -> None:
    """Delete all setups of a person whose personal data are erased."""
    for setup in session.scalars(select(TaskSetup).where(TaskSetup.user_id == user_id)).all():
        session.delete(setup)
