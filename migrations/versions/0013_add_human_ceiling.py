"""Add how well annotators would do to the gold versions that were made from their ratings."""

import sqlalchemy as sa
from alembic import op

revision = "0013_add_human_ceiling"
down_revision = "0012_index_units_by_group"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("gold_version", sa.Column("human_ceiling", sa.JSON(), nullable=True))


def downgrade() -> None:
    op.drop_column("gold_version", "human_ceiling")
