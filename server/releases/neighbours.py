"""Where a run stands in what is released, beside its neighbours: for those who see its page."""

from dataclasses import dataclass

from sqlalchemy.orm import Session

from server.boards.inferences import read_inference
from server.boards.neighbours import Standpoint, list_standpoints
from server.boards.system_keys import write_key
from server.releases import inferences
from server.releases import service as releases
from server.releases.models import Inference
from server.releases.service import ReleaseState
from server.runs.models import Run


@dataclass(frozen=True, slots=True)
class RunPlacement:
    """A release by hand that the public sees, and a run in it: by the total first, then by level."""

    state: ReleaseState
    points: tuple[Standpoint, ...]
    key: str
    """What it is called there, in addresses."""


def find_standing(session: Session, run: Run) -> RunPlacement | None:
    """The place of a run in the newest release of its phase; None: it has none, or it is not computed yet."""
    newest = releases.find_newest(session, run.phase)
    if newest is None or newest.withdrawal is not None or newest.release.feedback is not None:
        return None
    row = inferences.find_row(session, newest.release.id, newest.sha256)
    if row is None or row.text is None:
        return None
    called = _called(row, run)
    points = list_standpoints(read_inference(row.text), *called)
    return RunPlacement(newest, tuple(points), write_key("official", *called)) if points else None


def _called(row: Inference, run: Run) -> tuple[str, str]:
    """The names that a run has there: of its instant, or letters; of what was brought along, its own."""
    systems = [] if row.inputs is None else row.inputs["systems"]
    known = [(one["team"], one["run"]) for one in systems if one["run_id"] == run.id]
    return known[0] if known else (run.team.name, run.name)
