"""Numbers and names as people read them, in the report and on the terminal."""

from __future__ import annotations

import math
import textwrap

DASH = "–"
"""Stands where there is no number."""


def decimal(value: float, places: int = 3) -> str:
    """A metric.

    Examples
    --------
    >>> decimal(0.81818), decimal(-0.0001), decimal(float("nan"))
    ('0.818', '0.000', '–')
    """
    # z: what rounds to nothing has no sign
    return DASH if math.isnan(value) else f"{value:z.{places}f}".replace("-", "−")


def signed(value: float, places: int = 3) -> str:
    """A difference, with its sign.

    Examples
    --------
    >>> signed(0.05), signed(-0.05), signed(0.0)
    ('+0.050', '−0.050', '0.000')
    """
    number = decimal(value, places)
    return f"+{number}" if value > 0 and float(number) > 0 else number


def between(low: float, high: float, places: int = 3) -> str:
    """An interval.

    Examples
    --------
    >>> between(0.7, 0.9)
    '0.700 to 0.900'
    """
    return DASH if math.isnan(low) else f"{decimal(low, places)} to {decimal(high, places)}"


def percent(share: float) -> str:
    """A share; only what is all is called 100%, only what is nothing 0%.

    Examples
    --------
    >>> percent(1.0), percent(0.9996), percent(0.5), percent(0.0001)
    ('100%', '99.9%', '50%', '0.1%')
    """
    if math.isnan(share):
        return DASH
    hundredths = share * 100
    if 0 < share < 1:
        hundredths = min(max(hundredths, 0.1), 99.9)
    return f"{hundredths:.1f}%".replace(".0%", "%")


def between_percents(low: float, high: float) -> str:
    """An interval of a share.

    Examples
    --------
    >>> between_percents(0.004, 0.12)
    '0 to 12%'
    """
    return DASH if math.isnan(low) else f"{low * 100:.0f} to {high * 100:.0f}%"


def dollars(amount: float) -> str:
    """A price; unknown is not free.

    Examples
    --------
    >>> dollars(0.0), dollars(0.000552), dollars(0.360848), dollars(12.5), dollars(float("nan"))
    ('free', '$0.00055', '$0.36', '$12.50', 'unknown')
    """
    if math.isnan(amount):
        return "unknown"
    if amount == 0:
        return "free"
    places = 2 if amount >= 0.1 else 1 - math.floor(math.log10(amount))
    return f"${amount:,.{places}f}"


def paid(amount: float) -> str:
    """A bill.

    Examples
    --------
    >>> paid(0.0), paid(9.126)
    ('nothing', '$9.13')
    """
    return "nothing" if amount == 0 else dollars(amount)


def seconds(time: float) -> str:
    """A time.

    Examples
    --------
    >>> seconds(0.0004), seconds(1.5), seconds(83), seconds(float("nan"))
    ('< 0.01 s', '1.5 s', '83 s', '–')
    """
    if math.isnan(time):
        return DASH
    if time < 0.01:
        return "< 0.01 s"
    return f"{time:.2g} s" if time < 10 else f"{time:,.0f} s"


def p_value(p: float) -> str:
    """A p-value.

    Examples
    --------
    >>> p_value(0.0002), p_value(0.034), p_value(1.0)
    ('< 0.001', '0.034', '1.000')
    """
    return DASH if math.isnan(p) else "< 0.001" if p < 0.001 else f"{p:.3f}"


def listed(names: list[str], most: int = 6) -> str:
    """Names in a sentence, the first few of many.

    Examples
    --------
    >>> listed(["a", "b", "c"]), listed(["a", "b", "c"], most=2)
    ('a, b and c', 'a, b and 1 more')
    """
    shown = names[:most] if len(names) <= most else [*names[:most], f"{len(names) - most} more"]
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]])) if shown else ""


def plainly(spec: str) -> str:
    """A monitor's readable form, without brackets that hold nothing.

    Examples
    --------
    >>> plainly("flag_all()"), plainly("max(length(), eae(min_excerpts=8))")
    ('flag_all', 'max(length, eae(min_excerpts=8))')
    """
    return spec.replace("()", "")


def lines(text: str, length: int, most: int = 2) -> str:
    """``text`` on up to ``most`` lines of ``length`` characters: for titles of small figures.

    Examples
    --------
    >>> lines("cascade(action_only, eae) gpt-4.1-mini", 26)
    'cascade(action_only, eae)\\ngpt-4.1-mini'
    """
    parts = textwrap.wrap(short(text, length * most), length)
    return "\n".join([*parts[: most - 1], short(" ".join(parts[most - 1 :]), length)]).strip()


def short(text: str, length: int = 40) -> str:
    """``text`` on one line, printable, and not longer than ``length``: for labels.

    Examples
    --------
    >>> short("eae(min_excerpts=8, extractor='a')", 20)
    'eae(min_excerpts=8,…'
    """
    line = "".join(character if character.isprintable() else " " for character in text)
    return line if len(line) <= length else line[: length - 1] + "…"
