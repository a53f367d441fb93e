from server.tasks.rules import ROLE_CAPABILITIES, ROLE_NAMES, grants


def test_every_role_can_see_everything_and_higher_roles_can_do_more() -> None:
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


def test_without_a_role_no_permission_is_granted() -> None:
    assert not any(grants(None, capability) for capability in ("see", "run", "people"))
