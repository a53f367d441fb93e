"""Add the values by genre to the inference of a release."""

import sqlalchemy as sa
from alembic import op

revision = "0020_add_genre_values"
down_revision = "0019_sign_receipts"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("inference") as batch:
        batch.add_column(sa.Column("genres", sa.Text(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("inference") as batch:
        batch.drop_column("genres")
