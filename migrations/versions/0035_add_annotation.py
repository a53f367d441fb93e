"""Add campaigns of annotation, with their annotators, assignments and answers."""

import sqlalchemy as sa
from alembic import op

revision = "0035_add_annotation"
down_revision = "0034_choose_membership_mails"
branch_labels = None
depends_on = None


def upgrade() -> None:
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
        sa.Column("labels", sa.JSON(), nullable=False),
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
    with op.batch_alter_table("annotation_round_event", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_annotation_round_event_round_id"), ["round_id"], unique=False)

    op.create_table(
        "annotation_unit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("round_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("group_key", sa.String(length=255), nullable=True),
        sa.Column("genre", sa.String(length=255), nullable=True),
        sa.Column("texts", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["round_id"], ["annotation_round.id"], name=op.f("fk_annotation_unit_round_id_annotation_round")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_annotation_unit")),
        sa.UniqueConstraint("round_id", "key", name=op.f("uq_annotation_unit_round_id_key")),
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
    with op.batch_alter_table("annotator_exclusion", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_annotator_exclusion_annotator_id"), ["annotator_id"], unique=False
        )

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
    with op.batch_alter_table("annotator_identity", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_annotator_identity_email"), ["email"], unique=False)
        batch_op.create_index(batch_op.f("ix_annotator_identity_user_id"), ["user_id"], unique=False)

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
    with op.batch_alter_table("annotator_key", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_annotator_key_annotator_id"), ["annotator_id"], unique=False)

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
    with op.batch_alter_table("assignment", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_assignment_annotator_id"), ["annotator_id"], unique=False)

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
    with op.batch_alter_table("consent", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_consent_annotator_id"), ["annotator_id"], unique=False)

    op.create_table(
        "annotation_step",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("assignment_id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("unit_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("slot", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["annotator_id"], ["annotator.id"], name=op.f("fk_annotation_step_annotator_id_annotator")
        ),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignment.id"], name=op.f("fk_annotation_step_assignment_id_assignment")
        ),
        sa.ForeignKeyConstraint(
            ["unit_id"], ["annotation_unit.id"], name=op.f("fk_annotation_step_unit_id_annotation_unit")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_annotation_step")),
        sa.UniqueConstraint("annotator_id", "unit_id", name=op.f("uq_annotation_step_annotator_id_unit_id")),
        sa.UniqueConstraint(
            "assignment_id", "position", name=op.f("uq_annotation_step_assignment_id_position")
        ),
    )
    with op.batch_alter_table("annotation_step", schema=None) as batch_op:
        batch_op.create_index("ix_annotation_step_unit_id", ["unit_id"], unique=False)

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
    with op.batch_alter_table("assignment_event", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_assignment_event_assignment_id"), ["assignment_id"], unique=False
        )

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

    op.create_table(
        "agreement_report",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("round_id", sa.Integer(), nullable=False),
        sa.Column("ratings_sha256", sa.String(length=64), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["round_id"], ["annotation_round.id"], name=op.f("fk_agreement_report_round_id_annotation_round")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_agreement_report")),
    )
    op.create_index(op.f("ix_agreement_report_round_id"), "agreement_report", ["round_id"])


def downgrade() -> None:
    op.drop_table("agreement_report")
    op.drop_table("unit_answer_text")
    op.drop_table("unit_answer")
    with op.batch_alter_table("assignment_event", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_assignment_event_assignment_id"))

    op.drop_table("assignment_event")
    with op.batch_alter_table("annotation_step", schema=None) as batch_op:
        batch_op.drop_index("ix_annotation_step_unit_id")

    op.drop_table("annotation_step")
    with op.batch_alter_table("consent", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_consent_annotator_id"))

    op.drop_table("consent")
    with op.batch_alter_table("assignment", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_assignment_annotator_id"))

    op.drop_table("assignment")
    with op.batch_alter_table("annotator_key", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_annotator_key_annotator_id"))

    op.drop_table("annotator_key")
    with op.batch_alter_table("annotator_identity", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_annotator_identity_user_id"))
        batch_op.drop_index(batch_op.f("ix_annotator_identity_email"))

    op.drop_table("annotator_identity")
    with op.batch_alter_table("annotator_exclusion", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_annotator_exclusion_annotator_id"))

    op.drop_table("annotator_exclusion")
    op.drop_table("assignment_plan")
    op.drop_table("annotator")
    op.drop_table("annotation_unit")
    with op.batch_alter_table("annotation_round_event", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_annotation_round_event_round_id"))

    op.drop_table("annotation_round_event")
    op.drop_table("consent_version")
    op.drop_table("annotation_round")
    op.drop_table("annotation_entry")
    op.drop_table("campaign")
