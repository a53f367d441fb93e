"""Scale confidences."""

import sqlalchemy as sa
from alembic import op

revision = "0009_scale_confidences"
down_revision = "0008_create_histories"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("task", sa.Column("confidence_max", sa.Double(), server_default="1", nullable=False))


def downgrade() -> None:
    op.drop_column("task", "confidence_max")
