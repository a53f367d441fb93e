"""Index units by their group, so that a page finds the reports of an incident among 130,000 sentences."""

from alembic import op

revision = "0012_index_units_by_group"
down_revision = "0011_add_crowds"
branch_labels = None
depends_on = None

_NAME = "ix_annotation_unit_round_id_group_key"


def upgrade() -> None:
    op.create_index(_NAME, "annotation_unit", ["round_id", "group_key"])


def downgrade() -> None:
    op.drop_index(_NAME, "annotation_unit")
