"""The address of a site, as people type it."""

from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from scorer.errors import RequestError


def read_address(text: str) -> str:
    """The address of a site in the one way in which it is kept.

    Parameters
    ----------
    text : str
        Such as `https://tasks.example.org/`; without a scheme, https is meant.

    Returns
    -------
    str
        Scheme, host, port and folder, without a slash at its end.

    Raises
    ------
    RequestError
        If it is no such address, or one at which a token would travel for everybody to read.

    Examples
    --------
    >>> read_address("Tasks.Example.org/")
    'https://tasks.example.org'
    >>> read_address("http://127.0.0.1:8000")
    'http://127.0.0.1:8000'
    """
    text = text.strip()
    try:
        parts = urlsplit(text if "://" in text else f"https://{text}")
        port = parts.port
    except ValueError as error:
        raise RequestError(f'"{text}" is no address of a site: {error}') from error
    if parts.scheme not in ("http", "https") or not parts.hostname or not _is_printable(text):
        raise RequestError(f'"{text}" is no address of a site; write one such as https://tasks.example.org')
    if parts.username is not None or parts.query or parts.fragment:
        raise RequestError("give the site's address alone, without a name, a password, ? or #")
    if parts.scheme == "http" and not _is_loopback(parts):
        raise RequestError(
            f"{parts.hostname} over http would send your token for everybody on the way to read; "
            f"write https://{parts.netloc}"
        )
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    place = host if port is None else f"{host}:{port}"
    return f"{parts.scheme}://{place}{parts.path.rstrip('/')}"


def _is_printable(text: str) -> bool:
    """Whether there is nothing in it that no address has."""
    return text.isprintable() and " " not in text


def _is_loopback(parts: SplitResult) -> bool:
    """Whether the host is this machine."""
    host = parts.hostname or ""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
