"""The identity with which the site signs: its address, and the secret that encrypts what nobody may read."""

import base64
import hashlib
import hmac
from dataclasses import dataclass
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from itsdangerous import BadSignature, Signer
from sqlalchemy.orm import Session

from server.core.config import Config, ConfigError

IDENTITY_KEY = "identity"
"""The key in a session's `info` under which the site's identity is, for the services that sign."""
_PURPOSE = b"assay signing keys"
_PEOPLE = "assay erased people"


@dataclass(frozen=True, slots=True)
class Identity:
    """The site's address, and the secret, which is never stored."""

    site_url: str
    secret_key: str

    @classmethod
    def of(cls, config: Config) -> "Identity":
        """Return the identity of the site with these settings."""
        return cls(config.site_url, config.secret_key)

    def hash_person(self, text: str) -> str:
        """Return the keyed hash of an address or an account, by which an erased person is known again."""
        return hmac.new(f"{_PEOPLE} {self.secret_key}".encode(), text.encode(), "sha256").hexdigest()

    def sign_link(self, nonce: str) -> str:
        """Return the secret of an invitation link; the database, and so a backup, has only its `nonce`."""
        return self._signer().sign(nonce).decode("ascii")

    def read_link(self, token: str) -> str:
        """Return the nonce of an invitation link; of a forged one a text that no link has."""
        try:
            return self._signer().unsign(token).decode("utf-8")
        except BadSignature:
            return ""

    def _signer(self) -> Signer:
        return Signer(self.secret_key, "assay invitation", digest_method=hashlib.sha256)

    def seal(self, content: bytes) -> str:
        """Encrypt a private key, or an email with secret links, for the database."""
        return self._box().encrypt(content).decode("ascii")

    def open(self, sealed: str) -> bytes:
        """Decrypt what was sealed.

        Raises:
            ConfigError: it was encrypted with another secret.
        """
        try:
            return self._box().decrypt(sealed)
        except InvalidToken as error:
            raise ConfigError(
                "the site's signing key was sealed with another ASSAY_SECRET_KEY: give that one again, or "
                "make a new signing key with `assay key rotate`; what the old one signed stays valid"
            ) from error

    def _box(self) -> Fernet:
        return _cipher_for(self.secret_key)


def get_identity(session: Session | None) -> Identity:
    """Return the identity that the sessions of a site carry."""
    if session is None:
        raise RuntimeError("only a row of an open session can be signed")
    identity: Identity = session.info[IDENTITY_KEY]
    return identity


@lru_cache(4)
def _cipher_for(secret_key: str) -> Fernet:
    """Return the cipher of a secret; cached, because every receipt needs it and deriving the key is slow."""
    key = HKDF(SHA256(), 32, salt=None, info=_PURPOSE).derive(secret_key.encode())
    return Fernet(base64.urlsafe_b64encode(key))
