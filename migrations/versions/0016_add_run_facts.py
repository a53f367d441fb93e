"""Add the version, the licence and the command of a run, for baselines of the organizers."""

import sqlalchemy as sa
from alembic import op

revision = "0016_add_run_facts"
down_revision = "0015_add_citation"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("version", "licence", "command"):
        op.add_column("run", sa.Column(name, sa.Text(), server_default="", nullable=False))


def downgrade() -> None:
    for name in ("command", "licence", "version"):
        op.drop_column("run", name)
