"""Let totals that are means need all levels: over the levels entered, they are refused now."""

import sqlalchemy as sa
from alembic import op

revision = "0004_means_need_all_levels"
down_revision = "0003_never_reuse_ids"
branch_labels = None
depends_on = None

TASK = sa.table("task", sa.column("id", sa.Integer), sa.column("board_rules", sa.JSON))


def upgrade() -> None:
    bind = op.get_bind()
    for number, rules in bind.execute(sa.select(TASK.c.id, TASK.c.board_rules)).all():
        if rules.get("total") in ("mean", "weighted") and rules["total_needs"] != "all":
            needing_all = TASK.update().where(TASK.c.id == number)
            bind.execute(needing_all.values(board_rules=rules | {"total_needs": "all"}))


def downgrade() -> None:
    """Keep the rules: the version before has them, too."""
