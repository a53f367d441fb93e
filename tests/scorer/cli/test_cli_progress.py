"""Progress is shown on a terminal, on standard error, and nowhere else."""

import sys
from io import StringIO

import pytest

from scorer.cli._output import progress


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


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
    with progress("Resampling", 10, long=is_long) as tell:
        tell(10)
    assert ("Resampling" in stream.getvalue()) == shown == bool(stream.getvalue())
    assert capsys.readouterr().out == ""
