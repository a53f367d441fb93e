"""Say who organizes a task, and how to reach them."""

import sqlalchemy as sa
from alembic import op

revision = "0032_add_contacts"
down_revision = "0031_add_questions"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("task") as batch:
        batch.add_column(sa.Column("organizers", sa.String(length=500), nullable=False, server_default=""))
        batch.add_column(sa.Column("contact", sa.String(length=255), nullable=False, server_default=""))
        batch.add_column(sa.Column("mailing_list", sa.String(length=255), nullable=False, server_default=""))


def downgrade() -> None:
    with op.batch_alter_table("task") as batch:
        for name in ("mailing_list", "contact", "organizers"):
            batch.drop_column(name)
