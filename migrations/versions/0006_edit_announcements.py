"""Let announcements be edited, with the time of the last edit, and pinned."""

import sqlalchemy as sa
from alembic import op

revision = "0006_edit_announcements"
down_revision = "0005_add_annotation_decision"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("announcement", sa.Column("edited_at", sa.DateTime(), nullable=True))
    op.add_column(
        "announcement", sa.Column("pinned", sa.Boolean(), server_default=sa.false(), nullable=False)
    )


def downgrade() -> None:
    op.drop_column("announcement", "pinned")
    op.drop_column("announcement", "edited_at")
