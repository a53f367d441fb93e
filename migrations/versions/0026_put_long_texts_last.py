"""Move long texts to the end of their rows: SQLite has to read all of a row up to the wanted column."""

from alembic import op

revision = "0026_put_long_texts_last"
down_revision = "0025_count_files_by_index"
branch_labels = None
depends_on = None

RELEASE = (
    "id phase_id number sha256 named_sha256 feedback made_by made_at opens_gold rules note "
    "files named_board board"
)
INFERENCE = (
    "id phase_id release_id gold_version_id board_sha256 sha256 noted_at made_at shown inputs genres text"
)
RELEASE_BEFORE = (
    "id phase_id number board sha256 made_by made_at feedback named_board named_sha256 rules files "
    "opens_gold note"
)
INFERENCE_BEFORE = (
    "id phase_id release_id board_sha256 inputs noted_at text sha256 shown made_at gold_version_id genres"
)


def upgrade() -> None:
    _put("release", RELEASE)
    _put("inference", INFERENCE)


def downgrade() -> None:
    _put("inference", INFERENCE_BEFORE)
    _put("release", RELEASE_BEFORE)


def _put(table: str, columns: str) -> None:
    """PostgreSQL stores long texts outside of their rows, so that the order does not matter there."""
    if op.get_bind().dialect.name == "sqlite":
        with op.batch_alter_table(table, recreate="always", partial_reordering=[tuple(columns.split())]):
            pass
