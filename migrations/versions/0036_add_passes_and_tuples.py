"""Add passes, calibration units, repeats and tuples to annotation."""

import sqlalchemy as sa
from alembic import op

revision = "0036_add_passes_and_tuples"
down_revision = "0035_add_annotation"
branch_labels = None
depends_on = None

CAMPAIGNS = sa.table(
    "campaign", sa.column("id", sa.Integer), sa.column("labels", sa.JSON), sa.column("gold_rule", sa.JSON)
)
ROUNDS = sa.table(
    "annotation_round",
    *(sa.column("campaign_id", sa.Integer), sa.column("slug", sa.String), sa.column("rules", sa.JSON)),
)
NOT_REPEATED = sa.text("block <> 'repeat'")


def upgrade() -> None:
    with op.batch_alter_table("annotation_unit") as batch:
        batch.add_column(sa.Column("role", sa.String(16), nullable=False, server_default="main"))
        batch.add_column(sa.Column("candidates", sa.JSON(), nullable=True))
        batch.drop_constraint("uq_annotation_unit_round_id_key", type_="unique")
        batch.create_unique_constraint("uq_annotation_unit_round_id_role_key", ["round_id", "role", "key"])
    with op.batch_alter_table("annotation_step") as batch:
        batch.add_column(sa.Column("pass_number", sa.Integer(), nullable=False, server_default="1"))
        batch.add_column(sa.Column("block", sa.String(16), nullable=False, server_default="main"))
        batch.add_column(sa.Column("repeats_step_id", sa.Integer(), nullable=True))
        batch.create_foreign_key(
            "fk_annotation_step_repeats_step_id_annotation_step",
            "annotation_step",
            ["repeats_step_id"],
            ["id"],
        )
        batch.drop_constraint("uq_annotation_step_annotator_id_unit_id", type_="unique")
        batch.create_index(
            "uq_annotation_step_annotator_id_unit_id_pass_number",
            ["annotator_id", "unit_id", "pass_number"],
            unique=True,
            sqlite_where=NOT_REPEATED,
            postgresql_where=NOT_REPEATED,
        )
    op.add_column("unit_answer", sa.Column("picks", sa.JSON(), nullable=True))
    _give_rounds_their_labels()
    with op.batch_alter_table("campaign") as batch:
        batch.drop_column("labels")


def _give_rounds_their_labels() -> None:
    """Write the rules of existing rounds, each the only one of its campaign, as those of new ones."""
    connection = op.get_bind()
    campaigns = connection.execute(sa.select(CAMPAIGNS.c.id, CAMPAIGNS.c.labels, CAMPAIGNS.c.gold_rule)).all()
    for campaign_id, labels, gold_rule in campaigns:
        of_campaign = ROUNDS.c.campaign_id == campaign_id
        slug, rules = connection.execute(sa.select(ROUNDS.c.slug, ROUNDS.c.rules).where(of_campaign)).one()
        show = rules.pop("show")
        rules |= {
            "passes": [{"slug": "", "show": show, "after_hours": 0, "remind_hours": []}],
            "labels": labels,
        }
        rules |= {"entries": [], "calibration": None, "repeats": None, "tuples_file": None}
        connection.execute(sa.update(ROUNDS).where(of_campaign).values(rules=rules))
        if gold_rule is not None:
            rule = {**gold_rule, "round": slug, "pass": ""}
            this = CAMPAIGNS.c.id == campaign_id
            connection.execute(sa.update(CAMPAIGNS).where(this).values(gold_rule=rule))


def downgrade() -> None:
    with op.batch_alter_table("campaign") as batch:
        batch.add_column(sa.Column("labels", sa.JSON(), nullable=False, server_default="{}"))
    with op.batch_alter_table("campaign") as batch:
        batch.alter_column("labels", server_default=None)
    connection = op.get_bind()
    for campaign_id, slug, rules in connection.execute(
        sa.select(ROUNDS.c.campaign_id, ROUNDS.c.slug, ROUNDS.c.rules)
    ).all():
        rules["show"] = rules.pop("passes")[0]["show"]
        this = (ROUNDS.c.campaign_id == campaign_id) & (ROUNDS.c.slug == slug)
        connection.execute(sa.update(ROUNDS).where(this).values(rules=rules))
    with op.batch_alter_table("unit_answer") as batch:
        batch.drop_column("picks")
    with op.batch_alter_table("annotation_step") as batch:
        batch.drop_index("uq_annotation_step_annotator_id_unit_id_pass_number")
        batch.create_unique_constraint("uq_annotation_step_annotator_id_unit_id", ["annotator_id", "unit_id"])
        batch.drop_constraint("fk_annotation_step_repeats_step_id_annotation_step", type_="foreignkey")
        batch.drop_column("repeats_step_id")
        batch.drop_column("block")
        batch.drop_column("pass_number")
    with op.batch_alter_table("annotation_unit") as batch:
        batch.drop_constraint("uq_annotation_unit_round_id_role_key", type_="unique")
        batch.create_unique_constraint("uq_annotation_unit_round_id_key", ["round_id", "key"])
        batch.drop_column("candidates")
        batch.drop_column("role")
