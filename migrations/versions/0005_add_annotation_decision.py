"""Add the decisions of organizers on units whose annotators disagree."""

import sqlalchemy as sa
from alembic import op

revision = "0005_add_annotation_decision"
down_revision = "0004_means_need_all_levels"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "annotation_decision",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("unit_id", sa.Integer(), nullable=False),
        sa.Column("pass_number", sa.Integer(), nullable=False),
        sa.Column("value", sa.Double(), nullable=True),
        sa.Column("cause", sa.String(length=16), nullable=True),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["made_by"], ["account.id"], name=op.f("fk_annotation_decision_made_by_account")
        ),
        sa.ForeignKeyConstraint(
            ["unit_id"], ["annotation_unit.id"], name=op.f("fk_annotation_decision_unit_id_annotation_unit")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_annotation_decision")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_annotation_decision_unit_id"), "annotation_decision", ["unit_id"])


def downgrade() -> None:
    op.drop_table("annotation_decision")
