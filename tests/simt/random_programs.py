"""Random tile programs in which every step is exact: Program(seed) has the C++ code and NumPy's results.

They test where elements are: shapes, transpositions, products, values carried through loops. Values are small
integers of all types, so no result depends on an order. Statements use values that exist already; a statement
that rounds according to NumPy is dropped.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from cases import CPP_TYPES, shape_text
from random_draft import (
    ARITHMETIC,
    BF16,
    DIGITS,
    ELEMENTS,
    F16,
    F32,
    F64,
    FP8,
    I8,
    I32,
    I64,
    LENGTHS,
    U8,
    Draft,
    Tile,
    Unfit,
    Values,
    as_type,
    broadcasts,
    exact,
    number_text,
    require_exact,
    require_no_overflow,
    tile_text,
)

# Types of operands and sums, and the types that operands are cast to first.
PRODUCTS = [
    (I8, I32, ""),
    (U8, I32, ""),
    (F16, F32, ""),
    (F16, F16, ""),
    (BF16, F32, ""),
    (F32, F32, ""),
    (F32, F32, "__nv_tf32"),
    (F64, F64, ""),
    (FP8, F32, ""),
]


class Program(Draft):
    """A program of several statements on tiles of at most `most` elements, which are stored at the end."""

    def __init__(self, seed: int, statements: int = 12, most: int = 8192):
        super().__init__(seed, most)
        for statement in [Program.load] * 2 + self.random.choices(STATEMENTS, k=statements):
            self.attempt(statement)
        self.store_all()

    # --- memory ---------------------------------------------------------------------------------------------

    def load(self, dtype: np.dtype | None = None, shape: tuple[int, ...] | None = None) -> Tile:
        """Loads through a view of an array that its tiles need not divide."""
        dtype = dtype or self.random.choice(ELEMENTS)
        shape = shape or self.any_shape()
        extents = tuple(self.shortened(length * self.random.choice((1, 1, 2))) for length in shape)
        counts = [-(-extent // length) for extent, length in zip(extents, shape, strict=True)]
        place = [self.random.randrange(count) for count in counts]
        index = self.loop_index
        moving = self.random.randrange(len(shape)) if index else None
        array = self.new_array(dtype, extents)

        def value(values: Values) -> np.ndarray:
            now = [
                values[index] % count if d == moving else at
                for d, (at, count) in enumerate(zip(place, counts, strict=True))
            ]
            part = self.arrays[array][tuple(slice(i * n, i * n + n) for i, n in zip(now, shape, strict=True))]
            return np.pad(part, [(0, n - have) for n, have in zip(shape, part.shape, strict=True)])

        texts = [f"{index} % {counts[d]}" if d == moving else str(at) for d, at in enumerate(place)]
        view = self.new_view(array, shape)
        return self.let(dtype, shape, f"{view}.load_masked({', '.join(texts)})", value)

    def load_neighbours(self) -> None:
        dtype, shape = self.random.choice(ARITHMETIC), self.any_shape()
        size = int(np.prod(shape))
        first, end = self.random.randrange(4), self.random.randrange(size + 1)
        array, iota = self.new_array(dtype, (size + 3,)), f"ct::iota<{tile_text(I32, shape)}>()"
        values = np.where(np.arange(size) < end, self.arrays[array][first : first + size], 0)
        text = f"ct::load_masked(p{array} + {first} + {iota}, {iota} < {end}, {number_text(dtype, 0)})"
        self.let(dtype, shape, text, lambda _: values.astype(dtype).reshape(shape))

    def gather(self) -> None:
        index = self.any_tile(lambda tile: tile.dtype in (I32, I64))
        dtype = self.random.choice(ARITHMETIC)
        array = self.new_array(dtype, (64,))
        text = f"ct::load(p{array} + ({index.name} & {number_text(index.dtype, 63)}))"
        self.let(dtype, index.shape, text, lambda values: self.arrays[array][values[index.name] & 63])

    def store_all(self) -> None:
        """The latest tiles, and some of the others."""
        earlier = self.tiles[:-4]
        for tile in self.tiles[-4:] + self.random.sample(earlier, min(2, len(earlier))):
            extents = tuple(map(self.shortened, tile.shape))
            array = self.new_array(tile.dtype, extents)
            self.expected[array] = self.values[tile.name][tuple(map(slice, extents))]
            place = ", ".join("0" for _ in extents)
            text = f"{self.new_view(array, tile.shape)}.store_masked({tile.name}, {place});"
            self.steps.append((text, lambda _: None))

    # --- elements -------------------------------------------------------------------------------------------

    def binary(self) -> None:
        x = self.any_tile(lambda tile: tile.dtype in ARITHMETIC)
        y = self.any_tile(lambda tile: tile.dtype == x.dtype and broadcasts(tile.shape, x.shape))
        number = self.random.choice((None, self.random.randrange(4)))
        other = y.name if number is None else number_text(x.dtype, number)
        functions = {
            "+": np.add,
            "-": np.subtract,
            "*": np.multiply,
            "ct::max": np.maximum,
            "ct::min": np.minimum,
        }
        if x.dtype not in DIGITS:
            functions |= {"&": np.bitwise_and, "^": np.bitwise_xor}
        name, function = self.random.choice(list(functions.items()))
        text = f"{name}({x.name}, {other})" if "ct" in name else f"{x.name} {name} {other}"

        def value(values: Values) -> np.ndarray:
            second = exact(values[y.name]) if number is None else number
            return as_type(function(exact(values[x.name]), second), x.dtype)

        self.let(x.dtype, x.shape, text, value)

    def select(self) -> None:
        x = self.any_tile(lambda tile: tile.dtype in ARITHMETIC)
        y = self.any_tile(lambda tile: (tile.dtype, tile.shape) == (x.dtype, x.shape))
        z = self.any_tile(lambda tile: tile.dtype in ARITHMETIC and tile.shape == x.shape)
        self.let(
            x.dtype,
            x.shape,
            f"ct::select({z.name} > {number_text(z.dtype, 1)}, {x.name}, {y.name})",
            lambda values: np.where(exact(values[z.name]) > 1, values[x.name], values[y.name]),
        )

    def cast(self) -> None:
        self.cast_to(self.any_tile(), self.random.choice(ELEMENTS))

    def cast_to(self, x: Tile, dtype: np.dtype) -> Tile:
        x = self.clamped(x, 0 if dtype == U8 else -3)
        if x.dtype == dtype:
            return x

        def value(values: Values) -> np.ndarray:
            now = exact(values[x.name])  # in a loop, not only clamped values
            least = 0 if dtype.kind == "u" else -100
            if x.dtype in DIGITS and not np.all((least <= now) & (now <= 100)):
                raise Unfit
            return as_type(now, dtype)

        return self.let(dtype, x.shape, f"ct::element_cast<{CPP_TYPES[dtype]}>({x.name})", value)

    def clamped(self, x: Tile, least: int) -> Tile:
        """Between `least` and 3."""
        now = exact(self.values[x.name])
        if np.all((least <= now) & (now <= 3)):
            return x
        if x.dtype == FP8:
            raise Unfit
        least = 0 if x.dtype == U8 else least
        text = f"ct::max(ct::min({x.name}, {number_text(x.dtype, 3)}), {number_text(x.dtype, least)})"
        return self.let(
            x.dtype, x.shape, text, lambda values: np.clip(exact(values[x.name]), least, 3).astype(x.dtype)
        )

    # --- shapes ---------------------------------------------------------------------------------------------

    def transpose(self) -> None:
        self.transposed(self.any_tile(lambda tile: len(tile.shape) == 2))

    def transposed(self, x: Tile) -> Tile:
        return self.let(x.dtype, x.shape[::-1], f"ct::transpose({x.name})", lambda values: values[x.name].T)

    def permute(self) -> None:
        x = self.any_tile(lambda tile: len(tile.shape) >= 2)
        order = self.random.sample(range(len(x.shape)), len(x.shape))
        text = f"ct::permute({x.name}, ct::dimension_map{{{', '.join(f'{d}_ic' for d in order)}}})"
        self.let(x.dtype, [x.shape[d] for d in order], text, lambda values: values[x.name].transpose(order))

    def reshape(self) -> None:
        x = self.any_tile()
        places = sorted(self.random.randrange(x.size.bit_length()) for _ in range(self.random.randrange(3)))
        bits = [0, *places, x.size.bit_length() - 1]
        self.reshaped(x, tuple(1 << b - a for a, b in pairwise(bits)))

    def reshaped(self, x: Tile, shape: tuple[int, ...]) -> Tile:
        text = f"ct::reshape({x.name}, {shape_text(shape)}{{}})"
        return self.let(x.dtype, shape, text, lambda values: values[x.name].reshape(shape))

    def broadcast(self) -> None:
        shape = self.any_shape()
        self.broadcast_to(self.any_tile(lambda tile: broadcasts(tile.shape, shape)), shape)

    def broadcast_to(self, x: Tile, shape: tuple[int, ...]) -> Tile:
        text = f"ct::broadcast({x.name}, {shape_text(shape)}{{}})"
        return self.let(x.dtype, shape, text, lambda values: np.broadcast_to(values[x.name], shape))

    def cat(self) -> None:
        x = self.any_tile(lambda tile: 2 * tile.size <= self.most)
        y = self.any_tile(lambda tile: (tile.dtype, tile.shape) == (x.dtype, x.shape))
        d = self.random.randrange(len(x.shape))
        shape = (*x.shape[:d], 2 * x.shape[d], *x.shape[d + 1 :])
        text = f"ct::cat({x.name}, {y.name}, {d}_ic)"
        self.let(x.dtype, shape, text, lambda values: np.concatenate([values[x.name], values[y.name]], d))

    def extract(self) -> None:
        x = self.any_tile()
        shape = tuple(max(1, length >> self.random.choice((0, 0, 1, 2))) for length in x.shape)
        place = [self.random.randrange(n // part) for n, part in zip(x.shape, shape, strict=True)]
        text = f"ct::extract({x.name}, {shape_text(shape)}{{}}, {', '.join(map(str, place))})"
        part = tuple(slice(i * n, i * n + n) for i, n in zip(place, shape, strict=True))
        self.let(x.dtype, shape, text, lambda values: values[x.name][part])

    def reduce(self) -> None:
        x = self.any_tile(lambda tile: tile.dtype in ARITHMETIC)
        d = self.random.randrange(len(x.shape))
        functions = {
            "sum": lambda v: v.sum(d, keepdims=True),
            "reduce_max": lambda v: v.max(d, keepdims=True),
            "reduce_min": lambda v: v.min(d, keepdims=True),
            "partial_sum": lambda v: v.cumsum(d),
        }
        name, function = self.random.choice(list(functions.items()))

        def value(values: Values) -> np.ndarray:
            result = function(exact(values[x.name]))
            if "sum" in name:
                require_exact(np.abs(exact(values[x.name])).sum(d), x.dtype)
                require_no_overflow(result, x.dtype)
            return as_type(result, x.dtype)

        shape = x.shape if name == "partial_sum" else (*x.shape[:d], 1, *x.shape[d + 1 :])
        self.let(x.dtype, shape, f"ct::{name}({x.name}, {d}_ic)", value)

    # --- products -------------------------------------------------------------------------------------------

    def like(self, dtype: np.dtype, shape: tuple[int, ...]) -> Tile:
        """A tile of this type and shape, either loaded or made from an existing one."""
        ways = [lambda: self.load(dtype, shape)] * 2
        for x in self.tiles:
            if x.shape == shape:
                ways += [lambda x=x: x] * 3
            elif x.shape == shape[::-1] and len(shape) == 2:
                ways += [lambda x=x: self.transposed(x), lambda x=x: self.transposed(self.cast_to(x, dtype))]
            elif broadcasts(x.shape, shape):
                ways += [lambda x=x: self.broadcast_to(x, shape)]
            elif x.size == np.prod(shape):
                ways += [lambda x=x: self.reshaped(x, shape)]
        return self.cast_to(self.random.choice(ways)(), dtype)

    def operands(self) -> tuple[Tile, Tile, np.dtype, str]:
        """The types of a product: left, right, sums, and a final cast."""
        dtype, summed, last = self.random.choice(PRODUCTS)
        lengths = LENGTHS[4:] if self.random.random() < 0.8 else LENGTHS
        m, n, k = self.random.choices(lengths, k=3)
        known = [tile.shape for tile in self.tiles if len(tile.shape) == 2 and min(tile.shape) >= 16]
        if known and self.random.random() < 0.6:
            m, k = self.random.choice(known)
        batch = self.random.choice([(), (), (), (2,), (4,)])
        if max(m * k, k * n, m * n) * (*batch, 1)[0] > self.most:
            raise Unfit
        return self.like(dtype, (*batch, m, k)), self.like(dtype, (*batch, k, n)), summed, last

    def product(self) -> None:
        left, right, summed, last = self.operands()
        shape = (*left.shape[:-1], right.shape[-1])
        self.multiplied(left, right, last, self.like(summed, shape))

    def multiplied(self, left: Tile, right: Tile, last: str, sums: Tile) -> Tile:
        def value(values: Values) -> np.ndarray:
            a, b, c = (exact(values[x.name]) for x in (left, right, sums))
            # without its own instructions fp8 is multiplied as float16, exactly if float16 can hold the sums
            require_exact(np.abs(a) @ np.abs(b) + np.abs(c), F16 if left.dtype == FP8 else sums.dtype)
            return as_type(a @ b + c, sums.dtype)

        a, b = (f"ct::element_cast<{last}>({x.name})" if last else x.name for x in (left, right))
        return self.let(sums.dtype, sums.shape, f"ct::mma({a}, {b}, {sums.name})", value)

    # --- control --------------------------------------------------------------------------------------------

    def branch(self) -> None:
        """A tile that is transposed or not, as decided at launch."""
        x = self.any_tile(lambda tile: len(tile.shape) == 2 and tile.shape[0] == tile.shape[1])
        y = Tile(self.new_name(), x.dtype, x.shape)
        taken = self.random.random() < 0.5

        def run(values: Values) -> None:
            values[y.name] = np.ascontiguousarray(values[x.name].T if taken else values[x.name])

        run(self.values)
        flag = "yes" if taken else "no"
        self.steps.append(
            (f"auto {y.name} = {x.name};\nif ({flag})\n  {y.name} = ct::transpose({y.name});", run)
        )
        self.tiles.append(y)

    def loop(self) -> None:
        """Sums of products or of a tile, with a number of steps that is decided at launch."""
        if self.loop_index:
            raise Unfit
        count, index, name = self.random.randrange(4), self.new_name("step"), self.new_name("sum")
        outside = self.steps, list(self.tiles), dict(self.values)
        self.steps, self.loop_index, self.values[index] = [], index, 0
        try:
            sums, update = self.loop_body(name)
            body = self.steps
        finally:
            self.steps, self.tiles, self.values = outside
            self.loop_index = ""

        def run(values: Values) -> None:
            inside = values | {name: np.zeros(sums.shape, sums.dtype)}
            for i in range(count):
                inside[index] = i
                for _, step in body:
                    step(inside)
                inside[name] = inside[update.name]
            values[name] = inside[name]

        run(self.values)
        lines = "".join("  " + text.replace("\n", "\n  ") + "\n" for text, _ in body)
        head = f"auto {name} = ct::zeros<{tile_text(sums.dtype, sums.shape)}>();\n"
        head += f"for (int {index} : ct::irange(0, count{count})) {{\n"
        self.steps.append((f"{head}{lines}  {name} = {update.name};\n}}", run))
        self.tiles.append(sums)

    def loop_body(self, name: str) -> tuple[Tile, Tile]:
        """The value of a sum that starts from zeros, and its next value."""
        multiplies = self.random.random() < 0.7
        if multiplies:
            left, right, summed, last = self.operands()
            sums = Tile(name, summed, (*left.shape[:-1], right.shape[-1]))
        else:
            sums = self.any_tile(lambda tile: tile.dtype in ARITHMETIC)._replace(name=name)
        self.values[name] = np.zeros(sums.shape, sums.dtype)
        self.tiles.append(sums)
        for statement in self.random.choices(STATEMENTS, k=self.random.randrange(4)):
            self.attempt(statement)
        if multiplies:
            return sums, self.multiplied(left, right, last, sums)
        y = self.any_tile(lambda tile: (tile.dtype, tile.shape) == (sums.dtype, sums.shape))
        return sums, self.let(
            sums.dtype,
            sums.shape,
            f"{sums.name} + {y.name}",
            lambda values: as_type(exact(values[sums.name]) + exact(values[y.name]), sums.dtype),
        )


STATEMENTS = [
    Program.load,
    Program.load_neighbours,
    Program.gather,
    *[Program.binary] * 3,
    Program.select,
    *[Program.cast] * 2,
    *[Program.transpose] * 2,
    Program.permute,
    Program.reshape,
    Program.broadcast,
    Program.cat,
    Program.extract,
    *[Program.reduce] * 2,
    *[Program.product] * 3,
    Program.branch,
    *[Program.loop] * 2,
]
