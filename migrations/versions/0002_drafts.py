"""Let a draft lack its scale, and keep files of its levels until they can be read; task setups go."""

import sqlalchemy as sa
from alembic import op

revision = "0002_drafts"
down_revision = "0001_create_tables"
branch_labels = None
depends_on = None

BOTH = '\'["pearson", "spearman"]\''
HAS_SCALE = "state IN ('draft', 'deleted') OR (scale_min IS NOT NULL AND scale_max IS NOT NULL)"


def upgrade() -> None:
    op.drop_table("task_setup_file")
    op.drop_table("task_setup")
    with op.batch_alter_table("task") as batch_op:
        batch_op.alter_column("slug", existing_type=sa.String(length=64), type_=sa.String(length=80))
        batch_op.alter_column("scale_min", existing_type=sa.Double(), nullable=True)
        batch_op.alter_column("scale_max", existing_type=sa.Double(), nullable=True)
        batch_op.add_column(sa.Column("metrics", sa.JSON(), server_default=sa.text(BOTH), nullable=False))
        batch_op.create_check_constraint(batch_op.f("ck_task_published_has_scale"), HAS_SCALE)
    first = "SELECT metrics FROM level WHERE level.task_id = task.id ORDER BY level.position LIMIT 1"
    op.execute(f"UPDATE task SET metrics = ({first}) WHERE EXISTS ({first})")  # noqa: S608  (our own words)
    op.create_table(
        "waiting_file",
        sa.Column("level_id", sa.Integer(), nullable=False),
        sa.Column("split", sa.String(length=16), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("public_gold", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["level_id"], ["level.id"], name=op.f("fk_waiting_file_level_id_level")),
        sa.PrimaryKeyConstraint("level_id", "split", "kind", name=op.f("pk_waiting_file")),
    )


def downgrade() -> None:
    op.drop_table("waiting_file")
    with op.batch_alter_table("task") as batch_op:
        batch_op.drop_constraint(batch_op.f("ck_task_published_has_scale"), type_="check")
        batch_op.drop_column("metrics")
        batch_op.alter_column("scale_max", existing_type=sa.Double(), nullable=False)
        batch_op.alter_column("scale_min", existing_type=sa.Double(), nullable=False)
        batch_op.alter_column("slug", existing_type=sa.String(length=80), type_=sa.String(length=64))
    op.create_table(
        "task_setup",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.Column("changed_at", sa.DateTime(), nullable=False),
        sa.Column("tables", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["account.id"], name=op.f("fk_task_setup_user_id_account")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_task_setup")),
    )
    op.create_index(op.f("ix_task_setup_user_id"), "task_setup", ["user_id"])
    op.create_table(
        "task_setup_file",
        sa.Column("setup_id", sa.Integer(), nullable=False),
        sa.Column("path", sa.String(length=100), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["setup_id"], ["task_setup.id"], name=op.f("fk_task_setup_file_setup_id_task_setup")
        ),
        sa.PrimaryKeyConstraint("setup_id", "path", name=op.f("pk_task_setup_file")),
    )
