"""Passwords that are too easy to guess: single words, rows of keys, digits, and what is known of the person.

Lists of leaked passwords consist of little else. `common_words.txt` has what these rules do not find: long
words, and those in which digits stand for letters. It was written for this site; no list was copied.
"""

import re
import string
from pathlib import Path
from typing import Any

from flask_security import PasswordUtil

from server.core.i18n import N_, _

EASY_TO_GUESS = N_(
    "This password is too easy to guess. Use several unrelated words, and not only one word, a name, a row "
    "of keys or digits."
)
MIN_WORD = 3
MIN_NON_DIGITS = 3
MIN_DIFFERENT = 5
MIN_SINGLE_WORD = 10
"""How long a password has to be that is one word of letters, without what was added before and after it."""
COMMON_WORDS = frozenset(Path(__file__).with_name("common_words.txt").read_text("utf-8").split())
KEY_ROWS = (
    string.ascii_lowercase,
    *("qwertyuiop", "qwertzuiop", "azertyuiop", "asdfghjkl", "qsdfghjklm", "zxcvbnm", "yxcvbnm"),
    *("qweasdzxc", "qwerasdfzxcv", "qazwsxedcrfvtgbyhnujm", "zaqxswcdevfr", "zaqwsxcde"),
)
"""The alphabet, and how fingers go over keyboards."""
LEET = str.maketrans("013457@$!", "oieastasi")


class CommonPasswordUtil(PasswordUtil):
    """Flask-Security's checks of a new password, and that it is not easy to guess."""

    def validate(self, password: str, is_register: bool, **known: Any) -> tuple[list[str] | None, str]:
        """Return the errors of a new password, and the password in its normal form."""
        errors, password = super().validate(password, is_register, **known)
        user = known.get("user")
        name, email = (user.name, user.email) if user else (known["name"], known["email"])
        if not errors and is_easy_to_guess(password, name or "", email or ""):
            errors = [_(EASY_TO_GUESS)]
        return errors, password


def is_easy_to_guess(password: str, *personal: str) -> bool:
    """Whether a password is common; `personal`: the person's name and email address."""
    text = password.lower()
    if len(re.sub("[0-9]", "", text)) < MIN_NON_DIGITS or len(set(text)) < MIN_DIFFERENT:
        return True
    letters = re.sub(r"[\W\d_]", "", text)
    letters = letters[: (letters + letters).find(letters, 1)]  # once, if it is repeated
    if len(letters) >= MIN_WORD and any(letters in row or letters in row[::-1] for row in KEY_ROWS):
        return True
    stem = password.strip(string.digits + string.punctuation + " ")
    if MIN_WORD <= len(stem) < MIN_SINGLE_WORD and re.fullmatch("[A-Za-z][a-z]+|[A-Z]+", stem):
        return True
    words = COMMON_WORDS.union(*map(_list_words, personal))
    return not words.isdisjoint((text, letters, stem.lower().translate(LEET)))


def _list_words(text: str) -> set[str]:
    """List the passwords that a name or an address makes: the whole, its halves, and each word."""
    text = text.lower()
    words = re.split(r"[\W_]+", text)
    return {word for word in (text, *text.split("@"), "".join(words), *words) if len(word) >= MIN_WORD}
