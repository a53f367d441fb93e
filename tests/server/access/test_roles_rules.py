from server.tasks.rules import ROLE_CAPABILITIES, ROLE_NAMES, grants


def test_each_role_sees_all_and_the_higher_do_more() -> None:
    table = {
        role: [capability for capability in ("see", "run", "people") if grants(role, capability)]
        for role in ROLE_NAMES
    }
    assert table == {
        "organizer": ["see", "run", "people"],
        "co-organizer": ["see", "run"],
        "observer": ["see"],
    }
    assert set(ROLE_CAPABILITIES) == set(ROLE_NAMES)


def test_without_a_role_nothing_is_granted() -> None:
    assert not any(grants(None, capability) for capability in ("see", "run", "people"))
