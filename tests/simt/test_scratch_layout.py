"""The layout of elements in scratch memory between two distributions, from the places that the header
computes: places are distinct, vectors stay together, and accesses of a warp are free of bank conflicts."""

from __future__ import annotations

import pytest
from holds import broken

SOURCE = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
using namespace ct::detail;

/// Whether lanes [first, first + count) of a warp, each at `address(lane)` in bytes or not at all (~0u),
/// access one word of each bank at most.
template <typename Address>
constexpr bool meets_no_conflict(unsigned first, unsigned count, unsigned bytes, Address address) {
  unsigned word_of_bank[32] = {};
  for (unsigned lane = first; lane < first + count; ++lane) {
    if (address(lane) == ~0u)
      continue;
    for (unsigned byte = 0; byte < bytes; byte += 4) {
      unsigned const word = (address(lane) + byte) / 4;
      if (word_of_bank[word % 32] != 0 && word_of_bank[word % 32] != word + 1)
        return false;
      word_of_bank[word % 32] = word + 1;
    }
  }
  return true;
}

/// Each access of each warp, a slot or a vector of slots: of up to 4 bytes 32 lanes are served at once, of 8
/// bytes 16, of 16 bytes 8.
template <typename Layout, typename E, unsigned Part, unsigned Vector, typename Pattern, typename Active>
constexpr bool meets_no_conflicts(unsigned size, unsigned offset, Active active) {
  constexpr unsigned threads = ct::platform::block_threads, bytes = sizeof(E) << Vector;
  constexpr unsigned served = bytes <= 4 ? 32 : 128 / bytes;
  for (unsigned begin = 0; begin < size; begin += Part)
    for (unsigned s = 0; s < Pattern::slots; s += 1u << Vector)
      for (unsigned first = 0; first < threads; first += served) {
        auto address = [&](unsigned t) {
          unsigned const i = Pattern::index(t, s) ^ offset;
          return active(t) && i - begin < Part ? Layout::place(i % Part) * unsigned(sizeof(E)) : ~0u;
        };
        if (!meets_no_conflict(first, served, bytes, address))
          return false;
      }
  return true;
}

/// Whether each element of a part has a place of its own, and vectors stay together.
template <typename Layout, unsigned Part>
constexpr bool keeps_elements_apart() {
  bool taken[Part] = {};
  constexpr auto swizzle = Layout::swizzle;
  constexpr unsigned vector = 1u << (swizzle.write > swizzle.read ? swizzle.write : swizzle.read);
  for (unsigned i = 0; i < Part; ++i) {
    unsigned const place = Layout::place(i);
    if (place >= Part || taken[place] || place != Layout::place(i / vector * vector) + i % vector)
      return false;
    taken[place] = true;
  }
  return true;
}

/// Whether places of threads and of slots add up as for_each_place has them.
template <typename Layout, unsigned Part, typename Pattern>
constexpr bool adds_up(unsigned others, unsigned offset) {
  unsigned const shared = Layout::template bits_of_threads<Pattern>(others);
  for (unsigned t = 0; t < ct::platform::block_threads; ++t)
    for (unsigned s = 0; s < Pattern::slots; ++s) {
      unsigned const first = Layout::place(Pattern::index(t, 0) ^ offset);
      unsigned const place = Layout::place(Pattern::index(0, s));
      if ((first ^ (place & shared)) + (place & ~shared) != Layout::place(Pattern::index(t, s) ^ offset))
        return false;
    }
  return true;
}

template <typename E, typename From, bool Transposed, typename To, typename Index>
constexpr bool check() {
  using write = held_index<From, Transposed>;
  using read = taken_index<To, Index>;
  constexpr unsigned size = distribution_of<From>::size;
  constexpr unsigned part = least(size, unsigned(ct::platform::scratch_bytes / sizeof(E)));
  using layout = scratch_layout<E, part, write, read>;
  constexpr unsigned offsets = (size - 1) & ~Index::of(distribution_of<To>::size - 1);
  auto writes = [](unsigned t) { return write::form::first(t); };
  auto reads = [](unsigned) { return true; };
  return keeps_elements_apart<layout, part>() && adds_up<layout, part, write>(0, 0) &&
         adds_up<layout, part, read>(offsets, offsets) &&
         meets_no_conflicts<layout, E, part, layout::swizzle.write, write>(size, 0, writes) &&
         meets_no_conflicts<layout, E, part, layout::swizzle.read, read>(size, offsets, reads);
}

