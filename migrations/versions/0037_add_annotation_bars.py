"""Add the keyed hashes of annotators whose identity was erased, who still cannot compete."""

import sqlalchemy as sa
from alembic import op

revision = "0037_add_annotation_bars"
down_revision = "0036_add_passes_and_tuples"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "annotation_bar",
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("person_hash", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_annotation_bar_campaign_id_campaign")
        ),
        sa.PrimaryKeyConstraint("campaign_id", "person_hash", name=op.f("pk_annotation_bar")),
    )


def downgrade() -> None:
    op.drop_table("annotation_bar")
