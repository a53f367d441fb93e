import re
from dataclasses import MISSING, FrozenInstanceError, fields, replace
from pathlib import Path
from typing import Any

import pytest

from server.core.config import PREFIX, SECRETS, Config, ConfigError, from_env, to_env

KEY = "k" * 32
GIVEN = {"ASSAY_SECRET_KEY": KEY}
EXAMPLE = Path(__file__).parents[3] / "deploy" / "env.example"


def test_secret_key_is_the_only_required_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    config = from_env(GIVEN)
    assert config.data_dir == tmp_path / "data"
    assert config.database_url == f"sqlite:///{tmp_path}/data/assay.sqlite"
    assert (config.host, config.port) == ("127.0.0.1", 8000)
    assert config.secure_cookies
    assert not config.testing


def test_each_setting_is_read() -> None:
    values = {
        "SECRET_KEY": KEY, "DATA_DIR": "/srv/assay", "DATABASE_URL": "sqlite:////db", "HOST": "10.1.2.3",
        "PORT": "81", "SITE_URL": "https://assay.example.org/", "PROXIES": "1",
        "ARRIVAL_HEADER": "X-Request-Start",
        "JOBS": "false", "MAIL_URL": "smtps://mail", "MAIL_FROM": "a@example.org", "WORKERS": "5",
        "THREADS": "6", "SECURE_COOKIES": "false",
        "OPEN_IMPORT": "true", "LANGUAGE": "en", "TIME_ZONE": "Europe/Prague",
        "PRIVACY_FILE": str(EXAMPLE), "IMPRINT_FILE": str(EXAMPLE),
        "SECURITY_CONTACT": "mailto:safe@example.org", "TESTING": "TRUE", "DEMO": "true",
        "METRICS": "[::1]:9464", "LOG": "json", "SENTRY_DSN": "https://key@sentry.example.org/1",
    }  # fmt: skip
    assert {PREFIX + name for name in values} == {PREFIX + field.name.upper() for field in fields(Config)}
    config = from_env({PREFIX + name: value for name, value in values.items()})
    assert config == Config(
        KEY, Path("/srv/assay"), "sqlite:////db", "10.1.2.3", 81, "https://assay.example.org", 1,
        "X-Request-Start", False, "smtps://mail", "a@example.org", 5, 6, secure_cookies=False,
        open_import=True, language="en", time_zone="Europe/Prague", privacy_file=str(EXAMPLE),
        imprint_file=str(EXAMPLE), security_contact="mailto:safe@example.org", testing=True, demo=True,
        metrics="[::1]:9464", log="json", sentry_dsn="https://key@sentry.example.org/1",
    )  # fmt: skip


def test_database_url_variable_of_hosting_providers_is_read() -> None:
    url = "postgresql://assay@localhost/assay"
    assert from_env({**GIVEN, "DATABASE_URL": url}).database_url == url
    assert from_env({**GIVEN, "DATABASE_URL": url, "ASSAY_DATABASE_URL": url}).database_url == url
    with pytest.raises(ConfigError, match="ASSAY_DATABASE_URL and DATABASE_URL name two databases"):
        from_env({**GIVEN, "DATABASE_URL": url, "ASSAY_DATABASE_URL": "sqlite:////db"})


def test_arrival_header_setting_needs_a_trusted_proxy() -> None:
    with pytest.raises(ConfigError, match="set ASSAY_PROXIES=1 too"):
        from_env({**GIVEN, "ASSAY_ARRIVAL_HEADER": "X-Request-Start"})
    with pytest.raises(ConfigError, match="must be a header such as X-Request-Start"):
        from_env({**GIVEN, "ASSAY_PROXIES": "1", "ASSAY_ARRIVAL_HEADER": "X Start:"})


def test_child_process_is_told_the_file_of_a_secret_and_not_the_secret(tmp_path: Path) -> None:
    file, others = tmp_path / "key", {"ASSAY_DATA_DIR": str(tmp_path), "PATH": "/bin"}
    file.write_text(KEY + "\n")
    environ = {**others, "ASSAY_SECRET_KEY_FILE": str(file)}
    passed = to_env(from_env(environ), environ)
    assert KEY not in passed.values()
    assert from_env(passed) == from_env(environ)
    other = replace(from_env(environ), secret_key="o" * 32)  # such as the demo's
    assert from_env(to_env(other, environ)) == other


def test_unrelated_environment_variables_are_ignored() -> None:
    assert from_env({**GIVEN, "PATH": "/bin", "FLASK_DEBUG": "1"}) == from_env(GIVEN)


def test_unknown_setting_prevents_the_start() -> None:
    with pytest.raises(ConfigError, match=r"unknown setting ASSAY_PROT; deploy/env\.example"):
        from_env({**GIVEN, "ASSAY_PROT": "8000"})


