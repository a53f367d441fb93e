"""The site's settings and the folders of its installation; only `from_env` reads the environment."""

import importlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from server.core import dates, i18n

PREFIX = "ASSAY_"


class ConfigError(Exception):
    """A setting that is missing, malformed or unknown."""


@dataclass(frozen=True, slots=True)
class Config:
    """All settings of one site. Each is `ASSAY_<NAME>`; a secret may be read from `ASSAY_<NAME>_FILE`."""

    secret_key: str
    """Signs sessions and forms; at least 32 characters."""
    data_dir: Path
    """The folder of the uploaded files, and of the SQLite database unless `database_url` says otherwise."""
    database_url: str
    """The address of the database: sqlite:///FILE or postgresql://USER@HOST/NAME."""
    host: str = "127.0.0.1"
    """The address that `assay serve` listens on."""
    port: int = 8000
    """The port that `assay serve` listens on."""
    site_url: str = "http://127.0.0.1:8000"
    """The site's address as people type it; links in emails and invitations begin with it."""
    proxies: int = 0
    """How many proxies are in front of the site; their X-Forwarded-For and X-Forwarded-Proto are trusted."""
    arrival_header: str = ""
    """The header in which the proxy says when it read a request's headers, as `t=SECONDS.MILLIS`."""
    jobs: bool = True
    """Whether `assay serve` runs jobs in a child process; false where `assay worker` runs beside it."""
    mail_url: str = "log:"
    """The mail server: smtp://USER:PASSWORD@HOST:PORT, or smtps://; `log:` prints emails instead."""
    mail_from: str = "assay@localhost"
    """The address that emails are sent from."""
    workers: int = 2
    """The number of gunicorn's worker processes."""
    threads: int = 1
    """Threads of each worker; more slow pages down under load, but a long request delays fewer others."""
    secure_cookies: bool = True
    """Send cookies over HTTPS only; false for a site on plain HTTP, such as the demo."""
    open_import: bool = False
    """Whether every account may host a task; otherwise only organizers of a task and site administrators."""
    language: str = i18n.ENGLISH
    """The language of pages and emails: en, or one that server/locale has a catalog of."""
    time_zone: str = "UTC"
    """The zone, such as Europe/Prague, in which those who have chosen none read times without a script."""
    privacy_file: str = ""
    """A Markdown file, the text of the page /privacy; without one, the page says what the site stores."""
    imprint_file: str = ""
    """A Markdown file, the text of the page /imprint; without one, there is no such page."""
    security_contact: str = ""
    """Where to report a weakness of the site, as mailto: or https:; without it, there is no security.txt."""
    testing: bool = False
    """Use faster password hashes; `assay serve` refuses to run with it."""
    metrics: str = ""
    """A second address, such as 127.0.0.1:9464, with nothing but /metrics; without it, nothing is counted."""
    log: str = "text"
    """The form of logs: text, or json with an entry for each request."""
    sentry_dsn: str = ""
    """The address of a Sentry project, which gets reports of errors without personal data."""
    demo: bool = False
    """Pages say that the site is a demo, and as whom to sign in; `assay demo` sets it."""

    @property
    def scratch_dir(self) -> Path:
        """The folder of temporary files; hidden texts in it are as private as the rest of the data."""
        return self.data_dir / "scratch"

    @property
    def files_dir(self) -> Path:
        """The folder of the uploaded files."""
        return self.data_dir / "files"


CLIENT_SETTINGS = ("SITE", "TOKEN")
"""Settings of `scorer`, which an operator may have in the environment too, so they are not unknown."""
SECRETS = ("secret_key", "database_url", "mail_url")


