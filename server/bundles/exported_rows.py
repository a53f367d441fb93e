"""What reads the rows of one export: a query each, and one record a row."""

from typing import Any

from sqlalchemy import Select
from sqlalchemy.orm import Session

from server.bundles.files import ExportFiles
from server.bundles.people import ExportPeople
from server.tasks.models import Task


class ExportedRows:
    """One export: its task, the files that it names, the people whom it has met."""

    def __init__(self, session: Session, task: Task, files: ExportFiles, people: ExportPeople) -> None:
        self.session = session
        self.task = task
        self.files = files
        self.people = people

    def all(self, query: Select[Any]) -> list[Any]:
        """The rows of a query."""
        return list(self.session.scalars(query))
