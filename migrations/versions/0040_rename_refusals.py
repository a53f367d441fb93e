"""Call a rejected upload a rejection, as pages do."""

import sqlalchemy as sa
from alembic import op

revision = "0040_rename_refusals"
down_revision = "0039_add_round_data_sets"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _rename("refusal", "rejection")


def downgrade() -> None:
    _rename("rejection", "refusal")


def _rename(before: str, after: str) -> None:
    """Make the table again under its new name, because constraints are named after their table."""
    op.create_table(
        after,
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("level_id", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("filename", sa.String(length=255), nullable=False),
        sa.Column("problems", sa.JSON(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("submitted_by", sa.Integer(), nullable=True),
        sa.Column("arrived_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["level_id"], ["level.id"], name=op.f(f"fk_{after}_level_id_level")),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f(f"fk_{after}_run_id_run")),
        sa.ForeignKeyConstraint(
            ["submitted_by"], ["account.id"], name=op.f(f"fk_{after}_submitted_by_account")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{after}")),
    )
    names = "id, run_id, level_id, sha256, filename, problems, count, submitted_by, arrived_at"
    op.execute(f"INSERT INTO {after} ({names}) SELECT {names} FROM {before}")  # noqa: S608  (constants)
    op.drop_table(before)
    op.create_index(op.f(f"ix_{after}_run_id_arrived_at"), after, ["run_id", "arrived_at"])
    op.execute(f"UPDATE attribution SET part = '{after}' WHERE part = '{before}'")  # noqa: S608
