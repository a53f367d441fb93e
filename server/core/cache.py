"""A cache in this process for what is computed from contents that never change, by their hashes."""

from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class CacheByHash(Generic[Key, Value]):
    """The values that were asked for last, by keys that name all that a value is computed from.

    `functools.lru_cache` keeps a slot for each key; a value is computed with what is no part of its key, such
    as the session. Two threads that ask at once may both compute it.
    """

    def __init__(self, size: int) -> None:
        @lru_cache(size)
        def slot_of(_key: Key) -> list[Value]:
            return []

        self._slot_of = slot_of

    def get(self, key: Key, compute: Callable[[], Value]) -> Value:
        """The value of a key, computed where it is not cached."""
        slot = self._slot_of(key)
        if not slot:
            slot.append(compute())
        return slot[0]

    def clear(self) -> None:
        """Forget all values."""
        self._slot_of.cache_clear()
