from server.core.cache import CacheByHash


def test_cached_value_is_computed_once_and_the_least_recently_used_is_evicted() -> None:
    computed: list[str] = []

    def of(key: str) -> str:
        def compute() -> str:
            computed.append(key)
            return key.upper()

        return cache.get(key, compute)

    cache: CacheByHash[str, str] = CacheByHash(2)
    assert [of(key) for key in "abacab"] == list("ABACAB")
    assert computed == ["a", "b", "c", "b"], "b was asked for before a, so c took its place"
    cache.clear()
    assert of("a") == "A"
    assert computed[-1] == "a"
