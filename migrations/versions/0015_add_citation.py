"""Add the BibTeX entries by which organizers ask to be cited."""

import sqlalchemy as sa
from alembic import op

revision = "0015_add_citation"
down_revision = "0014_add_papers"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("task", sa.Column("citation", sa.Text(), server_default="", nullable=False))


def downgrade() -> None:
    op.drop_column("task", "citation")
