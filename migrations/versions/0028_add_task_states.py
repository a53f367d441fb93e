"""Add the state of a task; the tasks that exist are published."""

import sqlalchemy as sa
from alembic import op

revision = "0028_add_task_states"
down_revision = "0027_find_files_by_sender"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("task") as batch:
        batch.add_column(sa.Column("state", sa.String(length=16), nullable=False, server_default="draft"))
        batch.add_column(sa.Column("published_at", sa.DateTime(), nullable=True))
    op.execute("UPDATE task SET state = 'published', published_at = created_at")


def downgrade() -> None:
    with op.batch_alter_table("task") as batch:
        batch.drop_column("published_at")
        batch.drop_column("state")
