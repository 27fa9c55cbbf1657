"""Lines of random kernels of Tile IR: tiles of positions and constants, and loads and stores of tiles of one
shape through views and tiles of pointers, of which not all exists.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

import ml_dtypes
import numpy as np

FLOATS = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
SMALL_FLOATS = {"f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2}
WHOLE = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64}
STORED = FLOATS | SMALL_FLOATS | WHOLE

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Tile:
    name: str
    kind: str
    shape: Shape

    @property
    def type(self) -> str:
        return tile_type(self.kind, self.shape)


def tile_type(kind: str, shape: Shape) -> str:
    return f"tile<{'x'.join([*map(str, shape), kind])}>"


class Lines:
    """A kernel under construction.

    shape:  of what it loads and stores
    kinds:  the element types of its arguments
    tiles:  that others may use
    """

    def __init__(self, random: random.Random, shape: Shape, kinds: list[str]):
        self.random, self.shape, self.kinds = random, shape, kinds
        self.lines: list[str] = []
        self.tiles: list[Tile] = []
        self._count = 0

    def let(self, kind: str, shape: Shape, text: str) -> Tile:
        self._count += 1
        tile = Tile(f"%v{self._count}", kind, shape)
        self.lines.append(f"{tile.name} = {text}")
        return tile

    def made_of(self, x: Tile, kind: str, shape: Shape, text: str) -> Tile:
        """A tile of another type."""
        return self.let(kind, shape, f"{text} : {x.type} -> {tile_type(kind, shape)}")

    def keep(self, tile: Tile) -> None:
        """Others may use it."""
        self.tiles.append(tile)

    def access(self, i: int, stored: Tile | None) -> None:
        if self.random.random() < 0.5:
            self._through_view(i, stored)
        else:
            self._through_pointers(i, stored)

    def _through_view(self, i: int, stored: Tile | None) -> None:
        self._count += 1
        kind, rank, name = self.kinds[i], len(self.shape), f"{i}_{self._count}"
        sizes = [f"%n{d}" for d in range(rank)]
        order = list(range(rank))  # the dimension of the array for each of the tile
        if rank > 1 and self.random.random() < 0.2:
            self.random.shuffle(order)
        sizes = [f"%n{order.index(d)}" for d in range(rank)]
        strides = ["%one"] * rank
        self.lines.append(f"%one{name} = constant <i32: 1> : tile<i32>")
        strides[-1] = f"%one{name}"
        for d in range(rank - 2, -1, -1):
            strides[d] = f"%s{name}_{d}"
            self.lines.append(f"{strides[d]} = muli {strides[d + 1]}, {sizes[d + 1]} : tile<i32>")
        dynamic = self.random.random() < 0.5
        last = strides[-1] if dynamic else "1"
        marks = ",".join([*["?"] * (rank - 1), "?" if dynamic else "1"])
        tensor = f"tensor_view<{'x'.join(['?'] * rank)}x{kind}, strides=[{marks}]>"
        given = ", ".join([*strides[:-1], last])
        typed = " : tile<i32>"
        self.lines.append(
            f"%t{name} = make_tensor_view %a{i}, shape = [{', '.join(sizes)}], strides = [{given}]{typed}"
            f" -> {tensor}"
        )
        mapped = "" if order == sorted(order) else f", dim_map=[{', '.join(map(str, order))}]"
        pads = ["", "zero"] if kind in WHOLE else ["", "zero", "neg_zero", "nan", "pos_inf", "neg_inf"]
        if kind == "f8E4M3FN":
            pads = ["", "zero", "neg_zero", "nan"]
        pad = self.random.choice(pads)
        padding = f"padding_value = {pad}, " if pad and stored is None else ""
        view = f"partition_view<tile=({'x'.join(map(str, self.shape))}), {padding}{tensor}{mapped}>"
        if stored is None and not padding:
            view = view.replace("), ", "), padding_value = zero, ", 1)
        self.lines.append(f"%w{name} = make_partition_view %t{name} : {view}")
        at = ", ".join(["%i", *["%zero"] * (rank - 1)])
        if stored is None:
            self._count += 1
            tile = Tile(f"%v{self._count}", kind, self.shape)
            self.tiles.append(tile)
            self.lines.append(
                f"{tile.name}, %k{name} = load_view_tko weak %w{name}[{at}] : {view}, tile<i32> -> "
                f"{tile.type}, token"
            )
        else:
            self.lines.append(
                f"%k{name} = store_view_tko weak {stored.name}, %w{name}[{at}] : {stored.type}, {view}, "
                "tile<i32> -> token"
            )

    def _through_pointers(self, i: int, stored: Tile | None) -> None:
        """Element i0 * size + i1 * ... of a block's own part, or its quotient or remainder, for positions
        below n0, n1, ..."""
        kind, shape = self.kinds[i], self.shape
        offset, mask = self.constant("i32", shape, "0"), None
        wide = self.random.random() < 0.3
        for d, size in enumerate(shape):
            step = math.prod(shape[d + 1 :])
            place = self.along(d)
            factor = self.constant("i32", shape, str(step))
            far = self.let("i32", shape, f"muli {place.name}, {factor.name} : {place.type}")
            offset = self.let("i32", shape, f"addi {offset.name}, {far.name} : {offset.type}")
            if size > 1 and self.random.random() < 0.8:
                bound = self._spread(Tile(f"%n{d}", "i32", ()))
                relation = self.random.choice([*3 * ["less_than"], "greater_than_or_equal", "not_equal"])
                least = self.constant("i32", shape, str(self.random.choice([-1, 0, 1, size // 2, size - 1])))
                limits = [f"{relation} {place.name}, {bound.name}", f"less_than {least.name}, {place.name}"]
                for limit in limits[: self.random.choice([1, 1, 2])]:
                    inside = self.made_of(place, "i1", shape, f"cmpi {limit}, signed")
                    if mask is not None:
                        inside = self.let("i1", shape, f"andi {mask.name}, {inside.name} : {mask.type}")
                    mask = inside
        if self.random.random() < 0.3:
            offset = self._divided(offset)
        whole = self.constant("i32", (), str(math.prod(shape)))
        first = self._spread(self.let("i32", (), f"muli %i, {whole.name} : tile<i32>"))
        offset = self.let("i32", shape, f"addi {first.name}, {offset.name} : {offset.type}")
        if wide:
            offset = self.made_of(offset, "i64", shape, f"exti {offset.name} signed")
        base = self._spread(Tile(f"%a{i}", f"ptr<{kind}>", ()))
        text = f"offset {base.name}, {offset.name} : {base.type}, {offset.type} -> {base.type}"
        at = self.let(base.kind, shape, text)
        self._count += 1
        masked = "" if mask is None else f", {mask.name}"
        typed = "" if mask is None else f", {mask.type}"
        if stored is None:
            tile = Tile(f"%v{self._count}", kind, shape)
            if mask is not None:
                values = [t for t in self.tiles if t.kind == kind and t.shape == shape]
                padding = self.random.choice([self.number(kind, shape), *values[-1:]])
                masked, typed = f"{masked}, {padding.name}", f"{typed}, {padding.type}"
            self.tiles.append(tile)
            self.lines.append(
                f"{tile.name}, %k{self._count} = load_ptr_tko weak {at.name}{masked} : {at.type}{typed} -> "
                f"{tile.type}, token"
            )
        else:
            self.lines.append(
                f"%k{self._count} = store_ptr_tko weak {at.name}, {stored.name}{masked} : {at.type}, "
                f"{stored.type}{typed} -> token"
            )

    def _divided(self, x: Tile) -> Tile:
        """A quotient, a remainder, or one of each."""
        by = self.constant("i32", self.shape, str(self.random.choice([1, 2, 3, 8, 20, 33, 64, 1000])))
        if self.random.random() < 0.5:
            one = self.constant("i32", (), "1")
            size = self.let("i32", (), f"maxi %n0, {one.name} signed : tile<i32>")
            by = self._spread(size)
        for name in self.random.choice([["divi"], ["remi"], ["divi", "remi"]]):
            sign = self.random.choice(["signed", "unsigned"])
            x = self.let("i32", self.shape, f"{name} {x.name}, {by.name} {sign} : {x.type}")
        return x

    def constant(self, kind: str, shape: Shape, value: str) -> Tile:
        return self.let(kind, shape, f"constant <{kind}: {value}> : {tile_type(kind, shape)}")

    def number(self, kind: str, shape: Shape) -> Tile:
        if kind in WHOLE:
            return self.constant(kind, shape, str(self.random.choice([0, 1, -1, 2, 3, 100])))
        return self.constant(kind, shape, self.random.choice(["0.0", "-0.0", "1.0", "-3.0", "0.5"]))

    def _spread(self, one: Tile) -> Tile:
        """One element as a tile of the kernel's shape."""
        ones = tuple(1 for _ in self.shape)
        thin = self.made_of(one, one.kind, ones, f"reshape {one.name}")
        if ones == self.shape:
            return thin
        return self.broadcast(thin)

    def broadcast(self, thin: Tile) -> Tile:
        if thin.shape == self.shape:
            return thin
        return self.made_of(thin, thin.kind, self.shape, f"broadcast {thin.name}")

    def along(self, d: int) -> Tile:
        """The position along a dimension."""
        size = self.shape[d]
        line = self.let("i32", (size,), f"iota : tile<{size}xi32>")
        thin = tuple(size if e == d else 1 for e in range(len(self.shape)))
        if thin != line.shape:
            line = self.made_of(line, "i32", thin, f"reshape {line.name}")
        return self.broadcast(line)