def from_env(environ: Mapping[str, str] = os.environ) -> Config:
    """Read the settings from the environment.

    Raises:
        ConfigError: a setting is missing, malformed or unknown; the message names it and says how to fix it.
    """
    setting_names = {PREFIX + field.name.upper() for field in fields(Config)}
    setting_names |= {PREFIX + name.upper() + "_FILE" for name in SECRETS} | {
        PREFIX + name for name in (*CLIENT_SETTINGS, "SHARED")
    }
    unknown = sorted(name for name in environ if name.startswith(PREFIX) and name not in setting_names)
    if unknown:
        raise ConfigError(f"unknown setting {unknown[0]}; deploy/env.example lists those there are")
    secret = _secret(environ, "SECRET_KEY")
    if secret is None or len(secret) < 32:
        raise ConfigError(
            "ASSAY_SECRET_KEY must have at least 32 characters; "
            "`python -c 'import secrets; print(secrets.token_hex())'` makes one"
        )
    data_dir = Path(environ.get(PREFIX + "DATA_DIR", "data")).resolve()
    host, port = environ.get(PREFIX + "HOST", "127.0.0.1"), _integer(environ, "PORT", 8000, 1, 65535)
    return Config(
        secret_key=secret,
        data_dir=data_dir,
        database_url=_database_url(environ) or f"sqlite:///{data_dir / 'assay.sqlite'}",
        host=host,
        port=port,
        site_url=_site_url(environ, f"http://{host}:{port}"),
        proxies=_integer(environ, "PROXIES", 0, 0, 8),
        arrival_header=_arrival_header(environ),
        jobs=_boolean(environ, "JOBS", True),
        mail_url=_secret(environ, "MAIL_URL") or "log:",
        mail_from=environ.get(PREFIX + "MAIL_FROM", "assay@localhost"),
        workers=_integer(environ, "WORKERS", 2, 1, 64),
        threads=_integer(environ, "THREADS", 1, 1, 64),
        secure_cookies=_boolean(environ, "SECURE_COOKIES", True),
        open_import=_boolean(environ, "OPEN_IMPORT", False),
        language=_language(environ),
        time_zone=_time_zone(environ),
        privacy_file=_text_file(environ, "PRIVACY_FILE"),
        imprint_file=_text_file(environ, "IMPRINT_FILE"),
        security_contact=_contact(environ),
        testing=_boolean(environ, "TESTING", False),
        metrics=_metrics(environ, port),
        log=_log(environ),
        sentry_dsn=_sentry_dsn(environ),
        demo=_boolean(environ, "DEMO", False),
    )


