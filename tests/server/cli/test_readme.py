"""The README shows commands that exist, lists all of them, and links only to files that are there."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from scorer.cli.__main__ import cli as scorer_commands
from tests.server import command_lines

ROOT = Path(__file__).parents[3]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"^    ((?:scorer|assay) .+)$", README, re.MULTILINE)
MAX_PICTURE_BYTES = 120_000


@pytest.mark.parametrize("line", SHOWN)
def test_readme_commands_parse(line: str) -> None:
    command_lines.parse(line)


def test_readme_table_lists_every_command() -> None:
    table = README.partition("## All commands")[2].partition("\n## ")[0]
    assert set(re.findall(r"`((?:scorer|assay) [a-z-]+)`", table)) == command_lines.list_names()


def test_readme_example_run_file_is_accepted(tmp_path: Path) -> None:
    section = README.partition("## For participants")[2].partition("\n## ")[0]
    lines = re.findall(r"^    ([0-9][0-9.\t]*)$", section, re.MULTILINE)
    assert len(lines) == 5
    (tmp_path / "run.tsv").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    (tmp_path / "items.tsv").write_text("a boat\tvessel\n" * 5, encoding="utf-8")
    arguments = ["check", str(tmp_path / "items.tsv"), str(tmp_path / "run.tsv"), "--scale", "0", "4"]
    done = CliRunner().invoke(scorer_commands, arguments)
    assert (done.exit_code, done.stderr) == (0, "")


def test_readme_links_work() -> None:
    headings = {
        re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-")
        for heading in re.findall(r"^## (.+)$", README, re.MULTILINE)
    }
    links = re.findall(r"\]\(([^)]+)\)", README)
    assert [link for link in links if link.startswith("#") and link[1:] not in headings] == []
    assert [link for link in links if not link.startswith("#") and not (ROOT / link).is_file()] == []


def test_readme_picture_is_small() -> None:
    assert (ROOT / "deploy" / "leaderboard.png").stat().st_size <= MAX_PICTURE_BYTES
