"""Add questions of teams and answers of organizers, and the choice of emails about them."""

import sqlalchemy as sa
from alembic import op

revision = "0031_add_questions"
down_revision = "0030_announce_to_chosen_teams"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("account") as batch:
        batch.add_column(sa.Column("mail_questions", sa.Boolean(), nullable=False, server_default=sa.true()))
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


def downgrade() -> None:
    op.drop_table("answer")
    op.drop_table("question")
    with op.batch_alter_table("account") as batch:
        batch.drop_column("mail_questions")
