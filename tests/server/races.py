"""Runs a function in several threads at once, so that they meet each other in the database."""

from collections.abc import Callable, Iterable
from threading import Thread


def run_at_once(work: Callable[..., object], calls: Iterable[tuple[object, ...]]) -> None:
    threads = [Thread(target=work, args=arguments) for arguments in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
