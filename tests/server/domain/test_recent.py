from server.domain.recent import Recent


def test_a_value_is_computed_once_and_the_one_that_nobody_asked_for_goes_first() -> None:
    computed: list[str] = []

    def of(key: str) -> str:
        def compute() -> str:
            computed.append(key)
            return key.upper()

        return recent.get(key, compute)

    recent: Recent[str, str] = Recent(2)
    assert [of(key) for key in "abacab"] == list("ABACAB")
    assert computed == ["a", "b", "c", "b"], "b was asked for before a, so c took its place"
