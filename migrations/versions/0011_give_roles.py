"""Add roles: organizers become one of three roles of a task, each given by invitation."""

import sqlalchemy as sa
from alembic import op

revision = "0011_give_roles"
down_revision = "0010_invite_to_teams"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "task_role",
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("added_at", sa.DateTime(), nullable=False),
        sa.Column("ended_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_task_role_task_id_task")),
        sa.ForeignKeyConstraint(["user_id"], ["account.id"], name=op.f("fk_task_role_user_id_account")),
        sa.PrimaryKeyConstraint("task_id", "user_id", name=op.f("pk_task_role")),
    )
    op.create_index(op.f("ix_task_role_user_id"), "task_role", ["user_id"])
    op.execute(
        "INSERT INTO task_role (task_id, user_id, role, added_at) "
        "SELECT task_id, user_id, 'organizer', added_at FROM organizer"
    )
    op.drop_table("organizer")
    op.create_table(
        "role_invitation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("token", sa.String(length=64), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.Column("expires_at", sa.DateTime(), nullable=False),
        sa.Column("revoked_at", sa.DateTime(), nullable=True),
        sa.Column("accepted_by", sa.Integer(), nullable=True),
        sa.Column("accepted_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["accepted_by"], ["account.id"], name=op.f("fk_role_invitation_accepted_by_account")
        ),
        sa.ForeignKeyConstraint(["made_by"], ["account.id"], name=op.f("fk_role_invitation_made_by_account")),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_role_invitation_task_id_task")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_role_invitation")),
        sa.UniqueConstraint("token", name=op.f("uq_role_invitation_token")),
    )
    op.create_index(op.f("ix_role_invitation_task_id"), "role_invitation", ["task_id"])


def downgrade() -> None:
    op.drop_table("role_invitation")
    op.create_table(
        "organizer",
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("added_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_organizer_task_id_task")),
        sa.ForeignKeyConstraint(["user_id"], ["account.id"], name=op.f("fk_organizer_user_id_account")),
        sa.PrimaryKeyConstraint("task_id", "user_id", name=op.f("pk_organizer")),
    )
    op.create_index(op.f("ix_organizer_user_id"), "organizer", ["user_id"])
    op.execute(
        "INSERT INTO organizer (task_id, user_id, added_at) SELECT task_id, user_id, added_at FROM task_role "
        "WHERE role = 'organizer' AND ended_at IS NULL"
    )
    op.drop_table("task_role")
