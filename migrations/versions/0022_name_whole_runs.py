"""Store the result of an upload of several files under its idempotency key."""

import sqlalchemy as sa
from alembic import op

revision = "0022_name_whole_runs"
down_revision = "0021_create_api_tokens"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("idempotency_key", sa.Column("whole", sa.JSON(), nullable=True))


def downgrade() -> None:
    op.drop_column("idempotency_key", "whole")
