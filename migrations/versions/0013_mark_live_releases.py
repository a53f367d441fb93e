"""Mark live releases, which have scores as the phase's feedback shows them."""

import sqlalchemy as sa
from alembic import op

revision = "0013_mark_live_releases"
down_revision = "0012_keep_deadlines"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("release", sa.Column("feedback", sa.String(length=16), nullable=True))


def downgrade() -> None:
    op.drop_column("release", "feedback")
