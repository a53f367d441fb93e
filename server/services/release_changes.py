"""What changed from one release to another, as the public reads both."""

from scorer.board_changes import BoardChanges, board_changes
from server.services.releases import ReleaseState


def changes_between(before: ReleaseState, after: ReleaseState) -> BoardChanges | None:
    """What differs between two boards; None where one of them names its teams and the other does not."""
    if before.anonymous != after.anonymous:
        return None
    return board_changes(before.board, after.board)
