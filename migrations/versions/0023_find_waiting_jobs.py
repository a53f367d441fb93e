"""Add an index to find a waiting job by its key quickly, however many others wait."""

from alembic import op

revision = "0023_find_waiting_jobs"
down_revision = "0022_name_whole_runs"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(op.f("ix_job_key_state"), "job", ["key", "state"])


def downgrade() -> None:
    op.drop_index(op.f("ix_job_key_state"), table_name="job")