template <typename From, typename To>
using of_reshape = strided_index<To, row_major_steps<To>>;
template <typename From, typename To>
using of_broadcast = strided_index<To, broadcast_steps<From, To::rank()>>;
template <typename From, typename To>
using of_extract = strided_index<To, row_major_steps<From>>;
template <typename From, typename To, int... Dimensions>
using of_permute = strided_index<To, permuted_steps<From, ct::dimension_map<Dimensions...>>>;
"""

# Name, shape, form, shape of the result, places in the first shape.
CASES = [
    ("transposed rows and columns", "64, 64", "true", "64, 64", "same_index"),
    ("transposed tall", "128, 16", "true", "128, 16", "same_index"),
    ("transposed wide", "32, 128", "true", "32, 128", "same_index"),
    ("transposed batches", "2, 32, 32", "true", "2, 32, 32", "same_index"),
    ("permuted small", "8, 32", "false", "32, 8", "of_permute<From, To, 1, 0>"),
    ("permuted runs", "4, 256", "false", "256, 4", "of_permute<From, To, 1, 0>"),
    ("permuted three", "8, 16, 32", "false", "32, 8, 16", "of_permute<From, To, 2, 0, 1>"),
    ("permuted outer", "4, 8, 64", "false", "8, 4, 64", "of_permute<From, To, 1, 0, 2>"),
    ("permuted four", "2, 16, 4, 16", "false", "16, 2, 16, 4", "of_permute<From, To, 3, 0, 1, 2>"),
    ("reshaped to rows", "2048", "false", "32, 64", "of_reshape<From, To>"),
    ("reshaped to runs", "32, 64", "false", "2048", "of_reshape<From, To>"),
    ("reshaped transposed", "32, 64", "true", "64, 32", "of_reshape<From, To>"),
    ("reshaped column", "64", "false", "64, 1", "of_reshape<From, To>"),
    ("broadcast row", "1, 64", "false", "64, 64", "of_broadcast<From, To>"),
    ("broadcast column", "64, 1", "false", "64, 64", "of_broadcast<From, To>"),
    ("broadcast vector", "128", "false", "16, 128", "of_broadcast<From, To>"),
    ("broadcast middle", "16, 1, 8", "false", "16, 32, 8", "of_broadcast<From, To>"),
    ("halves behind", "64, 32", "false", "64, 64", "index_in_half<32>"),
    ("halves below", "32, 64", "false", "64, 64", "index_in_half<2048>"),
    ("extracted columns", "64, 64", "false", "64, 16", "of_extract<From, To>"),
    ("extracted rows", "64, 64", "false", "16, 64", "of_extract<From, To>"),
    ("extracted run", "2048", "false", "256", "of_extract<From, To>"),
]
ELEMENTS = ["unsigned char", "unsigned short", "unsigned", "unsigned long long"]


def _broken(threads: int, cases: list[tuple[str, tuple]]) -> list[str]:
    source, conditions = SOURCE, {}
    for i, (element, (title, first, form, second, index)) in enumerate(cases):
        source += f"namespace n{i} {{\nusing From = ct::shape<{first}>;\nusing To = ct::shape<{second}>;\n"
        source += f"constexpr bool holds() {{ return check<{element}, From, {form}, To, {index}>(); }}\n}}\n"
        conditions[f"{title} of {element}"] = f"n{i}::holds()"
    return broken(source, conditions, threads)


@pytest.mark.sampled(8)
@pytest.mark.parametrize(("threads", "elements"), [(32, 0), (64, 1), (128, 0), (256, 1)])
def test_no_bank_conflicts(threads, elements):
    """For each number of threads, all shapes with elements of two of the four sizes."""
    cases = [(ELEMENTS[(i + elements) % 2 * 2 + i // 2 % 2], case) for i, case in enumerate(CASES)]
    assert _broken(threads, cases) == []


def test_tiles_that_pass_in_parts():
    case = ("two parts", "64, 128", "true", "64, 128", "same_index")
    assert _broken(128, [("unsigned long long", case)]) == []
