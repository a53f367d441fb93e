import pytest

from server.organize.dashboard import REASONS_BY_URGENCY, AttentionReason, TeamFacts, list_reasons


@pytest.mark.parametrize(
    ("facts", "reasons"),
    [
        (TeamFacts("waiting", 0, refused_last=False, flagged=0, equal=False, levels_missing=2), ("waiting",)),
        (
            TeamFacts("approved", 3, refused_last=True, flagged=2, equal=True, levels_missing=1),
            ("stuck", "flagged", "equal", "missing"),
        ),
        (
            TeamFacts("approved", 3, refused_last=False, flagged=2, equal=False, levels_missing=1),
            ("flagged", "missing"),
        ),
        (
            TeamFacts("approved", 3, refused_last=False, flagged=0, equal=False, levels_missing=1),
            ("missing",),
        ),
        (
            TeamFacts("approved", 0, refused_last=False, flagged=0, equal=False, levels_missing=2),
            ("nothing",),
        ),
        (TeamFacts("approved", 3, refused_last=False, flagged=0, equal=False, levels_missing=0), ("all in",)),
        (TeamFacts("approved", 3, refused_last=True, flagged=0, equal=False, levels_missing=0), ("all in",)),
        (
            TeamFacts("approved", 0, refused_last=True, flagged=0, equal=False, levels_missing=2),
            ("stuck", "nothing"),
        ),
        (TeamFacts("declined", 0, refused_last=True, flagged=0, equal=False, levels_missing=2), ("out",)),
    ],
)
def test_each_reason_for_attention_is_listed_most_serious_first(
    facts: TeamFacts, reasons: tuple[AttentionReason, ...]
) -> None:
    assert list_reasons(facts) == reasons
    assert list(reasons) == sorted(reasons, key=REASONS_BY_URGENCY.index)
