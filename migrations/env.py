"""Runs and numbers migrations. `server.core.migrate` calls this with an open connection."""

from pathlib import Path

from alembic import context
from alembic.operations import MigrationScript
from sqlalchemy.schema import SchemaItem

VERSIONS = Path(__file__).parent / "versions"


def number_revision(_context: object, _revision: object, directives: list[MigrationScript]) -> None:
    """Give a new migration the next number; its id is the name of its file."""
    script = directives[0]
    numbers = [int(path.name[:4]) for path in VERSIONS.glob("[0-9]*.py")]
    words = "_".join((script.message or "change").lower().split())
    script.rev_id = f"{max(numbers, default=0) + 1:04d}_{words}"[:32]


def _metadata() -> object:
    from server.tables import METADATA  # noqa: PLC0415  (slow to import, and needed only to compare)

    return METADATA


def _is_ours(thing: SchemaItem, name: str | None, kind: str, *_of_comparison: object) -> bool:
    """Whether the models and a database are compared on this: jobs are a table of ours on SQLite alone."""
    table = name if kind == "table" else getattr(getattr(thing, "table", None), "name", None)
    return not (
        str(table).startswith("procrastinate_")
        or table == "job_note"
        or (table == "job" and context.get_bind().dialect.name == "postgresql")
    )


def run() -> None:
    """Migrate on the caller's connection, in batch mode, which SQLite needs."""
    attributes = context.config.attributes
    context.configure(
        connection=attributes["connection"],
        target_metadata=_metadata() if attributes.get("compare") else None,
        render_as_batch=True,
        compare_type=True,
        process_revision_directives=number_revision,
        include_object=_is_ours,
        transaction_per_migration=False,
    )
    with context.begin_transaction():
        context.run_migrations()


run()
