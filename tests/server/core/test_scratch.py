import os
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from server.core.config import Config
from server.core.scratch import delete_leftovers, use_scratch


def test_temporary_files_are_private_to_the_site_and_go_after_a_day(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setenv("TMPDIR", "/elsewhere")
    use_scratch(config)
    assert os.environ["TMPDIR"] == str(config.scratch_dir)
    assert config.scratch_dir.stat().st_mode & 0o777 == 0o700
    left = [Path(tempfile.mkdtemp()), Path(tempfile.mkdtemp())]
    (left[0] / "hidden.tsv").write_text("text")
    now = datetime.now(UTC)
    os.utime(left[0], ((now - timedelta(hours=25)).timestamp(),) * 2)
    delete_leftovers(config, now)
    assert list(config.scratch_dir.iterdir()) == [left[1]]
