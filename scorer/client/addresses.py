"""Reads the address of a site as people type it."""

from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from scorer.errors import RequestError


def read_address(text: str) -> str:
    """Normalize the address of a site to the form in which it is stored.

    Parameters
    ----------
    text : str
        Such as `https://tasks.example.org/`. The default scheme is https.

    Returns
    -------
    str
        Scheme, host, port and folder, without a slash at the end.

    Raises
    ------
    RequestError
        If it is not the address of a site, or would send the token over an unencrypted connection.

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
        raise RequestError(f'"{text}" is not the address of a site: {error}') from error
    if parts.scheme not in ("http", "https") or not parts.hostname or not _is_printable(text):
        raise RequestError(
            f'"{text}" is not the address of a site; write one such as https://tasks.example.org'
        )
    if parts.username is not None or parts.query or parts.fragment:
        raise RequestError("give only the address of the site, without a user name, a password, ? or #")
    if parts.scheme == "http" and not _is_loopback(parts):
        raise RequestError(
            f"http would send your token to {parts.hostname} unencrypted, so that others can read it; "
            f"write https://{parts.netloc}"
        )
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    place = host if port is None else f"{host}:{port}"
    return f"{parts.scheme}://{place}{parts.path.rstrip('/')}"


def _is_printable(text: str) -> bool:
    """Whether a text has only characters that an address can have."""
    return text.isprintable() and " " not in text


def _is_loopback(parts: SplitResult) -> bool:
    """Whether the host is this machine."""
    host = parts.hostname or ""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
