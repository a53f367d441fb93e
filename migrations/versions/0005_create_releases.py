"""Create releases."""

import sqlalchemy as sa
from alembic import op

revision = "0005_create_releases"
down_revision = "0004_create_submissions"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "release",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("phase_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("board", sa.Text(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["made_by"], ["account.id"], name=op.f("fk_release_made_by_account")),
        sa.ForeignKeyConstraint(["phase_id"], ["phase.id"], name=op.f("fk_release_phase_id_phase")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_release")),
        sa.UniqueConstraint("phase_id", "number", name=op.f("uq_release_phase_id_number")),
    )
    op.create_table(
        "release_withdrawal",
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["made_by"], ["account.id"], name=op.f("fk_release_withdrawal_made_by_account")
        ),
        sa.ForeignKeyConstraint(
            ["release_id"], ["release.id"], name=op.f("fk_release_withdrawal_release_id_release")
        ),
        sa.PrimaryKeyConstraint("release_id", name=op.f("pk_release_withdrawal")),
    )


def downgrade() -> None:
    op.drop_table("release_withdrawal")
    op.drop_table("release")
