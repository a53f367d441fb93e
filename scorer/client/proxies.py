"""The proxies that the environment names, for messages: whoever asks a site goes through them unasked."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

_KINDS = ("http", "https", "all")


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy: what named it, and its address, without a name or password."""

    source: str
    url: str


def proxy_of(address: str) -> Proxy | None:
    """The proxy that stands before a site; None: there is none.

    Parameters
    ----------
    address : str
        From `read_address`.
    """
    from urllib.request import proxy_bypass  # noqa: PLC0415  it loads much, and few need it

    parts = urlsplit(address)
    if proxy_bypass(parts.hostname or ""):
        return None
    named = dict(_named())
    return named.get(parts.scheme) or named.get("all")


def unusable_proxy() -> Proxy | None:
    """The first proxy that is none by http, else the first of all; None: there is none."""
    named = [proxy for _, proxy in _named()]
    others = [proxy for proxy in named if not re.match(r"https?://", proxy.url)]
    return next(iter(others + named), None)


def _named() -> Iterator[tuple[str, Proxy]]:
    from urllib.request import getproxies  # noqa: PLC0415  it loads much, and few need it

    found = getproxies()
    for kind in _KINDS:
        if found.get(kind):
            url = found[kind] if "://" in found[kind] else f"http://{found[kind]}"
            yield kind, Proxy(_variable(kind), re.sub(r"://.*@", "://", url))


def _variable(kind: str) -> str:
    """The variable that names a proxy; lower case wins."""
    names = f"{kind}_proxy", f"{kind}_PROXY".upper()
    return next((name for name in names if os.environ.get(name)), "your system")
