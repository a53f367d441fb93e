"""Give each id on SQLite once only, as PostgreSQL does: deleted rows' ids opened the rows that came next."""

import sqlalchemy as sa
from alembic import op

revision = "0003_never_reuse_ids"
down_revision = "0002_drafts"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _recreate_tables(autoincrement=True)


def downgrade() -> None:
    _recreate_tables(autoincrement=False)


def _recreate_tables(*, autoincrement: bool) -> None:
    bind = op.get_bind()
    if bind.dialect.name != "sqlite":
        return
    tables = sa.inspect(bind)
    for name in tables.get_table_names():
        if tables.get_pk_constraint(name)["constrained_columns"] == ["id"]:
            with op.batch_alter_table(
                name,
                recreate="always",
                table_kwargs={"sqlite_autoincrement": autoincrement},
                reflect_kwargs={
                    "resolve_fks": False
                },  # reading the referred tables, too, takes three times as long
                naming_convention={"pk": "pk_%(table_name)s"},  # SQLite knows no name of an AUTOINCREMENT key
            ):
                pass
