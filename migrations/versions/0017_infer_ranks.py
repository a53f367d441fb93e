"""Add inferences: significance tests and intervals of leaderboards, and their inputs."""

import sqlalchemy as sa
from alembic import op

revision = "0017_infer_ranks"
down_revision = "0016_note_releases"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "inference",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("phase_id", sa.Integer(), nullable=False),
        sa.Column("release_id", sa.Integer(), nullable=True),
        sa.Column("board_sha256", sa.String(length=64), nullable=False),
        sa.Column("inputs", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("noted_at", sa.DateTime(), nullable=False),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("sha256", sa.String(length=64), nullable=True),
        sa.Column("shown", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("made_at", sa.DateTime(), nullable=True),
        sa.CheckConstraint("(text IS NULL) = (made_at IS NULL)", name=op.f("ck_inference_made")),
        sa.ForeignKeyConstraint(["phase_id"], ["phase.id"], name=op.f("fk_inference_phase_id_phase")),
        sa.ForeignKeyConstraint(["release_id"], ["release.id"], name=op.f("fk_inference_release_id_release")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_inference")),
        sa.UniqueConstraint("release_id", "board_sha256", name=op.f("uq_inference_release_id_board_sha256")),
    )
    op.create_index(op.f("ix_inference_phase_id"), "inference", ["phase_id"])


def downgrade() -> None:
    op.drop_index(op.f("ix_inference_phase_id"), table_name="inference")
    op.drop_table("inference")
