"""Round and format exact numbers, with the same digits on every machine."""

from decimal import Decimal
from fractions import Fraction


def round_half_up(value: Fraction, digits: int | None) -> Fraction:
    """Round an exact number half up to `digits` decimal places. None does not round.

    >>> float(round_half_up(Fraction(1, 16), 3))
    0.063
    """
    if digits is None:
        return value
    unit = 10**digits
    return Fraction((value * unit * 2 + 1) // 2, unit)


def shortest_decimal(value: Fraction) -> str:
    """Write the shortest decimal that reads back as the float nearest to `value`, without an exponent.

    >>> [shortest_decimal(value) for value in (4 * Fraction(63, 1000), Fraction(4), Fraction(1, 3))]
    ['0.252', '4', '0.3333333333333333']
    """
    digits = format(Decimal(repr(float(value))), "f")
    return digits.rstrip("0").rstrip(".") if "." in digits else digits
