"""Add an index that covers counting a run's files at each level, in total and for a day."""

from alembic import op

revision = "0025_count_files_by_index"
down_revision = "0024_gather_confirmations"
branch_labels = None
depends_on = None

OLD, NEW = ["run_id", "level_id"], ["run_id", "level_id", "arrived_at", "id"]


def upgrade() -> None:
    op.drop_index(op.f("ix_submission_run_id_level_id"), table_name="submission")
    op.create_index(op.f("ix_submission_run_id_level_id_arrived_at_id"), "submission", NEW)


def downgrade() -> None:
    op.drop_index(op.f("ix_submission_run_id_level_id_arrived_at_id"), table_name="submission")
    op.create_index(op.f("ix_submission_run_id_level_id"), "submission", OLD)
