"""Let the leaderboard under a gold candidate have an inference."""

import sqlalchemy as sa
from alembic import op

revision = "0018_infer_candidates"
down_revision = "0017_infer_ranks"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("inference") as batch:
        batch.add_column(sa.Column("gold_version_id", sa.Integer(), nullable=True))
        batch.create_foreign_key(
            op.f("fk_inference_gold_version_id_gold_version"), "gold_version", ["gold_version_id"], ["id"]
        )


def downgrade() -> None:
    with op.batch_alter_table("inference") as batch:
        batch.drop_constraint(op.f("fk_inference_gold_version_id_gold_version"), type_="foreignkey")
        batch.drop_column("gold_version_id")
