from datetime import UTC, datetime, timedelta

from server.teams.rules import explain_invalid_link

END = datetime(2026, 3, 8, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def test_a_link_is_good_up_to_its_last_instant() -> None:
    assert explain_invalid_link(END, None, END) is None
    assert explain_invalid_link(END, None, END + SECOND) == "This link expired at 2026-03-08 00:00:00 UTC."


def test_a_revoked_link_says_so_also_when_it_has_expired_since() -> None:
    revoked = END - SECOND
    assert explain_invalid_link(END, revoked, revoked) == "This link was revoked at 2026-03-07 23:59:59 UTC."
    assert (
        explain_invalid_link(END, revoked, END + SECOND)
        == "This link was revoked at 2026-03-07 23:59:59 UTC."
    )
