"""Add invitation links that expire, affiliations, team size and approval; drop the permanent link."""

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0010_invite_to_teams"
down_revision = "0009_scale_confidences"
branch_labels = None
depends_on = None

team = sa.table("team", sa.column("id", sa.Integer), sa.column("invitation", sa.String))


def upgrade() -> None:
    op.create_table(
        "team_invitation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("team_id", sa.Integer(), nullable=False),
        sa.Column("token", sa.String(length=64), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.Column("expires_at", sa.DateTime(), nullable=False),
        sa.Column("revoked_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(["made_by"], ["account.id"], name=op.f("fk_team_invitation_made_by_account")),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name=op.f("fk_team_invitation_team_id_team")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_team_invitation")),
        sa.UniqueConstraint("token", name=op.f("uq_team_invitation_token")),
    )
    op.create_index(op.f("ix_team_invitation_team_id"), "team_invitation", ["team_id"])
    op.add_column("task", sa.Column("team_size", sa.Integer(), nullable=True))
    op.add_column(
        "task", sa.Column("registration", sa.String(length=16), nullable=False, server_default="open")
    )
    with op.batch_alter_table("team") as batch:
        batch.drop_constraint("uq_team_invitation", type_="unique")
        batch.drop_column("invitation")
        batch.add_column(sa.Column("affiliations", sa.Text(), nullable=False, server_default=""))
        batch.add_column(sa.Column("state", sa.String(length=16), nullable=False, server_default="approved"))
        batch.add_column(sa.Column("reason", sa.Text(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("team") as batch:
        batch.add_column(sa.Column("invitation", sa.String(length=64), nullable=True))
        batch.drop_column("reason")
        batch.drop_column("state")
        batch.drop_column("affiliations")
    connection = op.get_bind()
    for (team_id,) in connection.execute(sa.select(team.c.id).order_by(team.c.id)).all():
        link = secrets.token_urlsafe(24)
        connection.execute(team.update().where(team.c.id == team_id).values(invitation=link))
    with op.batch_alter_table("team") as batch:
        batch.alter_column("invitation", existing_type=sa.String(length=64), nullable=False)
        batch.create_unique_constraint("uq_team_invitation", ["invitation"])
    op.drop_column("task", "registration")
    op.drop_column("task", "team_size")
    op.drop_table("team_invitation")
