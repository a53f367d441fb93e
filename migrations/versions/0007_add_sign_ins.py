"""Add two-factor authentication, confirmed addresses, sign-ins of browsers, and attempts for rate limits."""

import sqlalchemy as sa
from alembic import op

revision = "0007_add_sign_ins"
down_revision = "0006_create_audit"
branch_labels = None
depends_on = None

COLUMNS = ("confirmed_at", "tf_primary_method", "tf_totp_secret", "tf_last_counter", "mf_recovery_codes")


def upgrade() -> None:
    op.add_column("account", sa.Column("confirmed_at", sa.DateTime(), nullable=True))
    op.add_column("account", sa.Column("tf_primary_method", sa.String(64), nullable=True))
    op.add_column("account", sa.Column("tf_totp_secret", sa.String(255), nullable=True))
    op.add_column("account", sa.Column("tf_last_counter", sa.Integer(), nullable=True))
    op.add_column("account", sa.Column("mf_recovery_codes", sa.JSON(), nullable=True))
    # Existing accounts have signed in without a confirmation email; they count as confirmed.
    op.execute("UPDATE account SET confirmed_at = created_at")
    op.create_table(
        "sign_in",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("token_sha256", sa.String(64), nullable=False),
        sa.Column("browser", sa.String(200), nullable=False),
        sa.Column("began_at", sa.DateTime(), nullable=False),
        sa.Column("ends_at", sa.DateTime(), nullable=False),
        sa.Column("ended_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["account.id"], name=op.f("fk_sign_in_user_id_account")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sign_in")),
        sa.UniqueConstraint("token_sha256", name=op.f("uq_sign_in_token_sha256")),
    )
    op.create_index(op.f("ix_sign_in_user_id"), "sign_in", ["user_id"])
    op.create_table(
        "attempt",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attempt")),
    )
    op.create_index(op.f("ix_attempt_kind_key_at"), "attempt", ["kind", "key", "at"])


def downgrade() -> None:
    op.drop_table("attempt")
    op.drop_table("sign_in")
    for column in reversed(COLUMNS):
        op.drop_column("account", column)
