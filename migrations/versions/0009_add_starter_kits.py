"""Let the table of a task's pictures have the files of its starter kit too, and name it for both."""

import sqlalchemy as sa
from alembic import op

revision = "0009_add_starter_kits"
down_revision = "0008_add_task_pictures"
branch_labels = None
depends_on = None

_COLUMNS = ("task_id", "name", "sha256", "content_type", "width", "height", "is_logo")


def _create_table(name: str, *, only_pictures: bool) -> None:
    op.create_table(
        name,
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("content_type", sa.String(length=16), nullable=False),
        sa.Column("width", sa.Integer(), nullable=not only_pictures),
        sa.Column("height", sa.Integer(), nullable=not only_pictures),
        sa.Column("is_logo", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=f"fk_{name}_task_id_task"),
        sa.PrimaryKeyConstraint("id", name=f"pk_{name}"),
        sa.UniqueConstraint("task_id", "name", name=f"uq_{name}_task_id_name"),
        sqlite_autoincrement=True,
    )


def _copy_rows(source: str, target: str) -> sa.Insert:
    """Copy all pictures, in their order."""
    old, new = (sa.table(name, *map(sa.column, ("id", *_COLUMNS))) for name in (source, target))
    pictures = sa.select(*(old.c[name] for name in _COLUMNS)).where(old.c.width.is_not(None))
    return sa.insert(new).from_select(_COLUMNS, pictures.order_by(old.c.id))


def upgrade() -> None:
    _create_table("task_file", only_pictures=False)
    op.execute(_copy_rows("task_picture", "task_file"))
    op.drop_table("task_picture")


def downgrade() -> None:
    _create_table("task_picture", only_pictures=True)
    op.execute(_copy_rows("task_file", "task_picture"))
    op.drop_table("task_file")
