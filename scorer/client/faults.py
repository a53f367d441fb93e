"""Faults of the network, and of what the environment says of it, in words that say what to do."""

import os
import ssl
from collections.abc import Iterator

from scorer.client.proxies import Proxy, proxy_of
from scorer.errors import RequestError, SiteAway


def away_of(error: Exception, site: str) -> SiteAway:
    """Why a site does not answer."""
    causes = list(_causes(error))
    for cause in causes:
        if isinstance(cause, ssl.SSLCertVerificationError):
            reason = cause.verify_message or "it is not trusted"
            return SiteAway(
                f"the certificate of {site} cannot be trusted: {reason}; check the address, or name the file "
                "of your institution's certificates in SSL_CERT_FILE"
            )
        if isinstance(cause, ssl.SSLError):
            return SiteAway(f"{site} does not speak TLS there; check scheme and port of the address")
    reason = (str(causes[-1]) or type(error).__name__).rstrip(".")
    proxy = proxy_of(site)
    if proxy is None:
        return SiteAway(
            f"{site} cannot be reached: {reason}; check the address and your connection, then try again"
        )
    return SiteAway(
        f"{site} cannot be reached by way of the proxy {proxy.url}, which {proxy.source} names: {reason}; "
        "check the proxy, or name the site's host in NO_PROXY, then try again"
    )


def is_settled(error: Exception) -> bool:
    """Whether a fault stays one, however often it is tried."""
    return any(isinstance(cause, ssl.SSLError | ConnectionRefusedError) for cause in _causes(error)) or (
        type(error).__name__ in ("UnsupportedProtocol", "LocalProtocolError", "ProxyError")
    )


def unusable(error: Exception, proxy: Proxy | None) -> RequestError:
    """Why a site cannot be asked: the certificates, or the proxy, that the environment names for it."""
    if isinstance(error, OSError):
        name = "SSL_CERT_FILE" if os.environ.get("SSL_CERT_FILE") else "SSL_CERT_DIR"
        return RequestError(
            f"the certificates in {os.environ.get(name)!r}, which {name} names, cannot be read: "
            f"{error.strerror or error}; name a file of certificates in SSL_CERT_FILE, or unset {name}"
        )
    if proxy is None:
        return RequestError(f"nothing can be asked of a site from here: {error}")
    return RequestError(
        f"{proxy.source} names the proxy {proxy.url}, which scorer cannot go through; "
        f"name one such as http://proxy.example.org:3128 in {proxy.source}, or unset it"
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    found: BaseException | None = error
    while found is not None:
        yield found
        found = found.__cause__ or found.__context__
