"""Create submissions."""

import sqlalchemy as sa
from alembic import op

revision = "0004_create_submissions"
down_revision = "0003_create_teams"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "submission",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("level_id", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("filename", sa.String(length=255), nullable=False),
        sa.Column("warnings", sa.JSON(), nullable=False),
        sa.Column("late", sa.Boolean(), nullable=False),
        sa.Column("submitted_by", sa.Integer(), nullable=True),
        sa.Column("arrived_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["level_id"], ["level.id"], name=op.f("fk_submission_level_id_level")),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_submission_run_id_run")),
        sa.ForeignKeyConstraint(
            ["submitted_by"], ["account.id"], name=op.f("fk_submission_submitted_by_account")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submission")),
    )
    op.create_index(op.f("ix_submission_run_id_level_id"), "submission", ["run_id", "level_id"])
    op.create_table(
        "withdrawal",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("withdrawn", sa.Boolean(), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["made_by"], ["account.id"], name=op.f("fk_withdrawal_made_by_account")),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name=op.f("fk_withdrawal_submission_id_submission")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_withdrawal")),
    )
    op.create_index(op.f("ix_withdrawal_submission_id"), "withdrawal", ["submission_id"])
    op.create_table(
        "refusal",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("level_id", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("filename", sa.String(length=255), nullable=False),
        sa.Column("problems", sa.JSON(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("submitted_by", sa.Integer(), nullable=True),
        sa.Column("arrived_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["level_id"], ["level.id"], name=op.f("fk_refusal_level_id_level")),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_refusal_run_id_run")),
        sa.ForeignKeyConstraint(
            ["submitted_by"], ["account.id"], name=op.f("fk_refusal_submitted_by_account")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_refusal")),
    )
    op.create_index(op.f("ix_refusal_run_id_arrived_at"), "refusal", ["run_id", "arrived_at"])
    op.create_table(
        "standing",
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("level_id", sa.Integer(), nullable=False),
        sa.Column("late", sa.Boolean(), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["level_id"], ["level.id"], name=op.f("fk_standing_level_id_level")),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_standing_run_id_run")),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name=op.f("fk_standing_submission_id_submission")
        ),
        sa.PrimaryKeyConstraint("run_id", "level_id", "late", name=op.f("pk_standing")),
    )
    op.create_table(
        "score",
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("gold_version_id", sa.Integer(), nullable=False),
        sa.Column("metric", sa.String(length=32), nullable=False),
        sa.Column("value", sa.Double(), nullable=True),
        sa.Column("undefined_code", sa.String(length=32), nullable=True),
        sa.Column("undefined_reason", sa.Text(), nullable=True),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("signature", sa.String(length=255), nullable=False),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.CheckConstraint(
            "(value IS NULL) <> (undefined_code IS NULL)", name=op.f("ck_score_value_or_reason")
        ),
        sa.ForeignKeyConstraint(
            ["gold_version_id"], ["gold_version.id"], name=op.f("fk_score_gold_version_id_gold_version")
        ),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name=op.f("fk_score_submission_id_submission")
        ),
        sa.PrimaryKeyConstraint("submission_id", "gold_version_id", "metric", name=op.f("pk_score")),
    )


def downgrade() -> None:
    op.drop_table("score")
    op.drop_table("standing")
    op.drop_table("refusal")
    op.drop_table("withdrawal")
    op.drop_table("submission")
