"""Add the data sets of annotation rounds, which can be made again."""

import sqlalchemy as sa
from alembic import op

revision = "0039_add_round_data_sets"
down_revision = "0038_add_round_figures"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "round_data_set",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("round_id", sa.Integer(), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("choices_sha256", sa.String(length=64), nullable=True),
        sa.Column("answers_sha256", sa.String(length=64), nullable=True),
        sa.Column("sha256", sa.String(length=64), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("made_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["round_id"], ["annotation_round.id"], name=op.f("fk_round_data_set_round_id_annotation_round")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_round_data_set")),
    )
    op.create_index(op.f("ix_round_data_set_round_id"), "round_data_set", ["round_id"])


def downgrade() -> None:
    op.drop_table("round_data_set")
