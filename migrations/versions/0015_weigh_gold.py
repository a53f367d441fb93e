"""Add gold candidates; schedule releases, make them anonymous, and store their rules."""

import sqlalchemy as sa
from alembic import op

revision = "0015_weigh_gold"
down_revision = "0014_limit_mails"
branch_labels = None
depends_on = None

EVERY_VERSION = """
    INSERT INTO gold_event (gold_version_id, event, reason, made_by, made_at)
    SELECT id, 'published', reason, made_by, made_at FROM gold_version ORDER BY id
"""
"""Before this migration, each version was in force as soon as it was uploaded."""
ITS_SCORER = """
    UPDATE gold_version SET scorer = COALESCE((
        SELECT MIN(SUBSTR(signature, INSTR(signature, '|v:') + 3)) FROM score
        WHERE score.gold_version_id = gold_version.id
    ), scorer)
"""


def upgrade() -> None:
    op.create_table(
        "gold_event",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("gold_version_id", sa.Integer(), nullable=False),
        sa.Column("event", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["gold_version_id"], ["gold_version.id"], name=op.f("fk_gold_event_gold_version_id_gold_version")
        ),
        sa.ForeignKeyConstraint(["made_by"], ["account.id"], name=op.f("fk_gold_event_made_by_account")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gold_event")),
    )
    op.create_index(op.f("ix_gold_event_gold_version_id"), "gold_event", ["gold_version_id"])
    op.execute(EVERY_VERSION)

    op.add_column(
        "gold_version", sa.Column("scorer", sa.String(length=32), server_default="1.0.0", nullable=False)
    )
    place = "STRPOS" if op.get_bind().dialect.name == "postgresql" else "INSTR"
    op.execute(ITS_SCORER.replace("INSTR", place))

    op.add_column(
        "phase", sa.Column("baselines", sa.String(length=16), server_default="after", nullable=False)
    )

    with op.batch_alter_table("release") as batch:
        batch.add_column(sa.Column("named_board", sa.Text(), nullable=True))
        batch.add_column(sa.Column("named_sha256", sa.String(length=64), nullable=True))
        batch.add_column(sa.Column("rules", sa.JSON(), server_default="{}", nullable=False))
        batch.add_column(sa.Column("files", sa.JSON(), nullable=True))
        batch.add_column(sa.Column("opens_gold", sa.Boolean(), server_default=sa.false(), nullable=False))
        batch.create_check_constraint(
            op.f("ck_release_named"), "(named_board IS NULL) = (named_sha256 IS NULL)"
        )
    op.create_table(
        "release_naming",
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["made_by"], ["account.id"], name=op.f("fk_release_naming_made_by_account")),
        sa.ForeignKeyConstraint(
            ["release_id"], ["release.id"], name=op.f("fk_release_naming_release_id_release")
        ),
        sa.PrimaryKeyConstraint("release_id", name=op.f("pk_release_naming")),
    )
    op.create_table(
        "release_plan",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("phase_id", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.DateTime(), nullable=False),
        sa.Column("anonymous", sa.Boolean(), nullable=False),
        sa.Column("opens_gold", sa.Boolean(), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.Column("ended_at", sa.DateTime(), nullable=True),
        sa.Column("release_id", sa.Integer(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["made_by"], ["account.id"], name=op.f("fk_release_plan_made_by_account")),
        sa.ForeignKeyConstraint(["phase_id"], ["phase.id"], name=op.f("fk_release_plan_phase_id_phase")),
        sa.ForeignKeyConstraint(
            ["release_id"], ["release.id"], name=op.f("fk_release_plan_release_id_release")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_release_plan")),
    )
    op.create_index(op.f("ix_release_plan_phase_id"), "release_plan", ["phase_id"])
    op.create_table(
        "pseudonym",
        sa.Column("phase_id", sa.Integer(), nullable=False),
        sa.Column("team_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=16), nullable=False),
        sa.ForeignKeyConstraint(["phase_id"], ["phase.id"], name=op.f("fk_pseudonym_phase_id_phase")),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name=op.f("fk_pseudonym_team_id_team")),
        sa.PrimaryKeyConstraint("phase_id", "team_id", name=op.f("pk_pseudonym")),
        sa.UniqueConstraint("phase_id", "name", name=op.f("uq_pseudonym_phase_id_name")),
    )


def downgrade() -> None:
    op.drop_table("pseudonym")
    op.drop_table("release_plan")
    op.drop_table("release_naming")
    with op.batch_alter_table("release") as batch:
        batch.drop_constraint(op.f("ck_release_named"), type_="check")
        for name in ("opens_gold", "files", "rules", "named_sha256", "named_board"):
            batch.drop_column(name)
    op.drop_column("phase", "baselines")
    op.drop_column("gold_version", "scorer")
    op.drop_table("gold_event")
