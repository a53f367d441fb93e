import pytest

from server.organize.rules import ORDER, Reason, TeamFacts, reasons_of


@pytest.mark.parametrize(
    ("facts", "reasons"),
    [
        (TeamFacts("waiting", 0, refused_last=False, flagged=0, levels_missing=2), ("waiting",)),
        (
            TeamFacts("approved", 3, refused_last=True, flagged=2, levels_missing=1),
            ("stuck", "flagged", "missing"),
        ),
        (TeamFacts("approved", 3, refused_last=False, flagged=2, levels_missing=1), ("flagged", "missing")),
        (TeamFacts("approved", 3, refused_last=False, flagged=0, levels_missing=1), ("missing",)),
        (TeamFacts("approved", 0, refused_last=False, flagged=0, levels_missing=2), ("nothing",)),
        (TeamFacts("approved", 3, refused_last=False, flagged=0, levels_missing=0), ("all in",)),
        (TeamFacts("declined", 0, refused_last=True, flagged=0, levels_missing=2), ("out",)),
    ],
)
def test_each_reason_is_told_and_the_gravest_is_the_first(
    facts: TeamFacts, reasons: tuple[Reason, ...]
) -> None:
    assert reasons_of(facts) == reasons
    assert list(reasons) == sorted(reasons, key=ORDER.index)
