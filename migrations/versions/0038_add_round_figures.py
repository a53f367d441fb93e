"""Add the figures of annotation rounds in the place of their agreement, which can be computed again."""

import sqlalchemy as sa
from alembic import op

revision = "0038_add_round_figures"
down_revision = "0037_add_annotation_bars"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_table("agreement_report")
    _create("round_figures", "answers_sha256")


def downgrade() -> None:
    op.drop_table("round_figures")
    _create("agreement_report", "ratings_sha256")


def _create(name: str, sha256: str) -> None:
    op.create_table(
        name,
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("round_id", sa.Integer(), nullable=False),
        sa.Column(sha256, sa.String(length=64), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["round_id"], ["annotation_round.id"], name=op.f(f"fk_{name}_round_id_annotation_round")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{name}")),
    )
    op.create_index(op.f(f"ix_{name}_round_id"), name, ["round_id"])
