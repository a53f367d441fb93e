"""Questions of teams, and the answers of organizers."""

from sqlalchemy import ForeignKey, Text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.core.db import AuthoredRow
from server.tasks.models import Task
from server.teams.models import Team


class Question(AuthoredRow):
    """A question of a team, which only the team and people with a role can read. Immutable."""

    __tablename__ = "question"

    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"), index=True)
    team_id: Mapped[int] = mapped_column(ForeignKey("team.id"), index=True)
    text: Mapped[str] = mapped_column(Text)
    task: Mapped[Task] = relationship()
    team: Mapped[Team] = relationship()
    answers: Mapped[list["Answer"]] = relationship(back_populates="question", order_by="Answer.id")


class Answer(AuthoredRow):
    """An answer to a question. Immutable; organizers add another one to correct it."""

    __tablename__ = "answer"

    question_id: Mapped[int] = mapped_column(ForeignKey("question.id"), index=True)
    text: Mapped[str] = mapped_column(Text)
    public_question: Mapped[str | None] = mapped_column(Text)
    """The question as everyone reads it; None: only the team reads the answer."""
    question: Mapped[Question] = relationship(back_populates="answers")
