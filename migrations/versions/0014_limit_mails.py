"""Add the time until when an email is useful, so that no reminder is sent after its deadline."""

import sqlalchemy as sa
from alembic import op

revision = "0014_limit_mails"
down_revision = "0013_mark_live_releases"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("mail", sa.Column("useful_until", sa.DateTime(), nullable=True))


def downgrade() -> None:
    op.drop_column("mail", "useful_until")
