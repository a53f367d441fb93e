"""Add extensions, feedback, descriptions of runs, jobs, emails, announcements and flags."""

import sqlalchemy as sa
from alembic import op

revision = "0012_keep_deadlines"
down_revision = "0011_give_roles"
branch_labels = None
depends_on = None


def upgrade() -> None:
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
    op.create_index(op.f("ix_job_key"), "job", ["key"])
    op.create_index(op.f("ix_job_state_due_at"), "job", ["state", "due_at"])

    op.create_table(
        "mail",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("subject", sa.String(length=255), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("html", sa.Text(), nullable=False),
        sa.Column("message_id", sa.String(length=255), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("sent_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_mail_task_id_task")),
        sa.ForeignKeyConstraint(["user_id"], ["account.id"], name=op.f("fk_mail_user_id_account")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mail")),
    )
    op.create_index(op.f("ix_mail_task_id_state"), "mail", ["task_id", "state"])
    op.create_index(op.f("ix_mail_user_id"), "mail", ["user_id"])

    op.create_table(
        "announcement",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("audience", sa.String(length=16), nullable=False),
        sa.Column("phase_id", sa.Integer(), nullable=True),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["made_by"], ["account.id"], name=op.f("fk_announcement_made_by_account")),
        sa.ForeignKeyConstraint(["phase_id"], ["phase.id"], name=op.f("fk_announcement_phase_id_phase")),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_announcement_task_id_task")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_announcement")),
    )
    op.create_index(op.f("ix_announcement_task_id"), "announcement", ["task_id"])

    op.create_table(
        "extension",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("phase_id", sa.Integer(), nullable=False),
        sa.Column("team_id", sa.Integer(), nullable=True),
        sa.Column("closes", sa.DateTime(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["made_by"], ["account.id"], name=op.f("fk_extension_made_by_account")),
        sa.ForeignKeyConstraint(["phase_id"], ["phase.id"], name=op.f("fk_extension_phase_id_phase")),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name=op.f("fk_extension_team_id_team")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_extension")),
    )
    op.create_index(op.f("ix_extension_phase_id"), "extension", ["phase_id"])

    op.create_table(
        "reminder",
        sa.Column("phase_id", sa.Integer(), nullable=False),
        sa.Column("team_id", sa.Integer(), nullable=False),
        sa.Column("closes", sa.DateTime(), nullable=False),
        sa.Column("hours", sa.Integer(), nullable=False),
        sa.Column("sent_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["phase_id"], ["phase.id"], name=op.f("fk_reminder_phase_id_phase")),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name=op.f("fk_reminder_team_id_team")),
        sa.PrimaryKeyConstraint("phase_id", "team_id", "closes", "hours", name=op.f("pk_reminder")),
    )
    op.create_table(
        "run_withdrawal",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("withdrawn", sa.Boolean(), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["made_by"], ["account.id"], name=op.f("fk_run_withdrawal_made_by_account")),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_run_withdrawal_run_id_run")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run_withdrawal")),
    )
    op.create_index(op.f("ix_run_withdrawal_run_id"), "run_withdrawal", ["run_id"])

    op.create_table(
        "flag",
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("code", sa.String(length=24), nullable=False),
        sa.Column("words", sa.String(length=255), nullable=False),
        sa.Column("other_id", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["other_id"], ["submission.id"], name=op.f("fk_flag_other_id_submission")),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name=op.f("fk_flag_submission_id_submission")
        ),
        sa.PrimaryKeyConstraint("submission_id", "code", name=op.f("pk_flag")),
    )
    op.create_table(
        "part_score",
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("gold_version_id", sa.Integer(), nullable=False),
        sa.Column("metric", sa.String(length=32), nullable=False),
        sa.Column("value", sa.Double(), nullable=True),
        sa.Column("undefined_code", sa.String(length=32), nullable=True),
        sa.Column("undefined_reason", sa.Text(), nullable=True),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("signature", sa.String(length=255), nullable=False),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.Column("part", sa.String(length=8), nullable=False),
        sa.CheckConstraint(
            "(value IS NULL) <> (undefined_code IS NULL)", name=op.f("ck_part_score_value_or_reason")
        ),
        sa.ForeignKeyConstraint(
            ["gold_version_id"], ["gold_version.id"], name=op.f("fk_part_score_gold_version_id_gold_version")
        ),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name=op.f("fk_part_score_submission_id_submission")
        ),
        sa.PrimaryKeyConstraint(
            "submission_id", "gold_version_id", "metric", "part", name=op.f("pk_part_score")
        ),
    )
    op.add_column("account", sa.Column("time_zone", sa.String(length=64), nullable=True))
    op.add_column(
        "account", sa.Column("mail_confirmations", sa.Boolean(), nullable=False, server_default=sa.true())
    )
    op.add_column(
        "account", sa.Column("mail_announcements", sa.Boolean(), nullable=False, server_default=sa.true())
    )
    op.add_column(
        "account", sa.Column("mail_reminders", sa.Boolean(), nullable=False, server_default=sa.true())
    )

    op.add_column("phase", sa.Column("feedback_places", sa.Integer(), nullable=True))
    op.add_column("phase", sa.Column("ladder_step", sa.Double(), nullable=True))
    op.add_column(
        "phase", sa.Column("board", sa.String(length=16), nullable=False, server_default="released")
    )
    op.add_column("phase", sa.Column("files_per_day", sa.Integer(), nullable=True))
    op.add_column("phase", sa.Column("reminders", sa.JSON(), nullable=False, server_default="[]"))

    op.add_column("run", sa.Column("method", sa.Text(), nullable=False, server_default=""))
    op.add_column("run", sa.Column("resources", sa.Text(), nullable=False, server_default=""))
    op.add_column("run", sa.Column("links", sa.Text(), nullable=False, server_default=""))
    op.add_column("run", sa.Column("authors", sa.Text(), nullable=False, server_default=""))
    op.add_column("run", sa.Column("is_primary", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("run", sa.Column("position", sa.Integer(), nullable=False, server_default="0"))

    op.execute("UPDATE run SET position = number")
    op.add_column("split", sa.Column("public_items_sha256", sa.String(length=64), nullable=True))
    op.add_column("split", sa.Column("n_public", sa.Integer(), nullable=True))


def downgrade() -> None:
    op.drop_column("split", "n_public")
    op.drop_column("split", "public_items_sha256")

    op.drop_column("run", "position")
    op.drop_column("run", "is_primary")
    op.drop_column("run", "authors")
    op.drop_column("run", "links")
    op.drop_column("run", "resources")
    op.drop_column("run", "method")

    op.drop_column("phase", "reminders")
    op.drop_column("phase", "files_per_day")
    op.drop_column("phase", "board")
    op.drop_column("phase", "ladder_step")
    op.drop_column("phase", "feedback_places")

    op.drop_column("account", "mail_reminders")
    op.drop_column("account", "mail_announcements")
    op.drop_column("account", "mail_confirmations")
    op.drop_column("account", "time_zone")

    op.drop_table("part_score")
    op.drop_table("flag")

    op.drop_table("run_withdrawal")
    op.drop_table("reminder")

    op.drop_table("extension")

    op.drop_table("announcement")

    op.drop_table("mail")

    op.drop_table("job")
