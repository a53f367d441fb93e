"""A cache in this process for values that are computed from contents that never change, keyed by hash."""

from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class CacheByHash(Generic[Key, Value]):
    """A cache of the values that were used last; a key names everything that its value is computed from.

    `functools.lru_cache` does not fit: it makes all arguments part of the key, and some of them, such as the
    session, are not part of it. Two threads that ask at the same time may both compute the value.
    """

    def __init__(self, size: int) -> None:
        @lru_cache(size)
        def slot_of(_key: Key) -> list[Value]:
            return []

        self._slot_of = slot_of

    def get(self, key: Key, compute: Callable[[], Value]) -> Value:
        """Return the value of a key, and compute it if it is not cached."""
        slot = self._slot_of(key)
        if not slot:
            slot.append(compute())
        return slot[0]

    def find(self, key: Key) -> Value | None:
        """Return the value of a key if it is cached."""
        return next(iter(self._slot_of(key)), None)

    def clear(self) -> None:
        """Remove all values."""
        self._slot_of.cache_clear()
