"""Keep the jobs of PostgreSQL in Procrastinate's tables, and drop two columns that nothing wrote."""

from importlib import resources

import sqlalchemy as sa
from alembic import op

revision = "0017_jobs_on_procrastinate"
down_revision = "0016_add_run_facts"
branch_labels = None
depends_on = None

COPY = (
    """
    INSERT INTO procrastinate_jobs (id, queue_name, task_name, args, status, scheduled_at, attempts)
    SELECT id, kind, kind, payload::jsonb - 'sealed' - 'result',
        CASE state WHEN 'failed' THEN 'failed' WHEN 'done' THEN 'succeeded' ELSE 'todo' END
            ::procrastinate_job_status,
        due_at AT TIME ZONE 'UTC', attempt
    FROM job
    """,
    """
    INSERT INTO job_note (job_id, key, extra, error, created_at, finished_at)
    SELECT id, key, coalesce((SELECT json_object_agg(name, value) FROM json_each(payload) AS one (name, value)
        WHERE name IN ('sealed', 'result')), '{}'), error, created_at, finished_at
    FROM job
    """,
    "SELECT setval('procrastinate_jobs_id_seq', greatest((SELECT last_value FROM job_id_seq), 1))",
)
VIEW = """
    CREATE VIEW job AS
    SELECT q.id, q.task_name AS kind,
        (q.args || coalesce(note.extra::jsonb, '{}'))::json AS payload,
        note.key,
        CASE q.status
            WHEN 'todo' THEN 'waiting' WHEN 'doing' THEN 'running' WHEN 'failed' THEN 'failed' ELSE 'done'
        END AS state,
        coalesce(q.scheduled_at AT TIME ZONE 'UTC', note.created_at) AS due_at,
        q.attempts + (q.status = 'doing')::int AS attempt,
        CASE WHEN q.status = 'doing' THEN coalesce(
            (SELECT last_heartbeat + interval '6 seconds' FROM procrastinate_workers WHERE id = q.worker_id)
                AT TIME ZONE 'UTC', note.created_at) END AS leased_until,
        note.error, note.created_at, note.finished_at, 0 AS done, NULL::integer AS total
    FROM procrastinate_jobs AS q JOIN job_note AS note ON note.job_id = q.id
"""
VERSION_BEFORE = """
    CREATE FUNCTION job_of_the_version_before() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO procrastinate_jobs (queue_name, task_name, args, scheduled_at)
        VALUES (NEW.kind, NEW.kind, NEW.payload::jsonb - 'sealed', NEW.due_at AT TIME ZONE 'UTC')
        RETURNING id INTO NEW.id;
        INSERT INTO job_note (job_id, key, extra, created_at) VALUES (NEW.id, NEW.key,
            CASE WHEN NEW.payload::jsonb ? 'sealed' THEN json_build_object('sealed', NEW.payload -> 'sealed')
            ELSE '{}' END, NEW.created_at);
        RETURN NEW;
    END $$;
    CREATE TRIGGER job_of_the_version_before INSTEAD OF INSERT ON job
        FOR EACH ROW EXECUTE FUNCTION job_of_the_version_before();
"""
"""While hosts are upgraded one after the other, those of the version before add jobs as rows.

The next migration may drop this, with the columns `done` and `total`.
"""
COPY_BACK = """
    INSERT INTO job (id, kind, payload, key, state, due_at, attempt, done, error, created_at, finished_at)
    SELECT id, kind, payload, key, CASE state WHEN 'running' THEN 'waiting' ELSE state END, due_at, attempt,
        0, error, created_at, finished_at
    FROM job_view
"""


DROP = """
    DO $$
    DECLARE thing record;
    BEGIN
        FOR thing IN SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'procrastinate\\_%'
            AND relnamespace = current_schema()::regnamespace LOOP
            EXECUTE format('DROP TABLE %I CASCADE', thing.relname);
        END LOOP;
        FOR thing IN SELECT oid::regprocedure AS name FROM pg_proc WHERE proname LIKE 'procrastinate\\_%'
            AND pronamespace = current_schema()::regnamespace LOOP
            EXECUTE format('DROP FUNCTION %s', thing.name);
        END LOOP;
        FOR thing IN SELECT typname FROM pg_type WHERE typname LIKE 'procrastinate\\_%'
            AND typnamespace = current_schema()::regnamespace LOOP
            EXECUTE format('DROP TYPE %I', thing.typname);
        END LOOP;
    END $$
"""


def upgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        op.drop_column("job", "total")
        op.drop_column("job", "done")
        return
    shipped = resources.files("procrastinate.sql")
    newest = max(file.name for file in (shipped / "migrations").iterdir() if file.name.endswith(".sql"))
    run((shipped / "schema.sql").read_text(encoding="utf-8"))
    run(f"COMMENT ON TABLE procrastinate_jobs IS '{newest}'")
    op.create_table(
        "job_note",
        sa.Column("job_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("key", sa.String(length=64), nullable=True),
        sa.Column("extra", sa.JSON(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("finished_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["job_id"],
            ["procrastinate_jobs.id"],
            name=op.f("fk_job_note_job_id_procrastinate_jobs"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("job_id", name=op.f("pk_job_note")),
    )
    op.create_index(op.f("ix_job_note_key"), "job_note", ["key", "job_id"])
    unfinished = sa.text("finished_at IS NULL")
    op.create_index("ix_job_note_unfinished", "job_note", ["key"], postgresql_where=unfinished)
    for statement in COPY:
        op.execute(statement)
    op.drop_table("job")
    op.execute(VIEW)
    run(VERSION_BEFORE)


def run(statements: str) -> None:
    """Run several statements, which SQLAlchemy would prepare as one."""
    op.get_bind().connection.driver_connection.execute(statements)


def downgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        op.add_column("job", sa.Column("done", sa.Integer(), server_default="0", nullable=False))
        op.add_column("job", sa.Column("total", sa.Integer(), nullable=True))
        with op.batch_alter_table("job", table_kwargs={"sqlite_autoincrement": True}) as batch_op:
            batch_op.alter_column("done", server_default=None)
        return
    op.execute("ALTER VIEW job RENAME TO job_view")
    op.create_table(
        "job",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=True),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("due_at", sa.DateTime(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("leased_until", sa.DateTime(), nullable=True),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("finished_at", sa.DateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job")),
    )
    for columns in (["key"], ["key", "state"], ["state", "due_at"]):
        op.create_index(op.f(f"ix_job_{'_'.join(columns)}"), "job", columns)
    op.execute(COPY_BACK)
    op.execute("SELECT setval('job_id_seq', (SELECT last_value FROM procrastinate_jobs_id_seq))")
    op.execute("DROP VIEW job_view")
    op.execute("DROP FUNCTION job_of_the_version_before")
    op.drop_table("job_note")
    run(DROP)
