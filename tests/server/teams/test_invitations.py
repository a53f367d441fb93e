from datetime import UTC, datetime, timedelta

from server.teams.rules import explain_invalid_link

END = datetime(2026, 3, 8, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def test_invitation_link_is_valid_until_its_last_instant() -> None:
    assert explain_invalid_link(END, None, END) is None
    assert explain_invalid_link(END, None, END + SECOND) == "This link expired on 8 Mar 2026, 00:00 UTC."


def test_revoked_link_is_reported_as_revoked_even_after_it_expired() -> None:
    revoked = END - SECOND
    assert explain_invalid_link(END, revoked, revoked) == "This link was revoked on 7 Mar 2026, 23:59 UTC."
    assert (
        explain_invalid_link(END, revoked, END + SECOND) == "This link was revoked on 7 Mar 2026, 23:59 UTC."
    )
