"""Quantiles of Student's t and of F, for whole degrees of freedom.

Both follow from the regularised incomplete beta function I(x; a, b)
[Abramowitz & Stegun 1964, chapter 26], here of half-integers and in decimal arithmetic of 36
digits. What is returned is the float next to the true value: intervals that are stored are the
same bytes on every platform and with every version of every library.
"""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from functools import lru_cache

_DIGITS = 36
_PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")
_HALF = Decimal("0.5")
_LAST_STEP = Decimal("1e-14")
"""A step of Newton's smaller than this, relatively, ends some 1e-26 from the true value."""
_LAST_TERM = Decimal("1e-32")


@lru_cache(maxsize=4096)
def student_t(confidence: float, degrees: int) -> float:
    """Return the two-sided quantile t of Student's distribution: P(|T| < t) = `confidence`.

    `degrees` from 1, `confidence` above 0 and below 1.
    """
    with localcontext(Context(prec=_DIGITS)):
        # P(|T| < t) = I(t^2 / (degrees + t^2); 1/2, degrees/2).
        x = _beta_quantile(Decimal(confidence), 1, degrees)
        return float((degrees * x / (1 - x)).sqrt())


@lru_cache(maxsize=4096)
def fisher_f(probability: float, above: int, below: int) -> float:
    """Return the quantile f of F: P(F < f) = `probability`, degrees `above` and `below` the line.

    Degrees from 1, `probability` above 0 and below 1.
    """
    with localcontext(Context(prec=_DIGITS)):
        x = _beta_quantile(Decimal(probability), above, below)
        return float(below * x / (above * (1 - x)))


def _beta_quantile(wanted: Decimal, m: int, n: int) -> Decimal:
    """Return x for which I(x; m/2, n/2) is `wanted`: Newton's steps, kept inside brackets."""
    complete = _complete_beta(m, n)
    low, high = Decimal(0), Decimal(1)
    x = Decimal(m) / (m + n)
    for _ in range(400):
        share, slope = _beta_share(x, m, n, complete)
        low, high = (low, x) if share > wanted else (x, high)
        step = x - (share - wanted) / slope
        following = step if low < step < high else (low + high) / 2
        if abs(following - x) <= _LAST_STEP * min(x, 1 - x):
            return following
        x = following
    raise ArithmeticError(f"no quantile {wanted} of beta({m}/2, {n}/2)")


def _beta_share(x: Decimal, m: int, n: int, complete: Decimal) -> tuple[Decimal, Decimal]:
    """Return I(x; m/2, n/2) and its derivative by x, 0 < x < 1.

    By the series 26.5.4 of the source, all of whose terms are positive, from the nearer end.
    """
    a, b = m * _HALF, n * _HALF
    power = _power(x, m) * _power(1 - x, n) / complete
    slope = power / (x * (1 - x))
    mirrored = x > _HALF
    if mirrored:
        x, a, b = 1 - x, b, a
    term = total = 1 / a
    order = a
    while term > total * _LAST_TERM:
        term *= x * (order + b) / (order + 1)
        order += 1
        total += term
    share = power * total
    return (1 - share if mirrored else share), slope


def _power(x: Decimal, halves: int) -> Decimal:
    """Return x to the power of `halves` / 2."""
    whole = x ** (halves // 2)
    return whole * x.sqrt() if halves % 2 else whole


def _complete_beta(m: int, n: int) -> Decimal:
    """Return B(m/2, n/2), from B(a + 1, b) = B(a, b) a / (a + b)."""
    a, b = (Decimal(1) if halves % 2 == 0 else _HALF for halves in (m, n))
    # B(1, 1), B(1, 1/2) = B(1/2, 1), B(1/2, 1/2).
    value = {Decimal(2): Decimal(1), Decimal("1.5"): Decimal(2), Decimal(1): _PI}[a + b]
    while a < m * _HALF:
        value *= a / (a + b)
        a += 1
    while b < n * _HALF:
        value *= b / (a + b)
        b += 1
    return value
