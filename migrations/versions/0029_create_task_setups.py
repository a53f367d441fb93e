"""Create the tables of tasks that are being set up in the browser."""

import sqlalchemy as sa
from alembic import op

revision = "0029_create_task_setups"
down_revision = "0028_add_task_states"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "task_setup",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.Column("changed_at", sa.DateTime(), nullable=False),
        sa.Column("tables", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["account.id"], name=op.f("fk_task_setup_user_id_account")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_task_setup")),
    )
    op.create_index(op.f("ix_task_setup_user_id"), "task_setup", ["user_id"])
    op.create_table(
        "task_setup_file",
        sa.Column("setup_id", sa.Integer(), nullable=False),
        sa.Column("path", sa.String(length=100), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["setup_id"], ["task_setup.id"], name=op.f("fk_task_setup_file_setup_id_task_setup")
        ),
        sa.PrimaryKeyConstraint("setup_id", "path", name=op.f("pk_task_setup_file")),
    )


def downgrade() -> None:
    op.drop_table("task_setup_file")
    op.drop_index(op.f("ix_task_setup_user_id"), table_name="task_setup")
    op.drop_table("task_setup")
