"""Progress is shown on a terminal, on standard error, and nowhere else. Files are written as a whole."""

import sys
import threading
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest

from scorer.cli._output import progress, write_output


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


class ImmediateTimer(threading.Timer):
    """A timer whose time is up at once, so that work of any length is long."""

    def __init__(self, _interval: float, function: Callable[[], None]) -> None:
        super().__init__(0, function)

    def cancel(self) -> None:
        """Do nothing: the function has run or runs soon."""

    def start(self) -> None:
        super().start()
        self.join()


@pytest.mark.parametrize(
    ("stream", "is_long", "shown"),
    [(Terminal(), True, True), (Terminal(), False, False), (StringIO(), True, False)],
)
def test_progress_is_shown_only_for_long_work_on_a_terminal(
    stream: StringIO,
    is_long: bool,
    shown: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", stream)
    if is_long:
        monkeypatch.setattr(threading, "Timer", ImmediateTimer)
    with progress("Resampling", 10) as advance:
        advance(10)
    assert ("Resampling" in stream.getvalue()) == shown == bool(stream.getvalue())
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(("total", "time"), [(10, "-:--:--"), (None, "0:00:00")])
def test_progress_shows_the_time_left_if_the_number_of_steps_is_known(
    total: int | None, time: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setattr(threading, "Timer", ImmediateTimer)
    with progress("Resampling", total):
        pass
    assert time in terminal.getvalue()


def test_interrupted_write_leaves_the_old_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_paths: Path) -> None:
        raise KeyboardInterrupt

    write_output(tmp_path / "plan.json", b"old")
    monkeypatch.setattr(Path, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_output(tmp_path / "plan.json", b"new")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]


def test_file_that_cannot_be_written_is_named_as_the_user_named_it(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        write_output(tmp_path / "missing" / "plan.json", b"")
    assert caught.value.filename == str(tmp_path / "missing" / "plan.json")
