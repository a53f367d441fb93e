"""What changed from one release to another, as the public reads both."""

from typing import Literal, get_args

from scorer.boards.changes import BoardChanges, board_changes
from scorer.reports.changes import render_changes
from server.releases.rule_changes import ON_BOARDS, RuleChange, rule_changes
from server.releases.service import ReleaseState

Ending = Literal["txt", "tsv", "json"]
ENDINGS: tuple[Ending, ...] = get_args(Ending)


def changes_between(before: ReleaseState, after: ReleaseState) -> BoardChanges | None:
    """What differs between two boards; None where one of them names its teams and the other does not."""
    if before.anonymous != after.anonymous:
        return None
    return board_changes(before.board, after.board)


def rules_between(before: ReleaseState, after: ReleaseState) -> list[RuleChange]:
    """Which rules differ, but for those that boards say themselves where the boards are compared."""
    told = ON_BOARDS if before.anonymous == after.anonymous else ()
    found = rule_changes(before.release.rules, after.release.rules)
    return [change for change in found if change.rule not in told]


def export_changes(changes: BoardChanges, ending: Ending) -> bytes:
    """The same in a format: the bytes that `scorer changes` prints for the two boards."""
    return render_changes(changes, "text" if ending == "txt" else ending).encode()
