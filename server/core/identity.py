"""The identity with which the site signs: its address, and the secret that encrypts its private keys."""

import base64
import hmac
from dataclasses import dataclass
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

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

    def seal(self, private_key: bytes) -> str:
        """Encrypt a private key for the database."""
        return self._box().encrypt(private_key).decode("ascii")

    def open(self, sealed: str) -> bytes:
        """Decrypt a private key.

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


@lru_cache(4)
def _cipher_for(secret_key: str) -> Fernet:
    """Return the cipher of a secret; cached, because every receipt needs it and deriving the key is slow."""
    key = HKDF(SHA256(), 32, salt=None, info=_PURPOSE).derive(secret_key.encode())
    return Fernet(base64.urlsafe_b64encode(key))
