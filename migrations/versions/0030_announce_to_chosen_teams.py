"""Let an announcement be for chosen teams."""

import sqlalchemy as sa
from alembic import op

revision = "0030_announce_to_chosen_teams"
down_revision = "0029_create_task_setups"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "announcement_team",
        sa.Column("announcement_id", sa.Integer(), nullable=False),
        sa.Column("team_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["announcement_id"],
            ["announcement.id"],
            name=op.f("fk_announcement_team_announcement_id_announcement"),
        ),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name=op.f("fk_announcement_team_team_id_team")),
        sa.PrimaryKeyConstraint("announcement_id", "team_id", name=op.f("pk_announcement_team")),
    )
    op.create_index(op.f("ix_announcement_team_team_id"), "announcement_team", ["team_id"])


def downgrade() -> None:
    op.drop_table("announcement_team")
