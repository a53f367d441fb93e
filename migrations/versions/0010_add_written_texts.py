"""Add the texts that annotators write as answers."""

import sqlalchemy as sa
from alembic import op

revision = "0010_add_written_texts"
down_revision = "0009_add_starter_kits"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("unit_answer_text", sa.Column("written", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("unit_answer_text", "written")
