"""What was computed of a few contents, kept in this process by their hashes: it is never out of date."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Recent(Generic[Key, Value]):
    """The values that were asked for last; nobody changes them. Two who ask at once may both compute one."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._kept: OrderedDict[Key, Value] = OrderedDict()

    def get(self, key: Key, compute: Callable[[], Value]) -> Value:
        """The value of a key, computed where it is not kept."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        value = compute()
        with self._lock:
            self._kept[key] = value
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return value

    def forget(self) -> None:
        """Let all of them go."""
        with self._lock:
            self._kept.clear()
