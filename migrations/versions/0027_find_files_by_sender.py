"""Add an index to find the newer submissions of a person quickly, however many the task has."""

from alembic import op

revision = "0027_find_files_by_sender"
down_revision = "0026_put_long_texts_last"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(op.f("ix_submission_submitted_by_id"), "submission", ["submitted_by", "id"])


def downgrade() -> None:
    op.drop_index(op.f("ix_submission_submitted_by_id"), table_name="submission")
