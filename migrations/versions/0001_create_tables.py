"""Create all tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001_create_tables"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:  # noqa: PLR0915  (a list)
    op.create_table(
        "account",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("email", sa.String(length=255), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("password", sa.String(length=255), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("fs_uniquifier", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("confirmed_at", sa.DateTime(), nullable=True),
        sa.Column("tf_primary_method", sa.String(length=64), nullable=True),
        sa.Column("tf_totp_secret", sa.String(length=255), nullable=True),
        sa.Column("tf_last_counter", sa.Integer(), nullable=True),
        sa.Column("mf_recovery_codes", sa.JSON(), nullable=True),
        sa.Column("time_zone", sa.String(length=64), nullable=True),
        sa.Column("mail_confirmations", sa.Boolean(), nullable=False),
        sa.Column("mail_announcements", sa.Boolean(), nullable=False),
        sa.Column("mail_reminders", sa.Boolean(), nullable=False),
        sa.Column("mail_questions", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.Column("mail_dates", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.Column("mail_releases", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.Column("mail_memberships", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_account")),
        sa.UniqueConstraint("email", name=op.f("uq_account_email")),
        sa.UniqueConstraint("fs_uniquifier", name=op.f("uq_account_fs_uniquifier")),
    )
    op.create_table(
        "attempt",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attempt")),
    )
    op.create_index(op.f("ix_attempt_kind_key_at"), "attempt", ["kind", "key", "at"])
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
    op.create_index(op.f("ix_job_key_state"), "job", ["key", "state"])
    op.create_index(op.f("ix_job_state_due_at"), "job", ["state", "due_at"])
    op.create_table(
        "role",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_role")),
        sa.UniqueConstraint("name", name=op.f("uq_role_name")),
    )
    op.create_table(
        "task",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=64), nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("terms", sa.Text(), nullable=True),
        sa.Column("licence", sa.Text(), nullable=False),
        sa.Column("scale_min", sa.Double(), nullable=False),
        sa.Column("scale_max", sa.Double(), nullable=False),
        sa.Column("scale_step", sa.Double(), nullable=True),
        sa.Column("labels", sa.JSON(), nullable=False),
        sa.Column("keyed", sa.JSON(), nullable=True),
        sa.Column("board_rules", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("oov", sa.String(length=8), server_default="mean", nullable=False),
        sa.Column("confidence_max", sa.Double(), server_default="1", nullable=False),
        sa.Column("team_size", sa.Integer(), nullable=True),
        sa.Column("registration", sa.String(length=16), nullable=False),
        sa.Column("state", sa.String(length=16), server_default="draft", nullable=False),
        sa.Column("published_at", sa.DateTime(), nullable=True),
        sa.Column("organizers", sa.String(length=500), server_default="", nullable=False),
        sa.Column("contact", sa.String(length=255), server_default="", nullable=False),
        sa.Column("mailing_list", sa.String(length=255), server_default="", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_task")),
        sa.UniqueConstraint("slug", name=op.f("uq_task_slug")),
    )
    op.create_table(
        "account_role",
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("role_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["role_id"], ["role.id"], name=op.f("fk_account_role_role_id_role")),
        sa.ForeignKeyConstraint(["user_id"], ["account.id"], name=op.f("fk_account_role_user_id_account")),
        sa.PrimaryKeyConstraint("user_id", "role_id", name=op.f("pk_account_role")),
    )
    op.create_table(
        "api_token",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("token_sha256", sa.String(length=64), nullable=False),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.Column("ends_at", sa.DateTime(), nullable=False),
        sa.Column("revoked_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["account.id"], name=op.f("fk_api_token_user_id_account")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_token")),
        sa.UniqueConstraint("token_sha256", name=op.f("uq_api_token_token_sha256")),
    )
    op.create_index(op.f("ix_api_token_user_id"), "api_token", ["user_id"])
    op.create_table(
        "campaign",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=64), nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("contact", sa.String(length=255), nullable=False),
        sa.Column("languages", sa.JSON(), nullable=False),
        sa.Column("text_language", sa.String(length=16), nullable=False),
        sa.Column("guide", sa.JSON(), nullable=False),
        sa.Column("level", sa.String(length=64), nullable=True),
        sa.Column("split", sa.String(length=16), nullable=True),
        sa.Column("gold_rule", sa.JSON(), nullable=True),
        sa.Column("bundle_sha256", sa.String(length=64), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["made_by"], ["account.id"], name=op.f("fk_campaign_made_by_account")),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_campaign_task_id_task")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_campaign")),
        sa.UniqueConstraint("task_id", "slug", name=op.f("uq_campaign_task_id_slug")),
    )
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
        "level",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=64), nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("sides", sa.JSON(), nullable=False),
        sa.Column("layout", sa.JSON(), nullable=False),
        sa.Column("metrics", sa.JSON(), nullable=False),
        sa.Column("counts", sa.Boolean(), nullable=False),
        sa.Column("senses_sha256", sa.String(length=64), nullable=True),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_level_task_id_task")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_level")),
        sa.UniqueConstraint("task_id", "slug", name=op.f("uq_level_task_id_slug")),
    )
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
        sa.Column("useful_until", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_mail_task_id_task")),
        sa.ForeignKeyConstraint(["user_id"], ["account.id"], name=op.f("fk_mail_user_id_account")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mail")),
    )
    op.create_index(op.f("ix_mail_task_id_state"), "mail", ["task_id", "state"])
    op.create_index(op.f("ix_mail_user_id"), "mail", ["user_id"])
    op.create_table(
        "phase",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=64), nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("split", sa.String(length=16), nullable=False),
        sa.Column("opens", sa.DateTime(), nullable=True),
        sa.Column("closes", sa.DateTime(), nullable=True),
        sa.Column("grace_hours", sa.Integer(), nullable=False),
        sa.Column("feedback", sa.String(length=16), nullable=False),
        sa.Column("runs_public", sa.Boolean(), nullable=False),
        sa.Column("runs_per_team", sa.Integer(), nullable=False),
        sa.Column("files_per_level", sa.Integer(), nullable=True),
        sa.Column("feedback_places", sa.Integer(), nullable=True),
        sa.Column("ladder_step", sa.Double(), nullable=True),
        sa.Column("board", sa.String(length=16), nullable=False),
        sa.Column("files_per_day", sa.Integer(), nullable=True),
        sa.Column("reminders", sa.JSON(), nullable=False),
        sa.Column("baselines", sa.String(length=16), nullable=False),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_phase_task_id_task")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_phase")),
        sa.UniqueConstraint("task_id", "slug", name=op.f("uq_phase_task_id_slug")),
    )
    op.create_table(
        "role_invitation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("token", sa.String(length=64), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.Column("expires_at", sa.DateTime(), nullable=False),
        sa.Column("revoked_at", sa.DateTime(), nullable=True),
        sa.Column("accepted_by", sa.Integer(), nullable=True),
        sa.Column("accepted_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["accepted_by"], ["account.id"], name=op.f("fk_role_invitation_accepted_by_account")
        ),
        sa.ForeignKeyConstraint(["made_by"], ["account.id"], name=op.f("fk_role_invitation_made_by_account")),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_role_invitation_task_id_task")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_role_invitation")),
        sa.UniqueConstraint("token", name=op.f("uq_role_invitation_token")),
    )
    op.create_index(op.f("ix_role_invitation_task_id"), "role_invitation", ["task_id"])
    op.create_table(
        "sign_in",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("token_sha256", sa.String(length=64), nullable=False),
        sa.Column("browser", sa.String(length=200), nullable=False),
        sa.Column("began_at", sa.DateTime(), nullable=False),
        sa.Column("ends_at", sa.DateTime(), nullable=False),
        sa.Column("ended_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["account.id"], name=op.f("fk_sign_in_user_id_account")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sign_in")),
        sa.UniqueConstraint("token_sha256", name=op.f("uq_sign_in_token_sha256")),
    )
    op.create_index(op.f("ix_sign_in_user_id"), "sign_in", ["user_id"])
    op.create_table(
        "signing_key",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("public", sa.String(length=64), nullable=False),
        sa.Column("sealed", sa.Text(), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["made_by"], ["account.id"], name=op.f("fk_signing_key_made_by_account")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_signing_key")),
        sa.UniqueConstraint("public", name=op.f("uq_signing_key_public")),
    )
    op.create_table(
        "task_role",
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("added_at", sa.DateTime(), nullable=False),
        sa.Column("ended_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_task_role_task_id_task")),
        sa.ForeignKeyConstraint(["user_id"], ["account.id"], name=op.f("fk_task_role_user_id_account")),
        sa.PrimaryKeyConstraint("task_id", "user_id", name=op.f("pk_task_role")),
    )
    op.create_index(op.f("ix_task_role_user_id"), "task_role", ["user_id"])
    op.create_table(
        "task_setup",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.Column("changed_at", sa.DateTime(), nullable=False),
        sa.Column("tables", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["account.id"], name=op.f("fk_task_setup_user_id_account")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_task_setup")),
    )
    op.create_index(op.f("ix_task_setup_user_id"), "task_setup", ["user_id"])
    op.create_table(
        "team",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("name_key", sa.String(length=160), nullable=False),
        sa.Column("captain_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("affiliations", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["captain_id"], ["account.id"], name=op.f("fk_team_captain_id_account")),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_team_task_id_task")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_team")),
        sa.UniqueConstraint("task_id", "name_key", name=op.f("uq_team_task_id_name_key")),
    )
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
    op.create_table(
        "annotation_bar",
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("person_hash", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_annotation_bar_campaign_id_campaign")
        ),
        sa.PrimaryKeyConstraint("campaign_id", "person_hash", name=op.f("pk_annotation_bar")),
    )
    op.create_table(
        "annotation_entry",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("lease_hours", sa.Double(), nullable=False),
        sa.Column("assignments_each", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_annotation_entry_campaign_id_campaign")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_annotation_entry")),
        sa.UniqueConstraint("campaign_id", "slug", name=op.f("uq_annotation_entry_campaign_id_slug")),
    )
    op.create_table(
        "annotation_round",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("rules", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_annotation_round_campaign_id_campaign")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_annotation_round")),
        sa.UniqueConstraint("campaign_id", "slug", name=op.f("uq_annotation_round_campaign_id_slug")),
    )
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
    op.create_table(
        "audit_entry",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.Column("actor", sa.String(length=64), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=True),
        sa.Column("action", sa.String(length=64), nullable=False),
        sa.Column("details", sa.JSON(), nullable=False),
        sa.Column("previous", sa.String(length=64), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("team_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_audit_entry_task_id_task")),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name=op.f("fk_audit_entry_team_id_team")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_audit_entry")),
        sa.UniqueConstraint("sha256", name=op.f("uq_audit_entry_sha256")),
    )
    op.create_index(op.f("ix_audit_entry_task_id"), "audit_entry", ["task_id"])
    op.create_index(op.f("ix_audit_entry_team_id"), "audit_entry", ["team_id"])
    op.create_table(
        "consent_version",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("texts", sa.JSON(), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_consent_version_campaign_id_campaign")
        ),
        sa.ForeignKeyConstraint(["made_by"], ["account.id"], name=op.f("fk_consent_version_made_by_account")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_consent_version")),
        sa.UniqueConstraint("campaign_id", "number", name=op.f("uq_consent_version_campaign_id_number")),
    )
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
        "membership",
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("team_id", sa.Integer(), nullable=False),
        sa.Column("joined_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_membership_task_id_task")),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name=op.f("fk_membership_team_id_team")),
        sa.ForeignKeyConstraint(["user_id"], ["account.id"], name=op.f("fk_membership_user_id_account")),
        sa.PrimaryKeyConstraint("task_id", "user_id", name=op.f("pk_membership")),
    )
    op.create_index(op.f("ix_membership_team_id"), "membership", ["team_id"])
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
    op.create_table(
        "question",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("team_id", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["made_by"], ["account.id"], name=op.f("fk_question_made_by_account")),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_question_task_id_task")),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name=op.f("fk_question_team_id_team")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_question")),
    )
    op.create_index(op.f("ix_question_task_id"), "question", ["task_id"])
    op.create_index(op.f("ix_question_team_id"), "question", ["team_id"])
    op.create_table(
        "release",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("phase_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("named_sha256", sa.String(length=64), nullable=True),
        sa.Column("feedback", sa.String(length=16), nullable=True),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.Column("opens_gold", sa.Boolean(), nullable=False),
        sa.Column("rules", sa.JSON(), nullable=False),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("files", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("named_board", sa.Text(), nullable=True),
        sa.Column("board", sa.Text(), nullable=False),
        sa.CheckConstraint("(named_board IS NULL) = (named_sha256 IS NULL)", name=op.f("ck_release_named")),
        sa.ForeignKeyConstraint(["made_by"], ["account.id"], name=op.f("fk_release_made_by_account")),
        sa.ForeignKeyConstraint(["phase_id"], ["phase.id"], name=op.f("fk_release_phase_id_phase")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_release")),
        sa.UniqueConstraint("phase_id", "number", name=op.f("uq_release_phase_id_number")),
    )
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
        "run",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("team_id", sa.Integer(), nullable=False),
        sa.Column("phase_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("baseline", sa.String(length=16), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("method", sa.Text(), nullable=False),
        sa.Column("resources", sa.Text(), nullable=False),
        sa.Column("links", sa.Text(), nullable=False),
        sa.Column("authors", sa.Text(), nullable=False),
        sa.Column("is_primary", sa.Boolean(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["phase_id"], ["phase.id"], name=op.f("fk_run_phase_id_phase")),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name=op.f("fk_run_team_id_team")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run")),
        sa.UniqueConstraint("team_id", "phase_id", "name", name=op.f("uq_run_team_id_phase_id_name")),
    )
    op.create_index(op.f("ix_run_phase_id"), "run", ["phase_id"])
    op.create_table(
        "split",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("level_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=16), nullable=False),
        sa.Column("items_sha256", sa.String(length=64), nullable=False),
        sa.Column("n_items", sa.Integer(), nullable=False),
        sa.Column("public_gold", sa.Boolean(), nullable=False),
        sa.Column("held_out_genres", sa.JSON(), nullable=False),
        sa.Column("public_items_sha256", sa.String(length=64), nullable=True),
        sa.Column("n_public", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["level_id"], ["level.id"], name=op.f("fk_split_level_id_level")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_split")),
        sa.UniqueConstraint("level_id", "name", name=op.f("uq_split_level_id_name")),
    )
    op.create_table(
        "task_setup_file",
        sa.Column("setup_id", sa.Integer(), nullable=False),
        sa.Column("path", sa.String(length=100), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["setup_id"], ["task_setup.id"], name=op.f("fk_task_setup_file_setup_id_task_setup")
        ),
        sa.PrimaryKeyConstraint("setup_id", "path", name=op.f("pk_task_setup_file")),
    )
    op.create_table(
        "team_invitation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("team_id", sa.Integer(), nullable=False),
        sa.Column("token", sa.String(length=64), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.Column("expires_at", sa.DateTime(), nullable=False),
        sa.Column("revoked_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(["made_by"], ["account.id"], name=op.f("fk_team_invitation_made_by_account")),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name=op.f("fk_team_invitation_team_id_team")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_team_invitation")),
        sa.UniqueConstraint("token", name=op.f("uq_team_invitation_token")),
    )
    op.create_index(op.f("ix_team_invitation_team_id"), "team_invitation", ["team_id"])
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
        "annotation_round_event",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("round_id", sa.Integer(), nullable=False),
        sa.Column("event", sa.String(length=16), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["made_by"], ["account.id"], name=op.f("fk_annotation_round_event_made_by_account")
        ),
        sa.ForeignKeyConstraint(
            ["round_id"],
            ["annotation_round.id"],
            name=op.f("fk_annotation_round_event_round_id_annotation_round"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_annotation_round_event")),
    )
    op.create_index(op.f("ix_annotation_round_event_round_id"), "annotation_round_event", ["round_id"])
    op.create_table(
        "annotation_unit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("round_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("group_key", sa.String(length=255), nullable=True),
        sa.Column("genre", sa.String(length=255), nullable=True),
        sa.Column("texts", sa.JSON(), nullable=False),
        sa.Column("role", sa.String(length=16), server_default="main", nullable=False),
        sa.Column("candidates", sa.JSON(none_as_null=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["round_id"], ["annotation_round.id"], name=op.f("fk_annotation_unit_round_id_annotation_round")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_annotation_unit")),
        sa.UniqueConstraint("round_id", "role", "key", name=op.f("uq_annotation_unit_round_id_role_key")),
    )
    op.create_table(
        "annotator",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("entry_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=16), nullable=False),
        sa.Column("language", sa.String(length=16), nullable=False),
        sa.Column("trial", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_annotator_campaign_id_campaign")
        ),
        sa.ForeignKeyConstraint(
            ["entry_id"], ["annotation_entry.id"], name=op.f("fk_annotator_entry_id_annotation_entry")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_annotator")),
        sa.UniqueConstraint("campaign_id", "name", name=op.f("uq_annotator_campaign_id_name")),
    )
    op.create_table(
        "announcement_team",
        sa.Column("announcement_id", sa.Integer(), nullable=False),
        sa.Column("team_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["announcement_id"],
            ["announcement.id"],
            name=op.f("fk_announcement_team_announcement_id_announcement"),
        ),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name=op.f("fk_announcement_team_team_id_team")),
        sa.PrimaryKeyConstraint("announcement_id", "team_id", name=op.f("pk_announcement_team")),
    )
    op.create_index(op.f("ix_announcement_team_team_id"), "announcement_team", ["team_id"])
    op.create_table(
        "answer",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("question_id", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("public_question", sa.Text(), nullable=True),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["made_by"], ["account.id"], name=op.f("fk_answer_made_by_account")),
        sa.ForeignKeyConstraint(
            ["question_id"], ["question.id"], name=op.f("fk_answer_question_id_question")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_answer")),
    )
    op.create_index(op.f("ix_answer_question_id"), "answer", ["question_id"])
    op.create_table(
        "assignment_plan",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("round_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(length=16), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("n_assignments", sa.Integer(), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["made_by"], ["account.id"], name=op.f("fk_assignment_plan_made_by_account")),
        sa.ForeignKeyConstraint(
            ["round_id"], ["annotation_round.id"], name=op.f("fk_assignment_plan_round_id_annotation_round")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assignment_plan")),
        sa.UniqueConstraint("round_id", "number", name=op.f("uq_assignment_plan_round_id_number")),
    )
    op.create_table(
        "gold_version",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("split_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.Column("scorer", sa.String(length=32), nullable=False),
        sa.Column("salt", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["made_by"], ["account.id"], name=op.f("fk_gold_version_made_by_account")),
        sa.ForeignKeyConstraint(["split_id"], ["split.id"], name=op.f("fk_gold_version_split_id_split")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gold_version")),
        sa.UniqueConstraint("split_id", "number", name=op.f("uq_gold_version_split_id_number")),
    )
    op.create_table(
        "rejection",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("level_id", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("filename", sa.String(length=255), nullable=False),
        sa.Column("problems", sa.JSON(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("submitted_by", sa.Integer(), nullable=True),
        sa.Column("arrived_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["level_id"], ["level.id"], name=op.f("fk_rejection_level_id_level")),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_rejection_run_id_run")),
        sa.ForeignKeyConstraint(
            ["submitted_by"], ["account.id"], name=op.f("fk_rejection_submitted_by_account")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rejection")),
    )
    op.create_index(op.f("ix_rejection_run_id_arrived_at"), "rejection", ["run_id", "arrived_at"])
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
        sa.Column("note", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["made_by"], ["account.id"], name=op.f("fk_release_plan_made_by_account")),
        sa.ForeignKeyConstraint(["phase_id"], ["phase.id"], name=op.f("fk_release_plan_phase_id_phase")),
        sa.ForeignKeyConstraint(
            ["release_id"], ["release.id"], name=op.f("fk_release_plan_release_id_release")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_release_plan")),
    )
    op.create_index(op.f("ix_release_plan_phase_id"), "release_plan", ["phase_id"])
    op.create_table(
        "release_seal",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.Column("board_sha256", sa.String(length=64), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["release_id"], ["release.id"], name=op.f("fk_release_seal_release_id_release")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_release_seal")),
        sa.UniqueConstraint(
            "release_id", "board_sha256", name=op.f("uq_release_seal_release_id_board_sha256")
        ),
    )
    op.create_table(
        "release_withdrawal",
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["made_by"], ["account.id"], name=op.f("fk_release_withdrawal_made_by_account")
        ),
        sa.ForeignKeyConstraint(
            ["release_id"], ["release.id"], name=op.f("fk_release_withdrawal_release_id_release")
        ),
        sa.PrimaryKeyConstraint("release_id", name=op.f("pk_release_withdrawal")),
    )
    op.create_table(
        "round_data_set",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("round_id", sa.Integer(), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("choices_sha256", sa.String(length=64), nullable=True),
        sa.Column("answers_sha256", sa.String(length=64), nullable=True),
        sa.Column("sha256", sa.String(length=64), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("made_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["round_id"], ["annotation_round.id"], name=op.f("fk_round_data_set_round_id_annotation_round")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_round_data_set")),
    )
    op.create_index(op.f("ix_round_data_set_round_id"), "round_data_set", ["round_id"])
    op.create_table(
        "round_figures",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("round_id", sa.Integer(), nullable=False),
        sa.Column("answers_sha256", sa.String(length=64), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["round_id"], ["annotation_round.id"], name=op.f("fk_round_figures_round_id_annotation_round")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_round_figures")),
    )
    op.create_index(op.f("ix_round_figures_round_id"), "round_figures", ["round_id"])
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
        "submission",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("level_id", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("filename", sa.String(length=255), nullable=False),
        sa.Column("warnings", sa.JSON(), nullable=False),
        sa.Column("late", sa.Boolean(), nullable=False),
        sa.Column("submitted_by", sa.Integer(), nullable=True),
        sa.Column("arrived_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["level_id"], ["level.id"], name=op.f("fk_submission_level_id_level")),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_submission_run_id_run")),
        sa.ForeignKeyConstraint(
            ["submitted_by"], ["account.id"], name=op.f("fk_submission_submitted_by_account")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submission")),
    )
    op.create_index(
        op.f("ix_submission_run_id_level_id_arrived_at_id"),
        "submission",
        ["run_id", "level_id", "arrived_at", "id"],
    )
    op.create_index(op.f("ix_submission_submitted_by_id"), "submission", ["submitted_by", "id"])
    op.create_table(
        "annotator_exclusion",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("excluded", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["annotator_id"], ["annotator.id"], name=op.f("fk_annotator_exclusion_annotator_id_annotator")
        ),
        sa.ForeignKeyConstraint(
            ["made_by"], ["account.id"], name=op.f("fk_annotator_exclusion_made_by_account")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_annotator_exclusion")),
    )
    op.create_index(op.f("ix_annotator_exclusion_annotator_id"), "annotator_exclusion", ["annotator_id"])
    op.create_table(
        "annotator_identity",
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("label", sa.String(length=255), nullable=True),
        sa.Column("email", sa.String(length=255), nullable=True),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("erased_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["annotator_id"], ["annotator.id"], name=op.f("fk_annotator_identity_annotator_id_annotator")
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["account.id"], name=op.f("fk_annotator_identity_user_id_account")
        ),
        sa.PrimaryKeyConstraint("annotator_id", name=op.f("pk_annotator_identity")),
    )
    op.create_index(op.f("ix_annotator_identity_email"), "annotator_identity", ["email"])
    op.create_index(op.f("ix_annotator_identity_user_id"), "annotator_identity", ["user_id"])
    op.create_table(
        "annotator_key",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.Column("ended_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["annotator_id"], ["annotator.id"], name=op.f("fk_annotator_key_annotator_id_annotator")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_annotator_key")),
        sa.UniqueConstraint("sha256", name=op.f("uq_annotator_key_sha256")),
    )
    op.create_index(op.f("ix_annotator_key_annotator_id"), "annotator_key", ["annotator_id"])
    op.create_table(
        "assignment",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("plan_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=True),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("taken_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["annotator_id"], ["annotator.id"], name=op.f("fk_assignment_annotator_id_annotator")
        ),
        sa.ForeignKeyConstraint(
            ["plan_id"], ["assignment_plan.id"], name=op.f("fk_assignment_plan_id_assignment_plan")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assignment")),
        sa.UniqueConstraint("plan_id", "number", name=op.f("uq_assignment_plan_id_number")),
    )
    op.create_index(op.f("ix_assignment_annotator_id"), "assignment", ["annotator_id"])
    op.create_table(
        "consent",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("consent_version_id", sa.Integer(), nullable=False),
        sa.Column("language", sa.String(length=16), nullable=False),
        sa.Column("given", sa.Boolean(), nullable=False),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["annotator_id"], ["annotator.id"], name=op.f("fk_consent_annotator_id_annotator")
        ),
        sa.ForeignKeyConstraint(
            ["consent_version_id"],
            ["consent_version.id"],
            name=op.f("fk_consent_consent_version_id_consent_version"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_consent")),
    )
    op.create_index(op.f("ix_consent_annotator_id"), "consent", ["annotator_id"])
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
    op.create_table(
        "idempotency_key",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("request_sha256", sa.String(length=64), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.Column("whole", sa.JSON(none_as_null=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name=op.f("fk_idempotency_key_submission_id_submission")
        ),
        sa.ForeignKeyConstraint(["user_id"], ["account.id"], name=op.f("fk_idempotency_key_user_id_account")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_idempotency_key")),
        sa.UniqueConstraint("user_id", "key", name=op.f("uq_idempotency_key_user_id_key")),
    )
    op.create_index(op.f("ix_idempotency_key_at"), "idempotency_key", ["at"])
    op.create_table(
        "inference",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("phase_id", sa.Integer(), nullable=False),
        sa.Column("release_id", sa.Integer(), nullable=True),
        sa.Column("gold_version_id", sa.Integer(), nullable=True),
        sa.Column("board_sha256", sa.String(length=64), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=True),
        sa.Column("noted_at", sa.DateTime(), nullable=False),
        sa.Column("made_at", sa.DateTime(), nullable=True),
        sa.Column("shown", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("inputs", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("genres", sa.Text(), nullable=True),
        sa.Column("text", sa.Text(), nullable=True),
        sa.CheckConstraint("(text IS NULL) = (made_at IS NULL)", name=op.f("ck_inference_made")),
        sa.ForeignKeyConstraint(
            ["gold_version_id"], ["gold_version.id"], name=op.f("fk_inference_gold_version_id_gold_version")
        ),
        sa.ForeignKeyConstraint(["phase_id"], ["phase.id"], name=op.f("fk_inference_phase_id_phase")),
        sa.ForeignKeyConstraint(["release_id"], ["release.id"], name=op.f("fk_inference_release_id_release")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_inference")),
        sa.UniqueConstraint("release_id", "board_sha256", name=op.f("uq_inference_release_id_board_sha256")),
    )
    op.create_index(op.f("ix_inference_phase_id"), "inference", ["phase_id"])
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
    op.create_table(
        "receipt",
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name=op.f("fk_receipt_submission_id_submission")
        ),
        sa.PrimaryKeyConstraint("submission_id", name=op.f("pk_receipt")),
    )
    op.create_table(
        "score",
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("gold_version_id", sa.Integer(), nullable=False),
        sa.Column("metric", sa.String(length=32), nullable=False),
        sa.Column("value", sa.Double(), nullable=True),
        sa.Column("undefined_code", sa.String(length=32), nullable=True),
        sa.Column("undefined_reason", sa.Text(), nullable=True),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("signature", sa.String(length=255), nullable=False),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.CheckConstraint(
            "(value IS NULL) <> (undefined_code IS NULL)", name=op.f("ck_score_value_or_reason")
        ),
        sa.ForeignKeyConstraint(
            ["gold_version_id"], ["gold_version.id"], name=op.f("fk_score_gold_version_id_gold_version")
        ),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name=op.f("fk_score_submission_id_submission")
        ),
        sa.PrimaryKeyConstraint("submission_id", "gold_version_id", "metric", name=op.f("pk_score")),
    )
    op.create_table(
        "standing",
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("level_id", sa.Integer(), nullable=False),
        sa.Column("late", sa.Boolean(), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["level_id"], ["level.id"], name=op.f("fk_standing_level_id_level")),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_standing_run_id_run")),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name=op.f("fk_standing_submission_id_submission")
        ),
        sa.PrimaryKeyConstraint("run_id", "level_id", "late", name=op.f("pk_standing")),
    )
    op.create_table(
        "withdrawal",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("withdrawn", sa.Boolean(), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["made_by"], ["account.id"], name=op.f("fk_withdrawal_made_by_account")),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name=op.f("fk_withdrawal_submission_id_submission")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_withdrawal")),
    )
    op.create_index(op.f("ix_withdrawal_submission_id"), "withdrawal", ["submission_id"])
    op.create_table(
        "annotation_step",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("assignment_id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("unit_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("slot", sa.Integer(), nullable=False),
        sa.Column("pass_number", sa.Integer(), server_default="1", nullable=False),
        sa.Column("block", sa.String(length=16), server_default="main", nullable=False),
        sa.Column("repeats_step_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["annotator_id"], ["annotator.id"], name=op.f("fk_annotation_step_annotator_id_annotator")
        ),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignment.id"], name=op.f("fk_annotation_step_assignment_id_assignment")
        ),
        sa.ForeignKeyConstraint(
            ["repeats_step_id"],
            ["annotation_step.id"],
            name=op.f("fk_annotation_step_repeats_step_id_annotation_step"),
        ),
        sa.ForeignKeyConstraint(
            ["unit_id"], ["annotation_unit.id"], name=op.f("fk_annotation_step_unit_id_annotation_unit")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_annotation_step")),
        sa.UniqueConstraint(
            "assignment_id", "position", name=op.f("uq_annotation_step_assignment_id_position")
        ),
    )
    op.create_index("ix_annotation_step_unit_id", "annotation_step", ["unit_id"])
    op.create_index(
        "uq_annotation_step_annotator_id_unit_id_pass_number",
        "annotation_step",
        ["annotator_id", "unit_id", "pass_number"],
        unique=True,
        sqlite_where=sa.text("block <> 'repeat'"),
        postgresql_where=sa.text("block <> 'repeat'"),
    )
    op.create_table(
        "assignment_event",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("assignment_id", sa.Integer(), nullable=False),
        sa.Column("event", sa.String(length=16), nullable=False),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignment.id"], name=op.f("fk_assignment_event_assignment_id_assignment")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assignment_event")),
    )
    op.create_index(op.f("ix_assignment_event_assignment_id"), "assignment_event", ["assignment_id"])
    op.create_table(
        "mail_receipt",
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("mail_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["mail_id"], ["mail.id"], name=op.f("fk_mail_receipt_mail_id_mail")),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["receipt.submission_id"], name=op.f("fk_mail_receipt_submission_id_receipt")
        ),
        sa.PrimaryKeyConstraint("submission_id", name=op.f("pk_mail_receipt")),
    )
    op.create_index(op.f("ix_mail_receipt_mail_id"), "mail_receipt", ["mail_id"])
    op.create_table(
        "unit_answer",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("step_id", sa.Integer(), nullable=False),
        sa.Column("nonce", sa.String(length=32), nullable=False),
        sa.Column("value", sa.Double(), nullable=True),
        sa.Column("standing", sa.String(length=16), nullable=False),
        sa.Column("supersedes_id", sa.Integer(), nullable=True),
        sa.Column("shown_at", sa.DateTime(), nullable=False),
        sa.Column("arrived_at", sa.DateTime(), nullable=False),
        sa.Column("visible_ms", sa.Integer(), nullable=True),
        sa.Column("input", sa.String(length=16), nullable=False),
        sa.Column("texts_sha256", sa.String(length=64), nullable=True),
        sa.Column("picks", sa.JSON(none_as_null=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["step_id"], ["annotation_step.id"], name=op.f("fk_unit_answer_step_id_annotation_step")
        ),
        sa.ForeignKeyConstraint(
            ["supersedes_id"], ["unit_answer.id"], name=op.f("fk_unit_answer_supersedes_id_unit_answer")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_unit_answer")),
        sa.UniqueConstraint("step_id", "nonce", name=op.f("uq_unit_answer_step_id_nonce")),
    )
    op.create_table(
        "unit_answer_text",
        sa.Column("answer_id", sa.Integer(), nullable=False),
        sa.Column("comment", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("salt", sa.String(length=64), nullable=True),
        sa.ForeignKeyConstraint(
            ["answer_id"], ["unit_answer.id"], name=op.f("fk_unit_answer_text_answer_id_unit_answer")
        ),
        sa.PrimaryKeyConstraint("answer_id", name=op.f("pk_unit_answer_text")),
    )


def downgrade() -> None:
    bind = op.get_bind()
    tables = sa.MetaData()
    tables.reflect(bind)
    for table in reversed(tables.sorted_tables):
        if table.name != "alembic_version":
            op.drop_table(table.name)
