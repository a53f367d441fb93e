import pytest

from tests.server.commands import Assay

pytestmark = pytest.mark.one_database

COMMANDS = (["migrate"], ["user", "list"], ["task", "list"], ["release", "list", "small"], ["serve"])


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("ASSAY_SECRET_KEY", "short", "ASSAY_SECRET_KEY must have at least 32 characters"),
        ("ASSAY_PORT", "x", 'ASSAY_PORT must be a whole number from 1 to 65535, not "x"'),
        ("ASSAY_PROT", "8000", "unknown setting ASSAY_PROT"),
    ],
)
def test_invalid_setting_prints_one_line_and_exits_2(
    assay: Assay, monkeypatch: pytest.MonkeyPatch, arguments: list[str], name: str, value: str, words: str
) -> None:
    monkeypatch.setenv(name, value)
    result = assay(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"assay: {words}")
    assert len(result.stderr.splitlines()) == 1


def test_the_site_is_not_served_with_the_settings_of_tests(assay: Assay) -> None:
    result = assay("serve")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "assay: ASSAY_TESTING is for tests only, because it weakens password hashes\n"


@pytest.mark.parametrize("url", ["nonsense", "oracle://db", "sqlite:////no/such/folder/db.sqlite"])
def test_database_that_cannot_be_opened_is_reported_in_one_line(
    assay: Assay, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("ASSAY_DATABASE_URL", url)
    result = assay("user", "list")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("assay: ")
    assert len(result.stderr.splitlines()) == 1
