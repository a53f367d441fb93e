"""Questions of teams, and the answers of organizers."""

from datetime import datetime

from sqlalchemy import ForeignKey, Text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.core.db import Base, UtcDateTime
from server.tasks.models import Task
from server.teams.models import Team


class Question(Base):
    """A question of a team, which only the team and people with a role can read. Immutable."""

    __tablename__ = "question"

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"), index=True)
    team_id: Mapped[int] = mapped_column(ForeignKey("team.id"), index=True)
    text: Mapped[str] = mapped_column(Text)
    made_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)
    task: Mapped[Task] = relationship()
    team: Mapped[Team] = relationship()
    answers: Mapped[list["Answer"]] = relationship(back_populates="question", order_by="Answer.id")


class Answer(Base):
    """An answer to a question. Immutable; organizers add another one to correct it."""

    __tablename__ = "answer"

    id: Mapped[int] = mapped_column(primary_key=True)
    question_id: Mapped[int] = mapped_column(ForeignKey("question.id"), index=True)
    text: Mapped[str] = mapped_column(Text)
    public_question: Mapped[str | None] = mapped_column(Text)
    """The question as everyone reads it; None: only the team reads the answer."""
    made_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)
    question: Mapped[Question] = relationship(back_populates="answers")
