// The vocabulary of record mode: functions that are declared and never defined, which
// pycuda_tile/tileir/cxx reads back in LLVM IR. The mangled name of a call says what is called: its first
// template argument is one of the operations below, with element types, shapes and modes as arguments.
#pragma once

namespace cuda_tile::record {

struct value; // incomplete: a tile is known by its address, which is never looked at
using handle = value*;

/// A function of its operands alone, so that LLVM may merge, move and drop calls.
template <typename Operation, typename Result, typename... Operands>
[[gnu::const]] Result pure(Operands...) noexcept;

/// Acts on memory: stays where it is.
template <typename Operation, typename Result, typename... Operands>
[[clang::convergent]] Result effect(Operands...) noexcept;

// --- types in operations ---

/// A tile; () is a scalar.
template <typename E, unsigned... Lengths>
struct tile;

// --- between tiles and generic elements ---

template <typename T>
struct element; // tile -> the generic element, on which scalar instructions act
template <typename T>
struct tile_of_element; // generic element -> tile, broadcast where it is a plain scalar
template <typename T>
struct only_element; // tile of one element -> scalar
template <typename E, int I>
struct argument; // of the body of a reduction or scan: 0 or 1

// --- shapes ---

template <typename T>
struct iota;
template <typename T>
struct reshape;
template <typename T>
struct broadcast;
template <typename T, unsigned... Map>
struct permute;
template <typename T>
struct listed; // the elements, which are constants
template <typename T, unsigned Dimension>
struct cat;
template <typename T>
struct extract; // tile, index in each dimension
template <typename T>
struct insert; // tile, part, index in each dimension
template <typename T, typename Source, unsigned Dimension>
struct repack;

// --- reductions, scans, products ---

template <typename T, unsigned Dimension>
struct reduce; // tile, result of the body, identity
template <typename T, unsigned Dimension>
struct scan;
template <typename T, bool LhsSigned, bool RhsSigned>
struct mma; // lhs, rhs, accumulator
template <typename T, typename Lhs, typename Rhs>
struct scaled_mma; // lhs, rhs, accumulator, scales of lhs, scales of rhs

// --- elementwise functions that scalar instructions do not say ---

template <typename To, typename From, int... Mode>
struct convert; // of and to the small floating point types, or in a rounding mode
template <typename To, typename From>
struct saturated; // a float as an integer, the nearest one that there is
template <typename Function, typename E, int... Modes>
struct elementwise;
template <typename E>
struct powi; // base, an integer
namespace functions {
struct add;
struct sub;
struct mul;
struct div;
struct fma;
struct sqrt;
struct remainder;
struct ceildiv;
struct floordiv;
struct mulhi;
struct max;
struct min;
struct abs;
struct negate;
struct approximate_div;
struct full_div;
struct approximate_sqrt;
struct approximate_exp;
struct approximate_tanh;
struct ceil;
struct floor;
struct exp;
struct exp2;
struct log;
struct log2;
struct pow;
struct rsqrt;
struct sin;
struct cos;
struct tan;
struct sinh;
struct cosh;
struct tanh;
struct atan2;
} // namespace functions

// --- memory: Order -1 is a weak access, else a memory_order; Scope is a thread_scope ---

template <typename T, int Order, int Scope>
struct load_pointers; // pointers, or pointers, mask, padding
template <typename T, int Order, int Scope>
struct store_pointers; // pointers, value, mask
template <typename T, typename Function, int Order, int Scope>
struct update_pointers; // pointers, value, mask
template <typename T, int Order, int Scope>
struct exchange_pointers; // pointers, comparand, value, mask
// Of views, whose Chunks begin as far apart as a tile is long, or are gathered; Padding -1: not masked.
template <unsigned Dimension>
struct gathered; // along one dimension the index is a tile
template <typename T, typename Chunks, int Padding, int Order, int Scope>
struct load_view; // address, indices, extents, strides
template <typename T, typename Chunks, int Padding, int Order, int Scope>
struct store_view; // the same, value
template <typename T, typename Chunks, typename Function, int Padding, int Order, int Scope>
struct update_view; // the same, value
namespace functions {
struct bit_and;
struct bit_or;
struct bit_xor;
struct exchange;
} // namespace functions

// --- the rest ---

template <typename T>
struct next_index; // of an irange: index, step, whose sum does not wrap
template <int Axis>
struct block_index;
template <int Axis>
struct block_count;
template <typename T, long long Divisor, int Stride, int Dimension>
struct assume_divisible; // Stride 0: each element
template <typename T, long long Lower, long long Upper>
struct assume_bounded;
template <typename T, unsigned... Lengths>
struct assume_blocked;
template <typename T>
struct print;     // label or null, tile; T is an element type for a scalar
struct formatted; // printf with tiles: format, arguments
struct asserted;  // bool, message
struct hints;     // of the statement that follows: its number, architectures and values

} // namespace cuda_tile::record
