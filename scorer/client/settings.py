"""Finds the site and the API token: in the environment, or in the file that `scorer login` writes."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import click

from scorer.bundles.toml_values import toml_text
from scorer.client.addresses import read_address
from scorer.errors import DataError, Problem, RequestError, TokenError
from scorer.files.read_limits import read_bounded
from scorer.files.writing import write_whole

SETTINGS_FILE = "client.toml"
_FILE_COMMENT = (
    "# Written by `scorer login`. Anyone who can read this file can act in your name: keep it private.\n"
)


MAX_TOKEN_LENGTH = 500
"""The maximum number of characters. Real tokens are far shorter."""
TokenSource = Literal["stored", "ASSAY_TOKEN", "typed"]


@dataclass(frozen=True, slots=True)
class Settings:
    """The sites that the user has logged in to.

    Parameters
    ----------
    site : str or None
        The default site.
    tokens : mapping of str to str
        The token of each site, by its address.
    """

    site: str | None
    tokens: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Login:
    """A site, the API token for it (None if not logged in), and where the token comes from."""

    site: str
    token: str | None
    source: TokenSource = "stored"

    @property
    def renewal(self) -> str:
        """What to do if the site does not accept the token."""
        advice = f"Create a new token at {self.site}/account/tokens/"
        use = {
            "ASSAY_TOKEN": "set ASSAY_TOKEN to it. ASSAY_TOKEN takes precedence over `scorer login`.",
            "typed": "use it in place of this one.",
            "stored": f"run `scorer login {self.site}`.",
        }[self.source]
        return f"{advice} and {use}"

    def require_token(self) -> None:
        """Raise TokenError if there is no token.

        Raises
        ------
        TokenError
            If there is none.
        """
        if self.token is None:
            raise TokenError(f"you are not logged in to {self.site}; run `scorer login {self.site}`")


def settings_path() -> Path:
    """Return the file in which `scorer login` stores sites and tokens, in this system's usual folder."""
    return Path(click.get_app_dir("assay")) / SETTINGS_FILE


def read_settings(path: Path) -> Settings:
    """Read the settings file; without one, return empty settings.

    Raises
    ------
    DataError
        If the file cannot be read or is damaged.
    """
    try:
        values = tomllib.loads(read_bounded(str(path)).decode("utf-8-sig"))
        sites = values.get("sites", {})
        tokens = {read_address(site): _require_text(table["token"]) for site, table in sites.items()}
        site = read_address(_require_text(values["site"])) if "site" in values else None
    except FileNotFoundError:
        return Settings(None, {})
    except OSError as error:
        raise _settings_error(path, f"cannot be read: {error.strerror}") from error
    except (ValueError, LookupError, TypeError, AttributeError, RequestError) as error:
        raise _settings_error(path, "is damaged; delete it and log in again") from error
    return Settings(site, tokens)


def write_settings(path: Path, settings: Settings) -> None:
    """Write the settings file atomically, readable only by its owner.

    Raises
    ------
    DataError
        If the file cannot be written.
    """
    site = "" if settings.site is None else f"site = {toml_text(settings.site)}\n"
    tables = (
        f"\n[sites.{toml_text(site)}]\ntoken = {toml_text(token)}\n"
        for site, token in settings.tokens.items()
    )
    text = "".join((_FILE_COMMENT, site, *tables))
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(path, text.encode(), mode=0o600)
    except OSError as error:
        raise _settings_error(path, f"cannot be written: {error.strerror}") from error


def with_login(settings: Settings, site: str, token: str) -> Settings:
    """Return the settings after a login; the site becomes the default site."""
    return Settings(site, {**settings.tokens, site: token})


def without_login(settings: Settings, site: str) -> Settings:
    """Return the settings after a logout."""
    tokens = {other: token for other, token in settings.tokens.items() if other != site}
    return Settings(next(iter(tokens), None) if settings.site == site else settings.site, tokens)


def find_login(
    path: Path, environ: Mapping[str, str], site: str | None = None, token: str | None = None
) -> Login:
    """Find the site to use and the token for it.

    Parameters
    ----------
    path : Path
        The settings file, which is read only if it is needed.
    environ : mapping
        `ASSAY_SITE` and `ASSAY_TOKEN` take precedence over the settings.
    site : str, optional
        The site that the user names, which takes precedence over both.
    token : str, optional
        The token that the user gives, which takes precedence over both.

    Returns
    -------
    Login
        With the token of that site.

    Raises
    ------
    RequestError
        If no site is known.
    TokenError
        If the token cannot be valid.
    DataError
        If the settings are damaged.
    """
    own = environ.get("ASSAY_TOKEN", "").strip()
    alone = (own or token is not None) and (site or environ.get("ASSAY_SITE"))
    settings = Settings(None, {}) if alone else read_settings(path)
    address = choose_site(settings, environ, site)
    if token is not None:
        return Login(address, read_token(token), "typed")
    if own:
        return Login(address, read_token(own, "the value of ASSAY_TOKEN"), "ASSAY_TOKEN")
    kept = settings.tokens.get(address)
    return Login(address, None if kept is None else read_token(kept, f"the token of {address} in {path}"))


def choose_site(settings: Settings, environ: Mapping[str, str], site: str | None = None) -> str:
    """Return the address of the site to use.

    Raises
    ------
    RequestError
        If none is known.
    """
    named = site or environ.get("ASSAY_SITE") or settings.site
    if not named:
        raise RequestError("no site is given; run `scorer login SITE`, or set ASSAY_SITE")
    return read_address(named)


def read_token(text: str, what: str = "the input") -> str:
    """Return an API token, if the text can be one.

    Raises
    ------
    TokenError
        If it cannot be a token.

    Examples
    --------
    >>> read_token("assay_1x")
    'assay_1x'
    """
    fits = 0 < len(text) <= MAX_TOKEN_LENGTH and text.isascii() and text.isprintable() and " " not in text
    if not fits:
        raise TokenError(
            f"{what} is not a token; copy the whole token from the page of the site that showed it"
        )
    return text


def _require_text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _settings_error(path: Path, message: str) -> DataError:
    return DataError([Problem(str(path), None, "bad_settings", message)])