@pytest.mark.parametrize("key", [None, "", "short", "x" * 31])
def test_missing_or_short_secret_prevents_the_start(key: str | None) -> None:
    with pytest.raises(ConfigError, match="at least 32 characters") as refused:
        from_env({} if key is None else {"ASSAY_SECRET_KEY": key})
    assert not key or key not in str(refused.value)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("name", SECRETS)
def test_secret_can_be_read_from_a_file(tmp_path: Path, name: str, encoding: str) -> None:
    path = tmp_path / "secret"
    path.write_text("sqlite:///" + "s" * 40 + "\n", encoding=encoding)
    others = {} if name == "secret_key" else GIVEN
    config = from_env({**others, f"ASSAY_{name.upper()}_FILE": str(path)})
    assert getattr(config, name) == "sqlite:///" + "s" * 40


def test_empty_file_setting_is_ignored() -> None:
    assert from_env({**GIVEN, "ASSAY_DATABASE_URL_FILE": ""}) == from_env(GIVEN)


def test_a_secret_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"ASSAY_SECRET_KEY_FILE: .*gone cannot be read: No such file"):
        from_env({"ASSAY_SECRET_KEY_FILE": str(tmp_path / "gone")})


def test_secret_given_twice_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="both ASSAY_SECRET_KEY and ASSAY_SECRET_KEY_FILE are set"):
        from_env({**GIVEN, "ASSAY_SECRET_KEY_FILE": str(tmp_path)})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "0"),
        ("PORT", "65536"),
        ("PORT", "-1"),
        ("PORT", "80.0"),
        ("PORT", ""),
        ("PORT", "²"),
        ("PORT", "８０００"),
        ("PORT", "8_000"),
        ("PROXIES", "-1"),
        ("TIME_ZONE", "CEST"),
        ("SITE_URL", "assay.example.org"),
        ("SITE_URL", "https://example.org/assay"),
        ("WORKERS", "two"),
        ("WORKERS", "65"),
        ("THREADS", "0"),
        ("LOG", "JSON"),
        ("METRICS", "9464"),
        ("METRICS", "127.0.0.1:8000"),
        ("METRICS", "127.0.0.1:99999"),
        ("METRICS", "http://127.0.0.1:9464"),
        ("SECURE_COOKIES", "yes"),
        ("SECURE_COOKIES", ""),
        ("TESTING", "1"),
    ],
)
def test_malformed_value_prevents_the_start_and_is_named(name: str, value: str) -> None:
    with pytest.raises(ConfigError, match=f'ASSAY_{name} must be .*, not "{re.escape(value)}"'):
        from_env({**GIVEN, f"ASSAY_{name}": value})


def test_settings_are_immutable() -> None:
    with pytest.raises(FrozenInstanceError):
        from_env(GIVEN).port = 81  # type: ignore[misc]  # that is the fault


def documented() -> dict[str, str]:
    """The settings of deploy/env.example, with their values."""
    lines = EXAMPLE.read_text(encoding="utf-8").splitlines()
    return dict(re.findall(r"(?m)^#?(ASSAY_\w+)=(.*)$", "\n".join(lines)))


def test_example_file_documents_exactly_the_settings() -> None:
    names = {PREFIX + field.name.upper() for field in fields(Config)}
    assert set(documented()) == names | {f"{PREFIX}{name.upper()}_FILE" for name in SECRETS}


def test_each_setting_in_the_example_file_is_commented_out_and_described() -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    assert all(line.startswith("#") for line in text.splitlines() if line)
    for block in text.split("\n\n"):
        if "ASSAY_" in block and "=" in block:
            assert re.match(r"# \S.{15,}", block), block


def test_example_file_shows_the_defaults_and_contains_no_secret() -> None:
    shown = documented()
    assert shown["ASSAY_SECRET_KEY"] == ""
    for field in fields(Config):
        if field.default is not MISSING:
            words = str(field.default).lower() if isinstance(field.default, bool) else str(field.default)
            assert shown[PREFIX + field.name.upper()] == words


def test_example_file_is_valid_once_it_has_a_secret_key() -> None:
    plain = {name: value for name, value in documented().items() if not name.endswith("_FILE")}
    assert from_env({**plain, **GIVEN}).workers == 2


@pytest.mark.parametrize("changed", [{}, {"jobs": False, "open_import": True, "port": 81}])
def test_a_child_process_reads_the_settings_of_its_parent_and_no_others(
    tmp_path: Path, changed: dict[str, Any]
) -> None:
    config = replace(from_env({**GIVEN, "ASSAY_DATA_DIR": str(tmp_path)}), **changed)
    surroundings = {"PATH": "/bin", "DATABASE_URL": "sqlite:////other", "ASSAY_SECRET_KEY_FILE": "/no/such"}
    env = to_env(config, surroundings)
    assert from_env(env) == config
    assert env["PATH"] == "/bin"
