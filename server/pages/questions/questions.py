"""The page of questions and public answers, and the organizers' pages of all questions."""

from flask import Blueprint, flash, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from flask_security import auth_required

from server.access import request_tasks, service as access
from server.core.errors import Conflict
from server.core.i18n import _
from server.questions import service as questions
from server.questions.forms import AnswerForm, QuestionForm
from server.web import context
from server.web.form_errors import flash_error, render_form

blueprint = Blueprint("questions", __name__, url_prefix="/tasks/<slug>")


@blueprint.get("/questions")
def show(slug: str) -> str:
    """Show the public answers and, to a team, its own questions and the form for a new one."""
    return _render_page(slug, QuestionForm(formdata=None))


@blueprint.post("/questions")
@auth_required("session")
def ask(slug: str) -> ResponseReturnValue:
    """Ask the organizers a question."""
    form = QuestionForm()
    if not form.validate_on_submit():
        access.require_team(context.session(), context.actor(), request_tasks.get_task(slug))
        return _render_page(slug, form), 422
    with flash_error():
        with context.writing() as session:
            task = request_tasks.get_task(slug)
            now = context.arrival_time()
            questions.ask_question(session, context.actor(), task, form.text.data or "", now)
        flash(_("Your question was sent to the organizers. You get an email when they answer."), "success")
    return redirect(url_for("questions.show", slug=slug))


def _render_page(slug: str, form: QuestionForm) -> str:
    session, task = context.session(), request_tasks.get_task(slug)
    team = access.find_team(session, context.actor(), task)
    return render_template(
        "questions/show.html",
        task=task,
        team=team,
        own=() if team is None else questions.list_team_questions(session, team),
        answers=questions.list_public_answers(session, task),
        form=form,
    )


@blueprint.get("/organize/questions")
@auth_required("session")
def organize(slug: str) -> str:
    """Show the questions of all teams with their answers."""
    session, task = context.session(), request_tasks.get_observed_task(slug)
    return render_template(
        "questions/organize.html",
        task=task,
        questions=questions.list_questions(session, context.actor(), task),
    )


@blueprint.route("/organize/questions/<int:question_id>", methods=["GET", "POST"])
@auth_required("session")
def answer(slug: str, question_id: int) -> ResponseReturnValue:
    """Answer a question."""
    session, task, form = context.session(), request_tasks.get_organized_task(slug), AnswerForm()
    question = questions.get_question(session, context.actor(), task, question_id)
    if form.validate_on_submit():
        try:
            with context.writing() as session:
                questions.answer_question(
                    session,
                    context.actor(),
                    questions.get_question(
                        session, context.actor(), request_tasks.get_task(slug), question_id
                    ),
                    form.text.data or "",
                    form.published_question,
                    context.arrival_time(),
                    known_answers=form.known_answers.data or None,
                )
        except Conflict as error:
            form.text.errors = [error.message]
            task = request_tasks.get_task(slug)
            question = questions.get_question(session, context.actor(), task, question_id)
        else:
            public = form.published_question is not None
            flash(
                _("The answer was sent to the team, and everyone can read it on the page Questions.")
                if public
                else _("The answer was sent to the team."),
                "success",
            )
            return redirect(url_for("questions.organize", slug=slug))
    form.known_answers.data = str(len(question.answers))
    return render_form("questions/answer.html", form, task=task, question=question)
