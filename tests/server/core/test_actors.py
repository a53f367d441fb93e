import pytest

from server.core.actors import CONSOLE, VISITOR, Actor


@pytest.mark.parametrize(
    ("actor", "label"), [(Actor(user_id=17), "user:17"), (CONSOLE, "console"), (VISITOR, "visitor")]
)
def test_audit_log_names_people_by_number_only(actor: Actor, label: str) -> None:
    assert actor.label == label
