"""Create teams."""

import sqlalchemy as sa
from alembic import op

revision = "0003_create_teams"
down_revision = "0002_create_tasks"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "team",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("name_key", sa.String(length=160), nullable=False),
        sa.Column("captain_id", sa.Integer(), nullable=True),
        sa.Column("invitation", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["captain_id"], ["account.id"], name=op.f("fk_team_captain_id_account")),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_team_task_id_task")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_team")),
        sa.UniqueConstraint("invitation", name=op.f("uq_team_invitation")),
        sa.UniqueConstraint("task_id", "name_key", name=op.f("uq_team_task_id_name_key")),
    )
    op.create_table(
        "membership",
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("team_id", sa.Integer(), nullable=False),
        sa.Column("joined_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_membership_task_id_task")),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name=op.f("fk_membership_team_id_team")),
        sa.ForeignKeyConstraint(["user_id"], ["account.id"], name=op.f("fk_membership_user_id_account")),
        sa.PrimaryKeyConstraint("task_id", "user_id", name=op.f("pk_membership")),
    )
    op.create_index(op.f("ix_membership_team_id"), "membership", ["team_id"])
    op.create_table(
        "run",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("team_id", sa.Integer(), nullable=False),
        sa.Column("phase_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("baseline", sa.String(length=16), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["phase_id"], ["phase.id"], name=op.f("fk_run_phase_id_phase")),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name=op.f("fk_run_team_id_team")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run")),
        sa.UniqueConstraint("team_id", "phase_id", "name", name=op.f("uq_run_team_id_phase_id_name")),
    )
    op.create_index(op.f("ix_run_phase_id"), "run", ["phase_id"])


def downgrade() -> None:
    op.drop_table("run")
    op.drop_table("membership")
    op.drop_table("team")
