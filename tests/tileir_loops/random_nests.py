"""Random kernels of Tile IR in text, whose tiles are larger than a strip, and what they are launched with.

Each kernel loads tiles of one shape, computes with them and with tiles of other shapes, and stores some; what
exists of a tile, whether arrays overlap and the values are the launch's. All is defined for every input.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from random_accesses import FLOATS, SMALL_FLOATS, STORED, WHOLE, Lines, Shape, Tile, tile_type

SHAPES = [
    (64,),
    (256,),
    (8, 32),
    (32, 8),
    (4, 64),
    (2, 128),
    (1, 128),
    (64, 1),
    (4, 8, 16),
    (2, 1, 4, 16),
    (2, 1, 2, 4, 8),
]
SPECIAL = [0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan, 65504.0, 6e-8, 1e30, 1e-42, -5e-324]
ROUNDING = ["", "", " rounding<zero>", " rounding<positive_inf>", " rounding<negative_inf>"]
INPUTS, OUTPUTS, BLOCKS = 3, 3, 3


@dataclass
class Launch:
    """A launch of so many blocks on arrays in one memory, some of which may be the same or overlap. An array
    is given by its type and where its bytes begin and end."""

    blocks: int
    memory: np.ndarray
    arrays: list[tuple[np.dtype, int, int]]
    sizes: list[np.int32]

    def run(self, function: Callable[..., object]) -> list[np.ndarray]:
        """What the arrays are after the kernel."""
        memory = self.memory.copy()
        arrays = [memory[begin:end].view(dtype) for dtype, begin, end in self.arrays]
        with np.errstate(all="ignore"):
            function(*arrays, *self.sizes)
        return arrays


class Kernel(Lines):
    """name:   of the entry
    exact:  whether the interpreter gives the same bits: not if floats are summed, or with exp
    """

    def __init__(self, seed: int):
        chance = random.Random(seed)
        shape, kinds = chance.choice(SHAPES), [chance.choice([*STORED]) for _ in range(INPUTS + OUTPUTS)]
        if chance.random() < 0.4:
            kinds = [chance.choice([*STORED])] * (INPUTS + OUTPUTS)
        super().__init__(chance, shape, kinds)
        self.name, self.exact = f"nest_{seed}", True
        self._write()

    def __str__(self) -> str:
        names = [f"%a{i}: tile<ptr<{kind}>>" for i, kind in enumerate(self.kinds)]
        names += [f"%n{d}: tile<i32>" for d in range(len(self.shape))]
        body = "".join(f"  {line}\n" for line in self.lines)
        return f"entry @{self.name}({', '.join(names)}) {{\n{body}  return\n}}\n"

    def _write(self) -> None:
        self.lines.append("%i, %j, %k = get_tile_block_id : tile<i32>")
        self.lines.append("%zero = constant <i32: 0> : tile<i32>")
        for i in range(INPUTS):
            self._load(i)
        stores = sorted(self.random.choices(range(3, 14), k=OUTPUTS - 1))
        for step in range(14):
            self.statement()
            while stores and stores[0] <= step:
                self._store(INPUTS + len(stores) - 1)
                stores.pop()
        self._store(INPUTS + OUTPUTS - 1)

    def _load(self, i: int) -> None:
        self.access(i, None)

    def _store(self, i: int) -> None:
        here = [tile for tile in self.tiles if tile.shape == self.shape]
        self.access(i, self._converted(self.random.choice(here[-4:]), self.kinds[i]))

    def _some(self, kinds: list[str], shape: Shape | None = None) -> Tile:
        """A late tile of these kinds, made of another one if there is none."""
        shape = self.shape if shape is None else shape
        found = [tile for tile in self.tiles if tile.kind in kinds and tile.shape == shape]
        if found:
            return self.random.choice(found[-4:])
        others = [tile for tile in self.tiles if tile.shape == shape and tile.kind != "i1"]
        kind = self.random.choice(kinds)
        if not others:
            return self.number(kind, shape)
        return self._converted(self.random.choice(others[-4:]), kind)

    def _converted(self, tile: Tile, kind: str) -> Tile:
        if tile.kind == kind:
            return tile
        if tile.kind == "i1":
            tile = self.made_of(tile, "i32", tile.shape, f"exti {tile.name} unsigned")
            return self._converted(tile, kind)
        if tile.kind in WHOLE and kind in WHOLE:
            wider = WHOLE[kind](0).itemsize > WHOLE[tile.kind](0).itemsize
            sign = self.random.choice([" signed", " unsigned"]) if wider else ""
            text = f"{'exti' if wider else 'trunci'} {tile.name}{sign}"
            return self.made_of(tile, kind, tile.shape, text)
        if tile.kind in WHOLE and kind in SMALL_FLOATS:  # integers out of range differ
            tile = self._converted(tile, "f32")
        elif tile.kind in WHOLE:
            sign = self.random.choice(["signed", "unsigned"])
            return self.made_of(tile, kind, tile.shape, f"itof {tile.name} {sign}")
        if kind in WHOLE:
            if tile.kind in SMALL_FLOATS:
                tile = self._converted(tile, "f32")
            least = self.constant(tile.kind, tile.shape, "-100.0")
            most = self.constant(tile.kind, tile.shape, "100.0")
            low = self.let(tile.kind, tile.shape, f"maxf {tile.name}, {least.name} : {tile.type}")
            tile = self.let(tile.kind, tile.shape, f"minf {low.name}, {most.name} : {tile.type}")
            return self.made_of(tile, kind, tile.shape, f"ftoi {tile.name} signed")
        return self.made_of(tile, kind, tile.shape, f"ftof {tile.name}")

    # --- operations ---

    def statement(self) -> None:
        self.random.choice(_STATEMENTS)(self)

    def arithmetic(self) -> None:
        x = self._some([*FLOATS] if self.random.random() < 0.6 else [*WHOLE])
        y = self.random.choice([self._some([x.kind]), self.number(x.kind, x.shape)])
        if x.kind in FLOATS:
            name = self.random.choice(["addf", "subf", "mulf", "divf", "minf", "maxf"])
            mode = self.random.choice(ROUNDING) if name not in ("minf", "maxf") else ""
            if mode and x.kind in ("f16", "bf16"):
                mode = ""
            if name in ("minf", "maxf"):
                mode = self.random.choice(["", " propagate_nan"])
        else:
            names, mode = ["addi", "subi", "muli", "andi", "ori", "xori", "mini", "maxi"], ""
            name = self.random.choice(names)
            if name in ("mini", "maxi"):
                mode = self.random.choice([" signed", " unsigned"])
        self.keep(self.let(x.kind, x.shape, f"{name} {x.name}, {y.name}{mode} : {x.type}"))

    def fma(self) -> None:
        x = self._some([*FLOATS])
        y = self._some([x.kind])
        self.keep(self.let(x.kind, x.shape, f"fma {x.name}, {y.name}, {x.name} : {x.type}"))

    def unary(self) -> None:
        x = self._some([*FLOATS])
        name = self.random.choice(["absf", "negf", "sqrt", "floor", "ceil"])
        if name == "sqrt" and x.kind in ("f16", "bf16"):
            name = "negf"
        self.keep(self.let(x.kind, x.shape, f"{name} {x.name} : {x.type}"))

    def exponential(self) -> None:
        x = self._some(["f32", "f64"])
        self.exact = False
        name = self.random.choice(["exp", "tanh", "exp2", "rsqrt"] if x.kind == "f32" else ["exp", "tanh"])
        self.keep(self.let(x.kind, x.shape, f"{name} {x.name} : {x.type}"))

    def choose(self) -> None:
        x = self._some([*FLOATS, *WHOLE])
        y = self._some([x.kind])
        relation = self.random.choice(["less_than", "equal", "not_equal", "greater_than_or_equal"])
        text = f"cmpf {relation} {self.random.choice(['ordered', 'unordered'])} {x.name}, {y.name}"
        if x.kind in WHOLE:
            text = f"cmpi {relation} {x.name}, {y.name}, {self.random.choice(['signed', 'unsigned'])}"
        which = self.made_of(x, "i1", x.shape, text)
        self.keep(which)
        text = f"select {which.name}, {y.name}, {x.name} : {which.type}, {x.type}"
        self.keep(self.let(x.kind, x.shape, text))

    def convert(self) -> None:
        self.keep(self._converted(self._some([*STORED, "i1"]), self.random.choice([*STORED])))

    def position(self) -> None:
        self.keep(self.along(self.random.randrange(len(self.shape))))

    def turn(self) -> None:
        """Transposed, changed, and back again, or seen as another shape."""
        x = self._some([*STORED])
        if len(x.shape) == 1 or self.random.random() < 0.4:
            count = math.prod(x.shape)
            shape = self.random.choice([(count,), (count // 8, 8), (4, count // 4), (2, 4, count // 8)])
            there = self.made_of(x, x.kind, shape, f"reshape {x.name}")
            if self.random.random() < 0.5:
                there = self._changed(there)
            self.keep(self.let(x.kind, x.shape, f"reshape {there.name} : {there.type} -> {x.type}"))
            return
        order = list(range(len(x.shape)))
        self.random.shuffle(order)
        shape = tuple(x.shape[d] for d in order)
        there = self._changed(self.made_of(x, x.kind, shape, f"permute {x.name} {order}"))
        if shape != x.shape or self.random.random() < 0.8:
            back = [order.index(d) for d in range(len(order))]
            text = f"permute {there.name} {back} : {there.type} -> {x.type}"
            self.keep(self.let(x.kind, x.shape, text))
        self.keep(there)

    def _changed(self, x: Tile, y: Tile | None = None) -> Tile:
        y = y or self._some([x.kind], x.shape)
        if x.kind in FLOATS:
            return self.let(x.kind, x.shape, f"subf {x.name}, {y.name} : {x.type}")
        if x.kind in WHOLE:
            return self.let(x.kind, x.shape, f"addi {x.name}, {y.name} : {x.type}")
        return x

    def fold(self) -> None:
        x = self._some([*FLOATS, *WHOLE])
        dim = self.random.randrange(len(x.shape))
        body, name = self._body(x.kind), "reduce"
        shape = tuple(n for d, n in enumerate(x.shape) if d != dim)
        if self.random.random() < 0.4:
            name, shape = "scan", x.shape
        mode = f" reverse={self.random.choice(['true', 'false'])}" if name == "scan" else ""
        function, identity = body
        self._count += 1
        n = self._count
        tile = self.let(
            x.kind,
            shape,
            f"{name} {x.name} dim={dim}{mode} identities=[{identity} : {x.kind}] : {x.type} -> "
            f"{tile_type(x.kind, shape)} (%e{n}: tile<{x.kind}>, %f{n}: tile<{x.kind}>) {{ "
            f"%g{n} = {function.format(f'%e{n}, %f{n}')} : tile<{x.kind}> yield %g{n} : tile<{x.kind}> }}",
        )
        if name == "reduce":
            thin = tuple(1 if d == dim else n for d, n in enumerate(x.shape))
            if thin != shape:
                tile = self.made_of(tile, x.kind, thin, f"reshape {tile.name}")
            tile = self.broadcast(tile)
        self.keep(tile)

    def _body(self, kind: str) -> tuple[str, str]:
        if kind in WHOLE:
            least, most = np.iinfo(WHOLE[kind]).min, np.iinfo(WHOLE[kind]).max
            choices = [("addi {}", "0"), ("muli {}", "1"), ("xori {}", "0"), ("maxi {} signed", str(least))]
            choices += [("mini {} signed", str(most)), ("maxi {} unsigned", "0"), ("andi {}", "-1")]
            return self.random.choice(choices)
        function = self.random.choice(["addf {}", "mulf {}", "maxf {}", "minf {}", "maxf {} propagate_nan"])
        if function[:4] in ("addf", "mulf"):
            self.exact = False
        infinite = {"f16": "0xFC00", "bf16": "0xFF80", "f32": "0xFF800000", "f64": "0xFFF0000000000000"}
        nan = {"f16": "0x7E00", "bf16": "0x7FC0", "f32": "0x7FC00000", "f64": "0x7FF8000000000000"}
        if "propagate_nan" in function:
            return function, infinite[kind]
        return function, {"addf": "0.0", "mulf": "1.0"}.get(function[:4], nan[kind])

    def greatest(self) -> None:
        """The greatest elements, so far or of all, and where they are; which of equal ones depends on the
        order."""
        self.exact = False
        x = self._some([*FLOATS, *WHOLE])
        dim = self.random.randrange(len(x.shape))
        if x.shape[dim] == 1:
            return
        scans, where = self.random.random() < 0.4, self.along(dim)
        shape = x.shape if scans else tuple(n for d, n in enumerate(x.shape) if d != dim)
        mode = f" reverse={self.random.choice(['true', 'false'])}" if scans else ""
        self._count += 1
        n, kinds = self._count, (x.kind, "i32")
        e, f, p, q = (f"%{name}{n}" for name in "efpq")
        least = {"f64": "0xFFF0000000000000", "f32": "0xFF800000", "f16": "0xFC00", "bf16": "0xFF80"}
        lowest = least.get(x.kind) or str(np.iinfo(WHOLE[x.kind]).min)
        compare = (
            f"cmpf greater_than ordered {e}, {f}"
            if x.kind in FLOATS
            else f"cmpi greater_than {e}, {f}, signed"
        )
        lines = [
            f"%s{n} = {compare} : tile<{x.kind}> -> tile<i1>",
            f"%t{n} = select %s{n}, {e}, {f} : tile<i1>, tile<{x.kind}>",
            f"%u{n} = select %s{n}, {p}, {q} : tile<i1>, tile<i32>",
            f"yield %t{n}, %u{n} : tile<{x.kind}>, tile<i32>",
        ]
        arguments = f"{e}: tile<{x.kind}>, {f}: tile<{x.kind}>, {p}: tile<i32>, {q}: tile<i32>"
        types = ", ".join(tile_type(kind, shape) for kind in kinds)
        self.lines.append(
            f"%h{n}, %i{n} = {'scan' if scans else 'reduce'} {x.name}, {where.name} dim={dim}{mode} "
            f"identities=[{lowest} : {x.kind}, 0 : i32] : {x.type}, {where.type} -> {types} "
            f"({arguments}) {{ {' '.join(lines)} }}"
        )
        thin = shape if scans else tuple(1 if d == dim else n for d, n in enumerate(x.shape))
        for name, kind in zip((f"%h{n}", f"%i{n}"), kinds, strict=True):
            tile = Tile(name, kind, shape)
            if thin != shape:
                tile = self.made_of(tile, kind, thin, f"reshape {name}")
            self.keep(tile if scans else self.broadcast(tile))

    def split(self) -> None:
        """Halves of tiles, changed and put together again, perhaps the other way round. Which half is the
        first one may depend on an argument."""
        dims = [d for d, n in enumerate(self.shape) if n > 1]
        x, d = self._some([*STORED]), self.random.choice(dims)
        whole, half = x.type, tuple(n // 2 if e == d else n for e, n in enumerate(x.shape))
        parts, one = [], self.constant("i32", (), "1")
        swap = (
            self.let("i32", (), f"andi %n0, {one.name} : {one.type}") if self.random.random() < 0.5 else None
        )
        for number in (0, 1):
            numbers = [self.constant("i32", (), str(number if e == d else 0)) for e in range(len(half))]
            if swap is not None:
                numbers[d] = self.let("i32", (), f"xori {numbers[d].name}, {swap.name} : {swap.type}")
            at = [found.name for found in numbers]
            text = f"extract {x.name}[{', '.join(at)}] : {whole} -> {tile_type(x.kind, half)}"
            parts.append(self.let(x.kind, half, text))
        if self.random.random() < 0.5:
            parts = [self._changed(part, parts[1]) for part in parts]
        first, second = self.random.choice([parts, parts[::-1], [parts[0], parts[0]]])
        text = f"cat {first.name}, {second.name} dim = {d} : {first.type}, {first.type} -> {whole}"
        self.keep(self.let(x.kind, x.shape, text))

    def loop(self) -> None:
        x = self._some([*FLOATS, *WHOLE])
        add = "addf" if x.kind in FLOATS else "addi"
        y = self._some([x.kind])
        self._count += 1
        n = self._count
        counts = self.constant("i32", (), "3"), self.constant("i32", (), "1")
        lines = [
            f"%c{n} = {add} %b{n}, {y.name} : {x.type}",
            f"%d{n} = {'maxf' if x.kind in FLOATS else 'xori'} %c{n}, {x.name} : {x.type}",
        ]
        looped = self.let(
            x.kind,
            x.shape,
            f"for %i{n} in (%zero to {counts[0].name}, step {counts[1].name}) : tile<i32> "
            f"iter_values(%b{n} = {x.name}) -> ({x.type}) {{ {' '.join(lines)} continue %d{n} : {x.type} }}",
        )
        self.keep(looped)

    # --- launches ---

    def launch(self, rng: np.random.Generator, overlap: bool) -> Launch:
        """How many elements exist along each dimension, and what they are. Blocks whose arrays overlap would
        depend on each other, so there is only one."""
        sizes = [int(rng.integers(1, n + 1)) if n > 1 and rng.random() < 0.7 else n for n in self.shape]
        if rng.random() < 0.7:
            sizes[0] = int(rng.integers(1, BLOCKS * self.shape[0] + 1))
        room = 8 * (2 * BLOCKS * math.prod(self.shape) + 64)
        memory, arrays = np.zeros((INPUTS + OUTPUTS) * room, np.uint8), []
        for i, kind in enumerate(self.kinds):
            dtype, begin = np.dtype(STORED[kind]), i * room
            alike = [j for j in range(i) if self.kinds[j] == kind]
            if overlap and alike and rng.random() < 0.6:
                shift = int(rng.integers(-3, 4)) * int(rng.choice([0, 1, 1, 16]))
                begin = max(0, int(rng.choice(alike)) * room + shift * dtype.itemsize)
            else:
                part = memory[begin : begin + room].view(dtype)
                part[:] = self._values(rng, dtype, len(part))
            arrays.append((dtype, begin, begin + room))
        return Launch(1 if overlap else BLOCKS, memory, arrays, [np.int32(n) for n in sizes])

    def _values(self, rng: np.random.Generator, dtype: np.dtype, count: int) -> np.ndarray:
        if dtype.kind == "i":
            info = np.iinfo(dtype)
            values = rng.integers(info.min, info.max, count, dtype, endpoint=True)
            values[rng.integers(0, count, 16)] = rng.choice([0, -1, info.min, info.max], 16)
            return values
        real = rng.standard_normal(count) * 10.0 ** rng.integers(-3, 4, count)
        places = rng.integers(0, count, count // 8)
        real[places] = rng.choice(SPECIAL, len(places))
        with np.errstate(all="ignore"):
            return real.astype(dtype)


_STATEMENTS = [
    *[Kernel.arithmetic] * 4,
    Kernel.fma,
    Kernel.unary,
    Kernel.exponential,
    *[Kernel.choose] * 2,
    *[Kernel.convert] * 2,
    Kernel.position,
    *[Kernel.turn] * 2,
    *[Kernel.fold] * 2,
    Kernel.greatest,
    Kernel.split,
    Kernel.loop,
]
