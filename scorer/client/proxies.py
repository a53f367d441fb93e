"""Finds the proxy in the environment through which a site is reached."""

import os
import re
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from urllib.parse import SplitResult, urlsplit


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy: the variable that set it, its address without credentials, and its full address."""

    source: str
    url: str
    whole: str = field(repr=False)


def find_proxy(address: str) -> Proxy | None:
    """Return the proxy for a site; None if there is none or NO_PROXY excludes the site.

    Parameters
    ----------
    address : str
        From `read_address`.
    """
    from urllib.request import getproxies  # noqa: PLC0415  slow to import, and rarely needed

    parts, proxies = urlsplit(address), {kind: named.strip() for kind, named in getproxies().items()}
    kind = next((kind for kind in (parts.scheme, "all") if proxies.get(kind)), None)
    if kind is None or _is_direct(parts, proxies.get("no", "")):
        return None
    url = proxies[kind] if "://" in proxies[kind] else f"http://{proxies[kind]}"
    return Proxy(_variable_name(kind), re.sub(r"://.*@", "://", url), url)


def _is_direct(parts: SplitResult, names: str) -> bool:
    """Whether NO_PROXY excludes a host or its port; a leading `*.` has the same meaning as a leading dot."""
    from urllib.request import proxy_bypass  # noqa: PLC0415  (the same)

    host, excluded = parts.hostname or "", [name.strip().lower() for name in names.split(",")]
    suffixes = tuple(name[1:] for name in excluded if name.startswith("*."))
    within = any(_is_in_network(host, name) for name in excluded if "/" in name)
    return within or host.endswith(suffixes) or any(proxy_bypass(place) for place in (host, parts.netloc))


def _is_in_network(host: str, network: str) -> bool:
    """Whether a host is an IP address in a network such as 10.0.0.0/8."""
    try:
        return ip_address(host) in ip_network(network, strict=False)
    except ValueError:
        return False


def _variable_name(kind: str) -> str:
    """Return the name of the variable that sets a proxy; the lower-case name takes precedence."""
    names = f"{kind}_proxy", f"{kind}_PROXY".upper()
    return next((name for name in names if os.environ.get(name)), "your system")
