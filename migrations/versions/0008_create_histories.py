"""Create histories: versions of terms, who accepted them, and people of imported tasks."""

import sqlalchemy as sa
from alembic import op

revision = "0008_create_histories"
down_revision = "0007_add_sign_ins"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "terms_version",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["made_by"], ["account.id"], name=op.f("fk_terms_version_made_by_account")),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_terms_version_task_id_task")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_terms_version")),
        sa.UniqueConstraint("task_id", "number", name=op.f("uq_terms_version_task_id_number")),
    )
    op.execute(
        "INSERT INTO terms_version (task_id, number, text, made_at) "
        "SELECT id, 1, terms, created_at FROM task WHERE terms IS NOT NULL ORDER BY id"
    )
    op.create_table(
        "terms_acceptance",
        sa.Column("terms_version_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("accepted_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["terms_version_id"],
            ["terms_version.id"],
            name=op.f("fk_terms_acceptance_terms_version_id_terms_version"),
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["account.id"], name=op.f("fk_terms_acceptance_user_id_account")
        ),
        sa.PrimaryKeyConstraint("terms_version_id", "user_id", name=op.f("pk_terms_acceptance")),
    )
    op.create_index(op.f("ix_terms_acceptance_user_id"), "terms_acceptance", ["user_id"])
    op.create_table(
        "imported_person",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=True),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_imported_person_task_id_task")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_imported_person")),
    )
    op.create_index(op.f("ix_imported_person_task_id"), "imported_person", ["task_id"])
    op.create_table(
        "attribution",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("part", sa.String(length=24), nullable=False),
        sa.Column("row_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["person_id"], ["imported_person.id"], name=op.f("fk_attribution_person_id_imported_person")
        ),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_attribution_task_id_task")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attribution")),
    )
    op.create_index(op.f("ix_attribution_task_id_part"), "attribution", ["task_id", "part"])
    op.add_column("task", sa.Column("oov", sa.String(length=8), server_default="mean", nullable=False))


def downgrade() -> None:
    op.drop_column("task", "oov")
    op.drop_table("attribution")
    op.drop_table("imported_person")
    op.drop_table("terms_acceptance")
    op.drop_table("terms_version")
