"""How the baselines see a field: stripped like Java's `String.trim`, lower-cased character by character."""

TRIMMED_CHARACTERS = "".join(map(chr, range(0x21)))
"""The characters up to U+0020, which `java.lang.String.trim` removes; a no-break space is not one of them."""


def strip_ends(field: str) -> str:
    """Strip only the characters up to U+0020 (`str.strip` would also take a no-break space).

    >>> strip_ends(" \\tone\\u00a0 ")
    'one\\xa0'
    """
    return field.strip(TRIMMED_CHARACTERS)


def lower_each(field: str) -> str:
    """Lower-case each character on its own, so that the length stays.

    U+0130 is the one character with a longer lower case; its first character is Unicode's simple mapping. A
    sigma at the end of a word is an ordinary one.

    >>> lower_each("\\u0130ST \\u039f\\u03a3")
    'ist οσ'
    """
    return "".join([character.lower()[0] for character in field])
