"""Add the stored zip files of large exports."""

import sqlalchemy as sa
from alembic import op

revision = "0007_add_round_export"
down_revision = "0006_edit_announcements"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "round_export",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("round_id", sa.Integer(), nullable=False),
        sa.Column("answers_sha256", sa.String(length=64), nullable=False),
        sa.Column("changes_sha256", sa.String(length=64), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["round_id"], ["annotation_round.id"], name=op.f("fk_round_export_round_id_annotation_round")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_round_export")),
        sa.UniqueConstraint("round_id", name=op.f("uq_round_export_round_id")),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    op.drop_table("round_export")
