"""Add entries for a crowd, who came by them, and with which browser they answered."""

import sqlalchemy as sa
from alembic import op

revision = "0011_add_crowds"
down_revision = "0010_add_written_texts"
branch_labels = None
depends_on = None

ENTRY_COLUMNS = {"person": 64, "done": 64, "failed": 64, "back": 500}
ONE_STEP = "uq_annotation_step_annotator_id_unit_id_pass_number"


def upgrade() -> None:
    for name, length in ENTRY_COLUMNS.items():
        op.add_column("annotation_entry", sa.Column(name, sa.String(length=length), nullable=True))
    op.add_column("annotator_identity", sa.Column("person_hash", sa.String(length=64), nullable=True))
    op.create_index(
        op.f("ix_annotator_identity_person_hash"), "annotator_identity", ["person_hash"], unique=True
    )
    op.add_column("unit_answer", sa.Column("key_sha256", sa.String(length=64), nullable=True))
    _index_steps("block = 'main'")


def downgrade() -> None:
    _index_steps("block <> 'repeat'")
    op.drop_column("unit_answer", "key_sha256")
    op.drop_index(op.f("ix_annotator_identity_person_hash"), "annotator_identity")
    op.drop_column("annotator_identity", "person_hash")
    for name in ENTRY_COLUMNS:
        op.drop_column("annotation_entry", name)


def _index_steps(which: str) -> None:
    """Let the steps that are `which` ask an annotator about a unit once in a pass."""
    op.drop_index(ONE_STEP, "annotation_step")
    op.create_index(
        ONE_STEP,
        "annotation_step",
        ["annotator_id", "unit_id", "pass_number"],
        unique=True,
        sqlite_where=sa.text(which),
        postgresql_where=sa.text(which),
    )
