"""The table of element types against NumPy and ml_dtypes, and against the order of conversion ranks."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from pycuda_tile.spec.element_types import CXX_TYPES, ELEMENT_TYPES, NUMPY_TYPES, TILEIR_TYPES

FLOATS = [e for e in ELEMENT_TYPES if not e.is_integral]


@pytest.mark.parametrize("name", NUMPY_TYPES)
def test_formats_are_those_of_numpy(name):
    e, dtype = NUMPY_TYPES[name], NUMPY_TYPES[name].dtype
    if dtype is None:
        pytest.skip(f"this ml_dtypes has no {name}: pip install -U ml_dtypes")
    assert e.size == dtype.itemsize
    if e.is_integral:
        info = ml_dtypes.iinfo(dtype) if dtype.kind in "iuV" else None
        assert info is None or (info.bits, info.min < 0) == (e.bits, e.signed)
        return
    info = ml_dtypes.finfo(dtype)
    assert (info.bits, info.nexp, info.nmant) == (e.bits, e.exponent, e.mantissa)
    assert (float(info.max), float(info.tiny)) == (e.greatest, 2.0**e.smallest_exponent)
    with np.errstate(all="ignore"):
        made = np.array([0.0, -1.0, np.inf, np.nan]).astype(dtype).astype(np.float64)
    assert (made[0] == 0) == ("zero" in e.specials) and (made[1] == -1) == e.signed
    assert np.isinf(made[2]) == ("inf" in e.specials) and np.isnan(made[3]) == ("nan" in e.specials)


def test_a_float_has_sign_exponent_and_mantissa():
    for e in FLOATS:
        assert e.bits == e.signed + e.exponent + e.mantissa, e.id
        assert e.bits <= 8 * e.size


@pytest.mark.parametrize("a", [e for e in CXX_TYPES.values() if not e.is_integral], ids=lambda e: e.id)
def test_a_greater_rank_has_all_values(a):
    """A format [1.7.1] loses no value when converted to one of higher rank that it fits into."""
    for b in CXX_TYPES.values():
        if not b.is_integral and a.has_lower_rank(b):
            assert b.mantissa >= a.mantissa and b.greatest >= a.greatest, b.id
            assert b.smallest_exponent - b.mantissa <= a.smallest_exponent - a.mantissa, b.id


def test_names_are_unique():
    for names in ([e.id for e in ELEMENT_TYPES], [e.cxx for e in ELEMENT_TYPES if e.cxx]):
        assert len(names) == len(set(names))
    spelled = [name for e in TILEIR_TYPES.values() for name in (e.tileir, *e.tileir_aliases)]
    assert len(spelled) == len(set(spelled))
    tags = [e.tag for e in TILEIR_TYPES.values()]
    assert len(tags) == len(set(tags))
