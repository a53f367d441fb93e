"""What the pages about a release share: finding it, caching headers, and the page of a withdrawn one."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flask import make_response, render_template, request
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session

from server.access import request_tasks, service as access, tasks
from server.boards.inference_json import BoardInference
from server.boards.inference_marks import MarkedBoard, mark_board
from server.boards.systems import (
    ComparedColumn,
    SystemKey,
    choose_column,
    columns_of,
    format_system_key,
    parse_system_key,
    rows_by_key,
)
from server.core.errors import NotFound, ReleaseWithdrawn
from server.core.i18n import _
from server.phases.models import Phase
from server.releases import inferences, public_releases
from server.releases.service import ReleaseState
from server.tasks.models import Task
from server.web import context
from server.web.caching import require_revalidation


@dataclass(frozen=True)
class ReleasePage:
    """A public release, with its leaderboard and inference."""

    session: Session
    task: Task
    phase: Phase
    state: ReleaseState

    @cached_property
    def inference(self) -> BoardInference | None:
        """The whole inference; None: there is none, or not yet."""
        return inferences.find_values(self.session, self.state.release.id, self.state.sha256)

    @cached_property
    def board(self) -> MarkedBoard:
        """The leaderboard with the marks of the inference."""
        return mark_board(self.state.file, self.inference)

    @cached_property
    def own(self) -> str | None:
        """The name of the reader's own team in it."""
        team = access.find_team(self.session, context.actor(), self.task)
        return public_releases.find_own_name(self.session, team, self.state)

    @property
    def column(self) -> ComparedColumn:
        """The level in the address, or the first column."""
        return choose_column(self.board, request.args.get("level"))

    def get_key(self, text: str) -> SystemKey:
        """Return a system by its key.

        Raises:
            NotFound: the text is not a key, or the board has no such system.
        """
        key = parse_system_key(text)
        if key is None or key not in rows_by_key(self.board):
            number = self.state.release.number
            words = _("Release %(number)d has no such system. Choose one on its leaderboard.", number=number)
            raise NotFound(words)
        return key

    def page(self, template: str, **facts: Any) -> ResponseReturnValue:
        """Render a page without a current time; visitors' browsers may cache it, and revalidate each time."""
        page = render_template(
            template,
            task=self.task,
            phase=self.phase,
            state=self.state,
            number=self.state.release.number,
            board=self.board,
            columns=columns_of(self.board),
            parts={"slug": self.task.slug, "phase": self.phase.slug, "number": self.state.release.number},
            key_of=lambda key: format_system_key(*key),
            still=True,
            inferred=self.inference is not None,
            **facts,
        )
        signed_in = context.actor().user_id is not None
        return page if signed_in else require_revalidation(make_response(page), public=False)


def open_release(slug: str, phase: str, number: int) -> ReleasePage:
    """Return the release of an address.

    Raises:
        NotFound: there is none.
        ReleaseWithdrawn: it was withdrawn.
    """
    session, task = context.session(), request_tasks.get_task(slug)
    target = tasks.get_phase(session, task, phase)
    return ReleasePage(session, task, target, public_releases.get_release(session, target, number))


def show_withdrawn(_error: ReleaseWithdrawn) -> ResponseReturnValue:
    """Show the page of a withdrawn release, in place of any page about it."""
    slug, phase, number = (context.path_values()[part] for part in ("slug", "phase", "number"))
    session, task = context.session(), request_tasks.get_task(slug)
    target = tasks.get_phase(session, task, phase)
    state = public_releases.get_any_release(session, target, number)
    page = render_template(
        "releases/withdrawn.html",
        task=task,
        phase=target,
        state=state,
        place=public_releases.find_context(session, target, state),
        still=True,
    )
    return page, ReleaseWithdrawn.status
