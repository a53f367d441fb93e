"""Give each id on SQLite once only, as PostgreSQL does: deleted rows' ids opened the rows that came next."""

import sqlalchemy as sa
from alembic import op

revision = "0003_never_reuse_ids"
down_revision = "0002_drafts"
branch_labels = None
depends_on = None
_SEQUENCE = sa.table("sqlite_sequence", sa.column("name"), sa.column("seq"))


def upgrade() -> None:
    for table in _change_keys("(id)", "(id AUTOINCREMENT)"):
        last = sa.select(sa.literal(table), sa.column("id")).select_from(sa.table(table))
        last = last.order_by(sa.desc("id")).limit(1)
        op.execute(_SEQUENCE.insert().from_select(["name", "seq"], last))


def downgrade() -> None:
    _change_keys("(id AUTOINCREMENT)", "(id)")


def _change_keys(old: str, new: str) -> list[str]:
    """Change this word of the schema only, and return the tables: https://sqlite.org/lang_altertable.html#otheralter."""
    bind = op.get_bind()
    if bind.dialect.name != "sqlite":
        return []
    op.execute("CREATE TABLE first_with_a_sequence (id INTEGER PRIMARY KEY AUTOINCREMENT)")
    op.execute("DROP TABLE first_with_a_sequence")
    op.execute("PRAGMA writable_schema = ON")
    words = {"old": f"PRIMARY KEY {old}", "new": f"PRIMARY KEY {new}"}
    op.execute(sa.text("UPDATE sqlite_master SET sql = replace(sql, :old, :new)").bindparams(**words))
    op.execute("PRAGMA writable_schema = RESET")
    return list(bind.scalars(sa.text("SELECT name FROM sqlite_master WHERE instr(sql, :new)"), words))
