"""Create tasks."""

import sqlalchemy as sa
from alembic import op

revision = "0002_create_tasks"
down_revision = "0001_create_accounts"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "task",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=64), nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("terms", sa.Text(), nullable=True),
        sa.Column("licence", sa.Text(), nullable=False),
        sa.Column("scale_min", sa.Double(), nullable=False),
        sa.Column("scale_max", sa.Double(), nullable=False),
        sa.Column("scale_step", sa.Double(), nullable=True),
        sa.Column("labels", sa.JSON(), nullable=False),
        sa.Column("keyed", sa.JSON(), nullable=True),
        sa.Column("board_rules", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_task")),
        sa.UniqueConstraint("slug", name=op.f("uq_task_slug")),
    )
    op.create_table(
        "level",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=64), nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("sides", sa.JSON(), nullable=False),
        sa.Column("layout", sa.JSON(), nullable=False),
        sa.Column("metrics", sa.JSON(), nullable=False),
        sa.Column("counts", sa.Boolean(), nullable=False),
        sa.Column("senses_sha256", sa.String(length=64), nullable=True),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_level_task_id_task")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_level")),
        sa.UniqueConstraint("task_id", "slug", name=op.f("uq_level_task_id_slug")),
    )
    op.create_table(
        "split",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("level_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=16), nullable=False),
        sa.Column("items_sha256", sa.String(length=64), nullable=False),
        sa.Column("n_items", sa.Integer(), nullable=False),
        sa.Column("public_gold", sa.Boolean(), nullable=False),
        sa.Column("held_out_genres", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["level_id"], ["level.id"], name=op.f("fk_split_level_id_level")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_split")),
        sa.UniqueConstraint("level_id", "name", name=op.f("uq_split_level_id_name")),
    )
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
    op.create_table(
        "gold_version",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("split_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["made_by"], ["account.id"], name=op.f("fk_gold_version_made_by_account")),
        sa.ForeignKeyConstraint(["split_id"], ["split.id"], name=op.f("fk_gold_version_split_id_split")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gold_version")),
        sa.UniqueConstraint("split_id", "number", name=op.f("uq_gold_version_split_id_number")),
    )
    op.create_table(
        "phase",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=64), nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("split", sa.String(length=16), nullable=False),
        sa.Column("opens", sa.DateTime(), nullable=True),
        sa.Column("closes", sa.DateTime(), nullable=True),
        sa.Column("grace_hours", sa.Integer(), nullable=False),
        sa.Column("feedback", sa.String(length=16), nullable=False),
        sa.Column("runs_public", sa.Boolean(), nullable=False),
        sa.Column("runs_per_team", sa.Integer(), nullable=False),
        sa.Column("files_per_level", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_phase_task_id_task")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_phase")),
        sa.UniqueConstraint("task_id", "slug", name=op.f("uq_phase_task_id_slug")),
    )


def downgrade() -> None:
    op.drop_table("phase")
    op.drop_table("gold_version")
    op.drop_table("organizer")
    op.drop_table("split")
    op.drop_table("level")
    op.drop_table("task")
