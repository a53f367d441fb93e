"""Create accounts."""

import sqlalchemy as sa
from alembic import op

revision = "0001_create_accounts"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "role",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_role")),
        sa.UniqueConstraint("name", name=op.f("uq_role_name")),
    )
    op.create_table(
        "account",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("email", sa.String(length=255), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("password", sa.String(length=255), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("fs_uniquifier", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_account")),
        sa.UniqueConstraint("email", name=op.f("uq_account_email")),
        sa.UniqueConstraint("fs_uniquifier", name=op.f("uq_account_fs_uniquifier")),
    )
    op.create_table(
        "account_role",
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("role_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["role_id"], ["role.id"], name=op.f("fk_account_role_role_id_role")),
        sa.ForeignKeyConstraint(["user_id"], ["account.id"], name=op.f("fk_account_role_user_id_account")),
        sa.PrimaryKeyConstraint("user_id", "role_id", name=op.f("pk_account_role")),
    )


def downgrade() -> None:
    op.drop_table("account_role")
    op.drop_table("account")
    op.drop_table("role")
