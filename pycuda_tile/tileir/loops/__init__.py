"""Fused code for the CPU: modules of Tile IR as loop nests in C++.

Op by op (lower/), a tile is an array and each operation a loop over it. Here neighbouring operations share
loops, and what passes from one to the next stays in registers. A kernel goes through these steps:

1. `simplify` makes a copy that is easier to fuse.
2. `variables` finds which tiles that conditionals and loops hand on need no copies; `contraction` finds
   matrix products whose factors come straight from memory and whose sums stay where they are, and
   `stored_sums` those that may be made where they are stored; `products` writes them. `shared_sums` finds
   and writes atomic additions to which blocks add together before memory changes.
   `slices` finds loops whose rounds run for one row of their tiles after the other.
3. `groups` finds neighbouring operations that may share loops. For each group,
   - `axes` finds which dimensions of which tiles are the same loop,
   - `affine` finds tiles of pointers that are as regular as views, and masks that are bounds;
     `quasi_affine` finds those that loops can compute although their steps change,
   - `effects` finds what keeps the order of loads and stores: which must not overlap,
   - `stages` orders the loops and divides the work among them; `short_rows` says which have too little.
4. `vectors` says how values are held in C++, and `emit` writes the loops, with `folds` for reductions and
   scans and `gathers` for accesses whose places are computed, by the functions that `indices` writes;
   `places` writes the addresses, bounds and tests before them, `ahead` finds what to fetch for the next
   block, `rounding` which strips of half and bfloat16 stay floats, and `extrema` which maxima and minima
   are one comparison.

Operations of which there is no rule run on whole tiles between the groups, translated op by op; `rows` and
`folding` have shorter code for some, and Fallback says why there is no rule. A group whose test fails when
it runs, for example because its arrays overlap, also runs op by op.
Elementwise results and reductions have the same bits both ways; products may be summed in another order.
"""

from .translate import fuse

__all__ = ["fuse"]
