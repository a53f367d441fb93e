"""Let an email refer to the receipts that are attached, perhaps several, instead of a copy of one."""

import sqlalchemy as sa
from alembic import op

revision = "0024_gather_confirmations"
down_revision = "0023_find_waiting_jobs"
branch_labels = None
depends_on = None

MOVED = """
    INSERT INTO mail_receipt (submission_id, mail_id)
    SELECT receipt.submission_id, MIN(mail.id) FROM mail
    JOIN receipt ON mail.attachment_name = 'receipt-' || receipt.submission_id || '.json'
    GROUP BY receipt.submission_id
"""
FIRST = "(SELECT MIN(submission_id) FROM mail_receipt WHERE mail_receipt.mail_id = mail.id)"
MOVED_BACK = f"""
    UPDATE mail SET attachment_name = 'receipt-' || {FIRST} || '.json',
    attachment = (SELECT text FROM receipt WHERE submission_id = {FIRST})
    WHERE id IN (SELECT mail_id FROM mail_receipt)
"""  # noqa: S608  (no input)


def upgrade() -> None:
    op.create_table(
        "mail_receipt",
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("mail_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["mail_id"], ["mail.id"], name=op.f("fk_mail_receipt_mail_id_mail")),
        sa.ForeignKeyConstraint(
            ["submission_id"],
            ["receipt.submission_id"],
            name=op.f("fk_mail_receipt_submission_id_receipt"),
        ),
        sa.PrimaryKeyConstraint("submission_id", name=op.f("pk_mail_receipt")),
    )
    op.create_index(op.f("ix_mail_receipt_mail_id"), "mail_receipt", ["mail_id"])
    op.execute(MOVED)
    with op.batch_alter_table("mail") as batch:
        batch.drop_constraint(op.f("ck_mail_attachment"), type_="check")
        batch.drop_column("attachment")
        batch.drop_column("attachment_name")


def downgrade() -> None:
    """Keep the first receipt of an email that has several; the others are on the pages of their files."""
    with op.batch_alter_table("mail") as batch:
        batch.add_column(sa.Column("attachment_name", sa.String(length=64), nullable=True))
        batch.add_column(sa.Column("attachment", sa.Text(), nullable=True))
        batch.create_check_constraint(
            op.f("ck_mail_attachment"), "(attachment IS NULL) = (attachment_name IS NULL)"
        )
    op.execute(MOVED_BACK)
    op.drop_index(op.f("ix_mail_receipt_mail_id"), table_name="mail_receipt")
    op.drop_table("mail_receipt")
