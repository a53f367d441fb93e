"""The proxies that the environment names: which one a site is asked through, and what messages call it."""

import os
import re
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from urllib.parse import SplitResult, urlsplit


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy: what named it, its address without a name or password, and the whole of it."""

    source: str
    url: str
    whole: str = field(repr=False)


def find_proxy(address: str) -> Proxy | None:
    """The proxy that stands before a site; None: there is none, or NO_PROXY names the site.

    Parameters
    ----------
    address : str
        From `read_address`.
    """
    from urllib.request import getproxies  # noqa: PLC0415  it loads much, and few need it

    parts, proxies = urlsplit(address), {kind: named.strip() for kind, named in getproxies().items()}
    kind = next((kind for kind in (parts.scheme, "all") if proxies.get(kind)), None)
    if kind is None or _is_direct(parts, proxies.get("no", "")):
        return None
    url = proxies[kind] if "://" in proxies[kind] else f"http://{proxies[kind]}"
    return Proxy(_variable_name(kind), re.sub(r"://.*@", "://", url), url)


def _is_direct(parts: SplitResult, names: str) -> bool:
    """Whether no proxy is meant for a host, or for its port alone; `*.` before a name is as a point."""
    from urllib.request import proxy_bypass  # noqa: PLC0415  (the same)

    host, each = parts.hostname or "", [name.strip().lower() for name in names.split(",")]
    ends = tuple(name[1:] for name in each if name.startswith("*."))
    within = any(_is_in_network(host, name) for name in each if "/" in name)
    return within or host.endswith(ends) or any(proxy_bypass(place) for place in (host, parts.netloc))


def _is_in_network(host: str, network: str) -> bool:
    """Whether a host is an address of a network, such as 10.0.0.0/8."""
    try:
        return ip_address(host) in ip_network(network, strict=False)
    except ValueError:
        return False


def _variable_name(kind: str) -> str:
    """The variable that names a proxy; lower case wins."""
    names = f"{kind}_proxy", f"{kind}_PROXY".upper()
    return next((name for name in names if os.environ.get(name)), "your system")
