"""Add a public note to releases."""

import sqlalchemy as sa
from alembic import op

revision = "0016_note_releases"
down_revision = "0015_weigh_gold"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("release", sa.Column("note", sa.Text(), nullable=True))
    op.add_column("release_plan", sa.Column("note", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("release_plan", "note")
    op.drop_column("release", "note")
