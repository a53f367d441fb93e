"""Which site, and whose token: from the environment, else from the file that `scorer login` writes."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from scorer.client.addresses import read_address
from scorer.errors import DataError, Problem, RequestError, TokenError
from scorer.files.read_limits import read_bounded
from scorer.files.writing import write_whole

SETTINGS_FILE = "client.toml"
_FILE_COMMENT = "# Written by `scorer login`. Whoever reads this file can act for you: keep it to yourself.\n"


MAX_TOKEN_LENGTH = 500
"""Characters; a token has far fewer."""
TokenSource = Literal["kept", "ASSAY_TOKEN", "typed"]


@dataclass(frozen=True, slots=True)
class Settings:
    """The sites that somebody logged in to.

    Parameters
    ----------
    site : str or None
        The one that is meant where none is named.
    tokens : mapping of str to str
        The token of each site, by its address.
    """

    site: str | None
    tokens: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Login:
    """A site and the token to show there, and whence it came; None: nobody is logged in."""

    site: str
    token: str | None
    source: TokenSource = "kept"

    @property
    def renewal(self) -> str:
        """What to do if the site does not take the token."""
        advice = f"A new one is made at {self.site}/account/tokens/"
        match self.source:
            case "ASSAY_TOKEN":
                return f"{advice}; put it into ASSAY_TOKEN, which wins over `scorer login`."
            case "typed":
                return f"{advice}; give `scorer login` that one."
        return f"{advice}; then run `scorer login {self.site}`."

    def require_token(self) -> None:
        """Refuse to go on without a token.

        Raises
        ------
        TokenError
            If there is none.
        """
        if self.token is None:
            raise TokenError(f"you are not logged in to {self.site}; run `scorer login {self.site}`")


def read_settings(path: Path) -> Settings:
    """The settings in a file; without one, those of somebody who never logged in.

    Raises
    ------
    DataError
        If it is no such file.
    """
    try:
        values = tomllib.loads(read_bounded(str(path)).decode())
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
    """Write the settings so that nobody but their owner can read them, all or nothing.

    Raises
    ------
    DataError
        If they cannot be written.
    """
    site = "" if settings.site is None else f"site = {_toml_string(settings.site)}\n"
    tables = (
        f"\n[sites.{_toml_string(site)}]\ntoken = {_toml_string(token)}\n"
        for site, token in settings.tokens.items()
    )
    text = "".join((_FILE_COMMENT, site, *tables))
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(path, text.encode(), mode=0o600)
    except OSError as error:
        raise _settings_error(path, f"cannot be written: {error.strerror}") from error


def with_login(settings: Settings, site: str, token: str) -> Settings:
    """The settings after somebody logged in: that site is the one meant from then on."""
    return Settings(site, {**settings.tokens, site: token})


def without_login(settings: Settings, site: str) -> Settings:
    """The settings after somebody logged out of a site."""
    tokens = {other: token for other, token in settings.tokens.items() if other != site}
    return Settings(next(iter(tokens), None) if settings.site == site else settings.site, tokens)


def find_login(path: Path, environ: Mapping[str, str], site: str | None = None) -> Login:
    """Which site is meant, and the token for it.

    Parameters
    ----------
    path : Path
        The settings, which are read only if they are needed.
    environ : mapping
        `ASSAY_SITE` and `ASSAY_TOKEN` win over the settings.
    site : str, optional
        One that was named in the command; it wins over both.

    Returns
    -------
    Login
        With the token of that site.

    Raises
    ------
    RequestError
        If no site is known.
    TokenError
        If what should be its token is none.
    DataError
        If the settings are damaged.
    """
    own = environ.get("ASSAY_TOKEN", "").strip()
    alone = own and (site or environ.get("ASSAY_SITE"))
    settings = Settings(None, {}) if alone else read_settings(path)
    address = choose_site(settings, environ, site)
    if own:
        return Login(address, read_token(own, "what ASSAY_TOKEN holds"), "ASSAY_TOKEN")
    token = settings.tokens.get(address)
    return Login(address, None if token is None else read_token(token, f"what {path} holds for {address}"))


def choose_site(settings: Settings, environ: Mapping[str, str], site: str | None = None) -> str:
    """The address of the site that is meant.

    Raises
    ------
    RequestError
        If none is known.
    """
    named = site or environ.get("ASSAY_SITE") or settings.site
    if not named:
        raise RequestError("no site is known; run `scorer login SITE`, or set ASSAY_SITE")
    return read_address(named)


def read_token(text: str, what: str = "that") -> str:
    """A personal token, if it can be one.

    Raises
    ------
    TokenError
        If it cannot.

    Examples
    --------
    >>> read_token("assay_1x")
    'assay_1x'
    """
    fits = 0 < len(text) <= MAX_TOKEN_LENGTH and text.isascii() and text.isprintable() and " " not in text
    if not fits:
        raise TokenError(
            f"{what} is no token; copy the whole of it from the site's page, as it is shown once"
        )
    return text


def _toml_string(text: str) -> str:
    """A text as TOML writes it; JSON's strings are those of TOML, but for one character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _require_text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _settings_error(path: Path, message: str) -> DataError:
    return DataError([Problem(str(path), None, "bad_settings", message)])
