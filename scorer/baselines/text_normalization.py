"""Text normalization of the baselines: strip like Java's `String.trim`, and lower case by character."""

TRIMMED_CHARACTERS = "".join(map(chr, range(0x21)))
"""The characters up to U+0020, which `java.lang.String.trim` removes. It keeps a no-break space."""


def strip_ends(field: str) -> str:
    """Strip only the characters up to U+0020. `str.strip` would also remove a no-break space.

    >>> strip_ends(" \\tone\\u00a0 ")
    'one\\xa0'
    """
    return field.strip(TRIMMED_CHARACTERS)


def lower_each(field: str) -> str:
    """Convert each character to lower case on its own, so that the length does not change.

    U+0130 is the only character whose lower case is longer; the first character of that is its simple mapping
    in Unicode. A sigma at the end of a word becomes an ordinary sigma.

    >>> lower_each("\\u0130ST \\u039f\\u03a3")
    'ist οσ'
    """
    return "".join([character.lower()[0] for character in field])
