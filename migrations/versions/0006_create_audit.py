"""Create audit."""

import sqlalchemy as sa
from alembic import op

revision = "0006_create_audit"
down_revision = "0005_create_releases"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "audit_entry",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.Column("actor", sa.String(length=64), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=True),
        sa.Column("action", sa.String(length=64), nullable=False),
        sa.Column("details", sa.JSON(), nullable=False),
        sa.Column("previous", sa.String(length=64), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_audit_entry_task_id_task")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_audit_entry")),
        sa.UniqueConstraint("sha256", name=op.f("uq_audit_entry_sha256")),
    )
    op.create_index(op.f("ix_audit_entry_task_id"), "audit_entry", ["task_id"])


def downgrade() -> None:
    op.drop_table("audit_entry")
