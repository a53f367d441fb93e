import pytest

from server.domain.attention import ORDER, Reason, TeamFacts, reason_of


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        (TeamFacts("waiting", 0, refused_last=False, flagged=0, levels_missing=2), "waiting"),
        (TeamFacts("approved", 3, refused_last=True, flagged=2, levels_missing=1), "stuck"),
        (TeamFacts("approved", 3, refused_last=False, flagged=2, levels_missing=1), "flagged"),
        (TeamFacts("approved", 3, refused_last=False, flagged=0, levels_missing=1), "missing"),
        (TeamFacts("approved", 0, refused_last=False, flagged=0, levels_missing=2), "nothing"),
        (TeamFacts("approved", 3, refused_last=False, flagged=0, levels_missing=0), "all in"),
        (TeamFacts("declined", 0, refused_last=True, flagged=0, levels_missing=2), "out"),
    ],
)
def test_the_gravest_reason_is_the_one_that_is_told(facts: TeamFacts, reason: Reason) -> None:
    assert reason_of(facts) == reason
    assert reason in ORDER
