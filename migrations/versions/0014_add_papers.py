"""Add the tables and figures of papers that jobs have made."""

import sqlalchemy as sa
from alembic import op

revision = "0014_add_papers"
down_revision = "0013_add_human_ceiling"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "paper",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("release_id", sa.Integer(), nullable=True),
        sa.Column("inputs_sha256", sa.String(length=64), nullable=False),
        sa.Column("style", sa.String(length=8), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=True),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["release_id"], ["release.id"], name=op.f("fk_paper_release_id_release")),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_paper_task_id_task")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_paper")),
        sa.UniqueConstraint("release_id", name=op.f("uq_paper_release_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_paper_task_id"), "paper", ["task_id"])


def downgrade() -> None:
    op.drop_index(op.f("ix_paper_task_id"), "paper")
    op.drop_table("paper")
