"""Derives the polynomial coefficients of include/cuda_tile/platform/host_math_*.h and prints them as C++.

    python tests/math/coefficients.py [name...]

Each polynomial has the least weighted maximum error over an interval (Remez's exchange algorithm, with 60
digits). Coefficients are found one by one: the lowest is rounded to the element type and fixed, then the
others are fitted again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import mpmath
from mpmath import mp, mpf

HEADERS = Path(__file__).resolve().parent.parent.parent / "include" / "cuda_tile" / "platform"
mp.dps = 60
DIGITS = {"float": 24, "double": 53}


@dataclass
class Fit:
    """Minimises the maximum of |weight * (function - sum of c[i] * x**i for i < terms)|."""

    name: str
    type: str
    terms: int
    function: Callable[[mpf], mpf]
    interval: tuple[mpf, mpf]
    weight: Callable[[mpf], mpf]  # relative error of the result per error of the polynomial


def remez(fit: Fit, fixed: list[mpf]) -> tuple[list[mpf], mpf]:
    """The coefficients after the `fixed` lowest ones, and the error reached."""
    low, high = fit.interval
    start, count = len(fixed), fit.terms - len(fixed)

    def target(x):
        return fit.function(x) - sum(c * x**i for i, c in enumerate(fixed))

    nodes = [(low + high) / 2 - (high - low) / 2 * mpmath.cos(mp.pi * i / count) for i in range(count + 1)]
    steps = 40 * count
    samples = [low + (high - low) * (1 - mpmath.cos(mp.pi * i / steps)) / 2 for i in range(steps + 1)]
    table = [(x, target(x), fit.weight(x)) for x in samples]
    for _ in range(30):
        rows, right = [], []
        for i, x in enumerate(nodes):
            w = fit.weight(x)
            rows.append([w * x ** (start + k) for k in range(count)] + [mpf(-1) ** i])
            right.append(w * target(x))
        solution = mpmath.lu_solve(mpmath.matrix(rows), mpmath.matrix(right))
        coefficients = list(solution)[:count]
        powers = range(start, fit.terms)
        errors = [
            w * (t - sum(c * x**k for k, c in zip(powers, coefficients, strict=True))) for x, t, w in table
        ]
        nodes, largest = exchange(samples, errors, count + 1)
        if largest <= abs(solution[count]) * mpf("1.001"):
            break
    return coefficients, largest


def exchange(samples: list[mpf], errors: list[mpf], count: int) -> tuple[list[mpf], mpf]:
    """The `count` points of alternating extrema of the error, and the largest error."""
    extrema: list[int] = []
    for i, error in enumerate(errors):
        if extrema and (error > 0) == (errors[extrema[-1]] > 0):
            if abs(error) > abs(errors[extrema[-1]]):
                extrema[-1] = i
        else:
            extrema.append(i)
    while len(extrema) > count:  # drop the smaller end
        extrema.pop(0 if abs(errors[extrema[0]]) < abs(errors[extrema[-1]]) else -1)
    if len(extrema) < count:
        raise ArithmeticError("the error alternates too seldom: the degree is too high for 60 digits")
    return [samples[i] for i in extrema], max(abs(e) for e in errors)


def rounded(x: mpf, digits: int) -> mpf:
    with mp.workprec(digits):
        return +x


def solve(fit: Fit) -> tuple[list[mpf], mpf]:
    fixed: list[mpf] = []
    low, high = fit.interval
    while len(fixed) < fit.terms:
        coefficients, _ = remez(fit, fixed)
        # Powers that all vanish within the interval cannot be fitted, so there is no second fit.
        take = 1 if low >= 0 else fit.terms
        fixed += [rounded(c, DIGITS[fit.type]) for c in coefficients[:take]]
    xs = [low + (high - low) * mpf(i) / 500 for i in range(501)]
    errors = [fit.weight(x) * (fit.function(x) - sum(c * x**i for i, c in enumerate(fixed))) for x in xs]
    return fixed, max(abs(error) for error in errors)


def literal(x: mpf, kind: str) -> str:
    import numpy as np

    value = np.float32(float(x)) if kind == "float" else np.float64(float(x))
    return str(value) + ("f" if kind == "float" else "")


def _u(function: Callable[[mpf], mpf]) -> Callable[[mpf], mpf]:
    """An even `function` of r, as one of u = r * r; not evaluated closer to 0 than the digits allow."""
    return lambda u: function(mpmath.sqrt(max(u, mpf(10) ** -16)))


HALF_LN2 = mpmath.log(2) / 2 * mpf("1.0001")
QUARTER_PI = mp.pi / 4 * mpf("1.0001")
HALF_PI = mp.pi / 2 * mpf("1.0001")
LOG_S = ((mpmath.sqrt(2) - 1) / (mpmath.sqrt(2) + 1)) * mpf("1.0001")
LOG_F = (mpmath.sqrt(0.5) * mpf("0.99999") - 1, mpmath.sqrt(2) * mpf("1.00001") - 1)
ATAN_T = (mpmath.sqrt(2) - 1) * mpf("1.0001")

sinh_tail = _u(lambda r: (mpmath.sinh(r) / r - 1) / r**2)  # sinh(r) = r + r^3 P(r^2)
cosh_tail = _u(lambda r: (mpmath.cosh(r) - 1 - r**2 / 2) / r**4)  # cosh(r) = 1 + r^2 / 2 + r^4 P(r^2)
log_tail = _u(lambda s: (2 * mpmath.atanh(s) / s - 2) / s**2)  # log((1 + s) / (1 - s)) = 2 s + s^3 P(s^2)
# log((1 + s) / (1 - s)) = 2 s + 2/3 s^3 + s^5 P(s^2)
log_far_tail = _u(lambda s: (2 * mpmath.atanh(s) / s - 2 - s**2 * 2 / 3) / s**4)
sin_tail = _u(lambda r: (mpmath.sin(r) / r - 1) / r**2)  # sin(r) = r + r^3 P(r^2)
cos_tail = _u(lambda r: (mpmath.cos(r) - 1 + r**2 / 2) / r**4)  # cos(r) = 1 - r^2 / 2 + r^4 P(r^2)
atan_tail = _u(lambda t: (mpmath.atan(t) / t - 1) / t**2)  # atan(t) = t + t^3 P(t^2)


def exp_tail(r: mpf) -> mpf:  # exp(r) = 1 + r + r^2 P(r)
    return (mpmath.exp(r) - 1 - r) / r**2 if abs(r) > mpf(10) ** -15 else mpf(1) / 2


def log1p_tail(f: mpf) -> mpf:  # log(1 + f) = f - f^2 / 2 + f^3 / 2 P(f)
    return (mpmath.log1p(f) - f + f**2 / 2) / f**3 * 2 if abs(f) > mpf(10) ** -15 else mpf(2) / 3


def log1p_weight(f: mpf) -> mpf:
    return abs(f**3 / 2 / mpmath.log1p(f)) if f else mpf(0)


sinh_weight = _u(lambda r: r**3 / mpmath.sinh(r))
cosh_weight = _u(lambda r: r**4)
log_far_weight = _u(lambda s: s**5 / (2 * mpmath.atanh(s)))
log_weight = _u(lambda s: s**3 / (2 * mpmath.atanh(s)))
sin_weight = _u(lambda r: r**3 / mpmath.sin(r))
cos_weight = _u(lambda r: r**4 / mpmath.cos(r))
atan_weight = _u(lambda t: t**3 / mpmath.atan(t))

FITS = [
    Fit("sinh_tail", "float", 3, sinh_tail, (mpf(0), HALF_LN2**2), sinh_weight),
    Fit("cosh_tail", "float", 2, cosh_tail, (mpf(0), HALF_LN2**2), cosh_weight),
    Fit("sinh_tail", "double", 5, sinh_tail, (mpf(0), HALF_LN2**2), sinh_weight),
    Fit("cosh_tail", "double", 5, cosh_tail, (mpf(0), HALF_LN2**2), cosh_weight),
    Fit("log1p_tail", "float", 8, log1p_tail, LOG_F, log1p_weight),
    Fit("log_tail", "double", 7, log_tail, (mpf(0), LOG_S**2), log_weight),
    Fit("log_tail_f", "double", 4, log_tail, (mpf(0), LOG_S**2), log_weight),
    Fit("log_far_tail", "double", 7, log_far_tail, (mpf(0), LOG_S**2), log_far_weight),
    Fit(
        "exp_tail",
        "float",
        5,
        exp_tail,
        (-HALF_LN2, HALF_LN2),
        lambda r: (r**2 + mpf("1e-6")) / mpmath.exp(r),
    ),
    Fit("exp_tail_f", "double", 6, exp_tail, (-HALF_LN2, HALF_LN2), lambda r: r**2 + mpf("1e-6")),
    Fit("sin_half_turn_tail", "double", 5, sin_tail, (mpf(0), HALF_PI**2), sin_weight),
    Fit("sin_tail", "double", 6, sin_tail, (mpf(0), QUARTER_PI**2), sin_weight),
    Fit("cos_tail", "double", 6, cos_tail, (mpf(0), QUARTER_PI**2), cos_weight),
    Fit("sin_tail_f", "double", 4, sin_tail, (mpf(0), QUARTER_PI**2), sin_weight),
    Fit("cos_tail_f", "double", 4, cos_tail, (mpf(0), QUARTER_PI**2), cos_weight),
    Fit("atan_tail", "double", 12, atan_tail, (mpf(0), ATAN_T**2), atan_weight),
    Fit("atan_tail_f", "double", 6, atan_tail, (mpf(0), ATAN_T**2), atan_weight),
]


def main(names: list[str]) -> None:
    headers = "".join(path.read_text(encoding="utf-8") for path in HEADERS.glob("host_math_*.h"))
    for fit in FITS:
        if names and fit.name not in names:
            continue
        coefficients, error = solve(fit)
        values = [literal(c, fit.type) for c in coefficients]
        state = "" if all(value in headers for value in values) else ", not all of them in the headers"
        print(f"// {fit.name}, {fit.type}: error 2^{float(mpmath.log(error, 2)):.1f} of the result{state}")
        print(", ".join(values))


if __name__ == "__main__":
    main(sys.argv[1:])