def to_env(config: Config, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the environment of a child process, from which `from_env` reads exactly these settings."""
    others = {
        name: value
        for name, value in environ.items()
        if not name.startswith(PREFIX) and name != "DATABASE_URL"
    }
    values = {PREFIX + field.name.upper(): getattr(config, field.name) for field in fields(Config)}
    for name in SECRETS:  # what is in a file stays there, and out of the environment that processes show
        key = PREFIX + name.upper()
        path = Path(environ.get(f"{key}_FILE", ""))
        if path.is_file() and path.read_text(encoding="utf-8").strip() == values[key]:
            values[f"{key}_FILE"] = path
            del values[key]
    words = {
        name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in values.items()
    }
    return {**others, **words}


def _database_url(environ: Mapping[str, str]) -> str | None:
    """Read the address of the database, also under the name that many hosts use for it."""
    prefixed, plain = _secret(environ, "DATABASE_URL"), environ.get("DATABASE_URL")
    if prefixed is not None and plain is not None and prefixed != plain:
        raise ConfigError(f"{PREFIX}DATABASE_URL and DATABASE_URL name two databases; give one")
    return prefixed or plain


def _secret(environ: Mapping[str, str], name: str) -> str | None:
    value, path = environ.get(PREFIX + name), environ.get(f"{PREFIX}{name}_FILE") or None
    if value is not None and path is not None:
        raise ConfigError(f"both {PREFIX}{name} and {PREFIX}{name}_FILE are set; give one")
    if path is None:
        return value
    try:
        return Path(path).read_text(encoding="utf-8-sig").strip()
    except OSError as error:
        raise ConfigError(f"{PREFIX}{name}_FILE: {path} cannot be read: {error.strerror}") from error


def _contact(environ: Mapping[str, str]) -> str:
    text = environ.get(PREFIX + "SECURITY_CONTACT", "")
    if text and not re.fullmatch(r"(mailto:[^\s@]+@|https://)[^\s@]+", text):
        raise ConfigError(f'{PREFIX}SECURITY_CONTACT must begin with mailto: or https:, unlike "{text}"')
    return text


def _site_url(environ: Mapping[str, str], default: str) -> str:
    text = environ.get(PREFIX + "SITE_URL", default)
    if not re.fullmatch(r"https?://[^/\s?#]+/?", text):
        raise ConfigError(f'{PREFIX}SITE_URL must be such as https://assay.example.org, not "{text}"')
    return text.rstrip("/")


def _arrival_header(environ: Mapping[str, str]) -> str:
    """Read the header's name, which needs a proxy: without one, anyone could send the header."""
    name = environ.get(PREFIX + "ARRIVAL_HEADER", "")
    if not re.fullmatch(r"[A-Za-z0-9-]*", name):
        raise ConfigError(f'{PREFIX}ARRIVAL_HEADER must be a header such as X-Request-Start, not "{name}"')
    if name and environ.get(PREFIX + "PROXIES", "0") == "0":
        raise ConfigError(f"{PREFIX}ARRIVAL_HEADER goes with a proxy that sets it; set {PREFIX}PROXIES=1 too")
    return name


def _metrics(environ: Mapping[str, str], port: int) -> str:
    """Read the address of the metrics; its port says that a request is for them, so it is no other one."""
    address = environ.get(PREFIX + "METRICS", "")
    parts = re.fullmatch(r"(?:[A-Za-z0-9.-]+|\[[0-9a-fA-F:.]+\]):([1-9][0-9]{0,4})", address)
    if address and (parts is None or int(parts[1]) > 65535 or int(parts[1]) == port):
        words = f"must be such as 127.0.0.1:9464, and not the site’s own port {port}"
        raise ConfigError(f'{PREFIX}METRICS {words}, not "{address}"')
    return address


def _log(environ: Mapping[str, str]) -> str:
    form = environ.get(PREFIX + "LOG", "text")
    if form not in ("text", "json"):
        raise ConfigError(f'{PREFIX}LOG must be text or json, not "{form}"')
    return form


def _sentry_dsn(environ: Mapping[str, str]) -> str:
    dsn = environ.get(PREFIX + "SENTRY_DSN", "")
    if dsn and not re.fullmatch(r"https?://[^\s@/]+@[^\s@/]+/(\S+/)?\d+", dsn):
        raise ConfigError(f"{PREFIX}SENTRY_DSN must be such as https://KEY@sentry.example.org/1")
    return dsn


def _language(environ: Mapping[str, str]) -> str:
    tag = environ.get(PREFIX + "LANGUAGE", i18n.ENGLISH)
    if not re.fullmatch(r"[A-Za-z0-9_-]+", tag) or not i18n.is_known(tag):
        words = "must be en, or a language that server/locale has a catalog of"
        raise ConfigError(f'{PREFIX}LANGUAGE {words}, not "{tag}"')
    return tag


def _time_zone(environ: Mapping[str, str]) -> str:
    """Read the name of a time zone; UTC needs no zone database."""
    name = environ.get(PREFIX + "TIME_ZONE", "UTC")
    if name != "UTC" and name not in dates.list_time_zones():
        raise ConfigError(f'{PREFIX}TIME_ZONE must be a time zone such as Europe/Prague, not "{name}"')
    return name


def _text_file(environ: Mapping[str, str], name: str) -> str:
    """Read the path of a text file, which must exist when the site starts."""
    path = environ.get(PREFIX + name, "")
    if not path:
        return ""
    try:
        Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{PREFIX}{name}: {path} cannot be read as UTF-8 text: {error}") from error
    return str(Path(path).resolve())


def _integer(environ: Mapping[str, str], name: str, default: int, least: int, most: int) -> int:
    text = environ.get(PREFIX + name, str(default))
    if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
        raise ConfigError(f'{PREFIX}{name} must be a whole number from {least} to {most}, not "{text}"')
    return int(text)


def _boolean(environ: Mapping[str, str], name: str, default: bool) -> bool:
    text = environ.get(PREFIX + name, "true" if default else "false").lower()
    if text not in ("true", "false"):
        raise ConfigError(f'{PREFIX}{name} must be true or false, not "{text}"')
    return text == "true"


def load_extra(module: str, setting: str, extra: str = "operator") -> Any:
    """Import a package of an extra, which only sites with this setting need.

    Raises:
        ConfigError: it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"{setting} needs {error.name}, which is not installed; run: pip install 'assay[{extra}]'"
        ) from error


def find_package_folder(name: str) -> Path:
    """Return the folder `templates` or `migrations`, wherever this version has it."""
    inside = Path(__file__).parents[1] / name
    return inside if inside.is_dir() else Path(__file__).parents[2] / name
