"""Creating the task of a setup: planning the import of its bundle, and importing it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy.orm import Session

from server import bundles
from server.accounts.models import User
from server.bundles import ImportPlan
from server.core.actors import Actor
from server.core.errors import Conflict
from server.core.i18n import _
from server.core.storage import Storage
from server.setups.bundle_files import SetupContent, content_of, write_bundle
from server.setups.service import delete_setup, get_setup
from server.tasks.models import Task


@contextmanager
def planned(content: SetupContent, storage: Storage) -> Iterator[ImportPlan]:
    """Plan the import of a setup's bundle, which is in a folder as long as the plan is needed.

    Raises:
        InvalidFile: as for an uploaded bundle.
    """
    with TemporaryDirectory(prefix="assay-setup-") as name:
        folder = Path(name)
        write_bundle(folder, content, storage)
        yield bundles.plan_upload(folder)


def create_task(
    session: Session,
    storage: Storage,
    actor: Actor,
    setup_id: int,
    content: SetupContent,
    plan: ImportPlan,
    now: datetime,
) -> Task:
    """Import the task that was planned as a draft, with the person as its organizer, and delete the setup.

    Raises:
        NotFound: the setup is not the person's, or was deleted meanwhile.
        Conflict: it was changed since it was planned.
        NameTaken: there is a task with its short name.
    """
    setup = get_setup(session, actor, setup_id)
    if content_of(setup) != content:
        raise Conflict(_("The task was changed meanwhile. Check it again."))
    bundles.require_free_slug(session, setup.slug)
    organizer = session.get_one(User, setup.user_id)
    task = bundles.import_task(session, storage, actor, plan, [organizer], now, published=False)
    delete_setup(session, setup)
    return task
