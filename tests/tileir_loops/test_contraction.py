"""contraction: which products have a rule, how their factors are packed, and where their sums are made."""

from __future__ import annotations

import product_kernels as kernels
import pytest
from open_front_end import module

from pycuda_tile import tileir
from pycuda_tile.tileir.loops import fuse
from pycuda_tile.tileir.loops.contraction import find_products
from pycuda_tile.tileir.loops.fallback import NOTHING
from pycuda_tile.tileir.loops.groups import Uses
from pycuda_tile.tileir.loops.simplify import simplify
from pycuda_tile.tileir.loops.stored_sums import find_stored_sums
from pycuda_tile.tileir.loops.variables import Variables


def products(text: str):
    """The products of a kernel, and the reasons why others have no rule."""
    body = simplify(tileir.parse(text).entries[0]).body
    found = find_products(body, Uses.of(body), Variables(body))
    return list(found.found.values()), [str(reason) for reason in found.reasons.values()]


def test_a_factor_from_before_the_loop_is_the_same_in_each_round():
    body = simplify(module(kernels.REPEATED, "repeated").entries[0]).body
    found = find_products(body, Uses.of(body), Variables(body)).found.values()
    assert [each.same for each in found] == [True, False] and all(each.loop is not None for each in found)


def test_factors_are_packed_from_memory():
    (found,), _ = products(kernels.KERNELS["turned"])
    assert [op.name for op in found.left.chain] == ["load_view_tko", "permute"]
    assert found.carried == 0 and found.begins is not None


def test_tiles_are_permuted_when_they_are_packed():
    (found,), _ = products(kernels.KERNELS["turned_tiles"])
    for factor, name in ((found.left, "w_a"), (found.right, "w_b")):
        assert [op.name for op in factor.chain] == ["permute"]
        assert (factor.access, factor.tile.name) == (None, name)
    assert "ct::permute" not in fuse(tileir.parse(kernels.KERNELS["turned_tiles"]))[0]


@pytest.mark.parametrize(
    "name, stored", [("plain", 1), ("turned", 1), ("started", 0), ("changed", 0), ("batched", 0)]
)
def test_sums_that_are_only_stored_are_made_there(name: str, stored: int):
    body = simplify(tileir.parse(kernels.KERNELS[name]).entries[0]).body
    uses = Uses.of(body)
    assert len(find_stored_sums(body, find_products(body, uses, Variables(body)), uses)) == stored


def test_sums_that_something_else_looks_at_are_not_carried():
    (found,), _ = products(kernels.KERNELS["changed"])
    assert found.carried is None and found.in_place


def test_a_factor_that_others_need_is_a_tile():
    (first, second), _ = products(kernels.KERNELS["two_products"])
    assert not first.left.chain and first.right.chain and first.begins is not None
    assert not second.left.chain and second.right.chain and not second.in_place


def test_loads_stay_before_stores():
    """So that factors are tiles, of products that are made operation by operation."""
    found, reasons = products(kernels.KERNELS["stored_between"])
    assert not found and all(reason.endswith("takes longer than it saves") for reason in reasons)
    assert fuse(tileir.parse(kernels.KERNELS["stored_between"]))[2]["stored_between"]["reason"] == NOTHING


@pytest.mark.parametrize("name", ["pointers", "advancing"])
def test_tiles_of_pointers_are_packed_from_memory(name: str):
    (found,), _ = products(kernels.KERNELS[name])
    assert {"load_ptr_tko", "offset", "cmpi"} <= {op.name for op in found.left.chain}
    assert found.right.chain and found.carried == 0


def test_narrowing_conversions_stay():
    (found,), _ = products(kernels.product("k", 16, 16, 16, kind="f32", wider="bf16"))
    assert not found.left.chain and not found.right.chain


def test_attributes():
    _, _, attributes = fuse(tileir.parse(kernels.KERNELS["plain"]))
    assert attributes == {"plain": {"path": "fused"}}
