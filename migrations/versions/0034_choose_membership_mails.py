"""Add the choice of emails about members who were removed from a team."""

import sqlalchemy as sa
from alembic import op

revision = "0034_choose_membership_mails"
down_revision = "0033_add_kinds_of_mails"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("account") as batch:
        batch.add_column(
            sa.Column("mail_memberships", sa.Boolean(), nullable=False, server_default=sa.true())
        )


def downgrade() -> None:
    with op.batch_alter_table("account") as batch:
        batch.drop_column("mail_memberships")
