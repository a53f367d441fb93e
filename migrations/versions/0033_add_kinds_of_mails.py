"""Let people choose emails about changed dates, and about released results."""

import sqlalchemy as sa
from alembic import op

revision = "0033_add_kinds_of_mails"
down_revision = "0032_add_contacts"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("account") as batch:
        for name in ("mail_dates", "mail_releases"):
            batch.add_column(sa.Column(name, sa.Boolean(), nullable=False, server_default=sa.true()))


def downgrade() -> None:
    with op.batch_alter_table("account") as batch:
        for name in ("mail_releases", "mail_dates"):
            batch.drop_column(name)
