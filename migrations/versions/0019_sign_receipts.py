"""Sign receipts and releases, commit to gold versions, and name the team of an audit entry."""

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0019_sign_receipts"
down_revision = "0018_infer_candidates"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "signing_key",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("public", sa.String(length=64), nullable=False),
        sa.Column("sealed", sa.Text(), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["made_by"], ["account.id"], name=op.f("fk_signing_key_made_by_account")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_signing_key")),
        sa.UniqueConstraint("public", name=op.f("uq_signing_key_public")),
    )
    op.create_table(
        "receipt",
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name=op.f("fk_receipt_submission_id_submission")
        ),
        sa.PrimaryKeyConstraint("submission_id", name=op.f("pk_receipt")),
    )
    op.create_table(
        "release_seal",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.Column("board_sha256", sa.String(length=64), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["release_id"], ["release.id"], name=op.f("fk_release_seal_release_id_release")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_release_seal")),
        sa.UniqueConstraint(
            "release_id", "board_sha256", name=op.f("uq_release_seal_release_id_board_sha256")
        ),
    )
    with op.batch_alter_table("audit_entry") as batch:
        batch.add_column(sa.Column("team_id", sa.Integer(), nullable=True))
        batch.create_foreign_key(op.f("fk_audit_entry_team_id_team"), "team", ["team_id"], ["id"])
        batch.create_index(op.f("ix_audit_entry_team_id"), ["team_id"])
    with op.batch_alter_table("mail") as batch:
        batch.add_column(sa.Column("attachment_name", sa.String(length=64), nullable=True))
        batch.add_column(sa.Column("attachment", sa.Text(), nullable=True))
        batch.create_check_constraint(
            op.f("ck_mail_attachment"), "(attachment IS NULL) = (attachment_name IS NULL)"
        )
    with op.batch_alter_table("gold_version") as batch:
        batch.add_column(sa.Column("salt", sa.String(length=64), nullable=True))
    _draw_salts()
    with op.batch_alter_table("gold_version") as batch:
        batch.alter_column("salt", existing_type=sa.String(length=64), nullable=False)


def _draw_salts() -> None:
    """Draw salts for existing gold versions too: receipts from now on have commitments to them."""
    gold = sa.table("gold_version", sa.column("id", sa.Integer), sa.column("salt", sa.String))
    connection = op.get_bind()
    for version_id in list(connection.scalars(sa.select(gold.c.id))):
        connection.execute(gold.update().where(gold.c.id == version_id).values(salt=secrets.token_hex(32)))


def downgrade() -> None:
    with op.batch_alter_table("gold_version") as batch:
        batch.drop_column("salt")
    with op.batch_alter_table("mail") as batch:
        batch.drop_constraint(op.f("ck_mail_attachment"), type_="check")
        batch.drop_column("attachment")
        batch.drop_column("attachment_name")
    with op.batch_alter_table("audit_entry") as batch:
        batch.drop_index(op.f("ix_audit_entry_team_id"))
        batch.drop_constraint(op.f("fk_audit_entry_team_id_team"), type_="foreignkey")
        batch.drop_column("team_id")
    op.drop_table("release_seal")
    op.drop_table("receipt")
    op.drop_table("signing_key")
