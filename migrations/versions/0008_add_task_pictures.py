"""Add the pictures of tasks."""

import sqlalchemy as sa
from alembic import op

revision = "0008_add_task_pictures"
down_revision = "0007_add_round_export"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "task_picture",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("content_type", sa.String(length=16), nullable=False),
        sa.Column("width", sa.Integer(), nullable=False),
        sa.Column("height", sa.Integer(), nullable=False),
        sa.Column("is_logo", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name="fk_task_picture_task_id_task"),
        sa.PrimaryKeyConstraint("id", name="pk_task_picture"),
        sa.UniqueConstraint("task_id", "name", name="uq_task_picture_task_id_name"),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    op.drop_table("task_picture")
