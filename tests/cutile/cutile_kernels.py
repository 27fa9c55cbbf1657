"""Kernels for NVIDIA's cuda-tile package, whose decorators turn them into Tile IR."""

from __future__ import annotations

import cuda.tile as ct

ConstInt = ct.Constant[int]
ConstFloat = ct.Constant[float]
ZERO = ct.PaddingMode.ZERO


@ct.kernel
def transpose(a, b, m: ConstInt, n: ConstInt):
    i, j = ct.bid(0), ct.bid(1)
    tile = ct.load(a, index=(i, j), shape=(m, n))
    ct.store(b, index=(j, i), tile=ct.transpose(tile))


@ct.kernel
def layer_norm(x, weight, bias, out, n: ConstInt, columns: ConstInt, epsilon: ConstFloat):
    """Each row, in tiles of n columns: two passes for mean and variance, one for the result."""
    row, tiles = ct.bid(0), ct.num_tiles(x, axis=1, shape=(1, n))
    total = ct.zeros((1, n), dtype=ct.float32)
    for j in range(tiles):
        total += ct.load(x, index=(row, j), shape=(1, n), padding_mode=ZERO)
    mean = ct.sum(total, axis=1, keepdims=True) / columns
    squares = ct.zeros((1, n), dtype=ct.float32)
    for j in range(tiles):
        tile = ct.load(x, index=(row, j), shape=(1, n), padding_mode=ZERO)
        inside = (j * n + ct.arange(n, dtype=ct.int32)) < columns
        centred = ct.where(ct.reshape(inside, (1, n)), tile - mean, 0.0)
        squares += centred * centred
    scale = ct.rsqrt(ct.sum(squares, axis=1, keepdims=True) / columns + epsilon)
    for j in range(tiles):
        tile = ct.load(x, index=(row, j), shape=(1, n), padding_mode=ZERO)
        w = ct.load(weight, index=(j,), shape=(n,), padding_mode=ZERO)
        b = ct.load(bias, index=(j,), shape=(n,), padding_mode=ZERO)
        ct.store(
            out, index=(row, j), tile=(tile - mean) * scale * ct.reshape(w, (1, n)) + ct.reshape(b, (1, n))
        )


@ct.kernel
def softmax(x, out, n: ConstInt):
    """A row fits in one tile; elements beyond it are minus infinity."""
    row = ct.bid(0)
    tile = ct.load(x, index=(row, 0), shape=(1, n), padding_mode=ct.PaddingMode.NEG_INF)
    powers = ct.exp(tile - ct.max(tile, axis=1, keepdims=True))
    ct.store(out, index=(row, 0), tile=powers / ct.sum(powers, axis=1, keepdims=True))


@ct.kernel
def maximum(x, largest, place, n: ConstInt):
    """The largest element of all, and where it is."""
    tile = ct.load(x, index=(0,), shape=(n,), padding_mode=ct.PaddingMode.NEG_INF)
    ct.store(largest, index=(0,), tile=ct.max(tile, axis=0, keepdims=True))
    ct.store(place, index=(0,), tile=ct.argmax(tile, axis=0, keepdims=True))


@ct.kernel
def fft(real, imag, cos1, sin1, cos2, sin2, cos3, sin3, out_real, out_imag, n1: ConstInt, n2: ConstInt):
    """A transform of n1 n2 points: n1-point ones along columns, twiddle factors, n2-point ones along rows.

    Complex matrices are given as two real ones; the result is transposed.
    """
    row = ct.bid(0)
    a = ct.reshape(ct.load(real, index=(row, 0), shape=(1, n1 * n2)), (n1, n2))
    b = ct.reshape(ct.load(imag, index=(row, 0), shape=(1, n1 * n2)), (n1, n2))
    c = ct.load(cos1, index=(0, 0), shape=(n1, n1))
    s = ct.load(sin1, index=(0, 0), shape=(n1, n1))
    u = ct.matmul(c, a) - ct.matmul(s, b)
    v = ct.matmul(c, b) + ct.matmul(s, a)
    c = ct.load(cos2, index=(0, 0), shape=(n1, n2))
    s = ct.load(sin2, index=(0, 0), shape=(n1, n2))
    a = u * c - v * s
    b = u * s + v * c
    c = ct.load(cos3, index=(0, 0), shape=(n2, n2))
    s = ct.load(sin3, index=(0, 0), shape=(n2, n2))
    u = ct.matmul(a, c) - ct.matmul(b, s)
    v = ct.matmul(a, s) + ct.matmul(b, c)
    ct.store(out_real, index=(row, 0), tile=ct.reshape(ct.transpose(u), (1, n1 * n2)))
    ct.store(out_imag, index=(row, 0), tile=ct.reshape(ct.transpose(v), (1, n1 * n2)))


@ct.kernel
def attention(
    q, k, v, out, m: ConstInt, n: ConstInt, d: ConstInt, scale: ConstFloat, causal: ct.Constant[bool]
):
    """Softmax(scale q k^T) v, row block by row block, with a running maximum and sum."""
    head, block = ct.bid(0), ct.bid(1)
    queries = ct.reshape(ct.load(q, index=(head, block, 0), shape=(1, m, d), padding_mode=ZERO), (m, d))
    total = ct.zeros((m, d), dtype=ct.float32)
    largest = ct.full((m, 1), -1e30, dtype=ct.float32)
    weight = ct.zeros((m, 1), dtype=ct.float32)
    rows = ct.reshape(block * m + ct.arange(m, dtype=ct.int32), (m, 1))
    for j in range(ct.num_tiles(k, axis=1, shape=(1, n, d))):
        keys = ct.reshape(ct.load(k, index=(head, j, 0), shape=(1, n, d), padding_mode=ZERO), (n, d))
        values = ct.reshape(ct.load(v, index=(head, j, 0), shape=(1, n, d), padding_mode=ZERO), (n, d))
        scores = ct.mma(queries, ct.transpose(keys), ct.zeros((m, n), dtype=ct.float32)) * scale
        columns = ct.reshape(j * n + ct.arange(n, dtype=ct.int32), (1, n))
        seen = columns < k.shape[1]
        if causal:
            seen = seen & (columns <= rows)
        scores = ct.where(seen, scores, -1e30)
        new = ct.maximum(largest, ct.max(scores, axis=1, keepdims=True))
        powers = ct.where(seen, ct.exp(scores - new), 0.0)
        shrink = ct.exp(largest - new)
        weight = weight * shrink + ct.sum(powers, axis=1, keepdims=True)
        total = ct.mma(ct.astype(powers, q.dtype), values, total * shrink)
        largest = new
    ct.store(out, index=(head, block, 0), tile=ct.reshape(ct.astype(total / weight, out.dtype), (1, m, d)))


@ct.kernel
def recurrence(a, b, out, n: ConstInt):
    """out[j] = a[j] * out[j - 1] + b[j]"""

    def step(previous_a, previous_b, a, b):
        return previous_a * a, a * previous_b + b

    _, result = ct.scan((ct.load(a, (0,), (n,)), ct.load(b, (0,), (n,))), 0, step, (1.0, 0.0))
    ct.store(out, (0,), result)
