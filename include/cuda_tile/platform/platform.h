// The platform: what a machine has to provide, in namespace `platform`. Higher layers use the following names
// and no others, and know nothing of compilers and processors. Sections of the manual are in brackets.
//
// Every platform has:
// - block_threads: threads that share a block
// - block_index: index of the block in the grid
// - grid_blocks: number of blocks in the grid
// - bit_cast: the same bits as another type
// - copy: copies a constant number of bytes
// - assume: tells the compiler that a condition holds
// - add, sub, mul, div, fma: for float and double, rounded once
// - fmod: remainder of float and double with the sign of the dividend, exact
// - multiply_add: a * b + c as fast as the machine has it, rounded once or twice
// - rounded: a namespace with add, sub, mul, div, fma and sqrt in a directed rounding mode
// - approximate_div, full_div, approximate_sqrt: for float, within the errors of [2.2.6] and [2.4.8]
// - ceil, floor, sqrt: exact, or correctly rounded
// - exp, exp2, log, log2, pow, rsqrt: within the errors of [2.4]
// - sin, cos, tan, sinh, cosh, tanh, atan2: the same
// - to_float: a double, rounded
// - as_float: an integer as float or double, rounded
// - small_floats_convert: whether small floats are converted by the operators of their types
//
// Platforms that run kernels have these; order and scope are the values of [2.13.7] and [2.13.8]:
// - atomic_load, atomic_store, atomic_exchange, atomic_compare_exchange: for one element
// - atomic_update: *p becomes f(*p)
// - atomic_add, has_atomic_add: *p becomes *p + value, where the machine has such an instruction
//
// For blocks of several threads:
// - thread: index of the thread in its block
// - barrier: waits for all threads of the block
// - scratch: memory that the block's threads share
// - scratch_bytes, scratch_limit: how much of it an exchange uses at a time, and an operation at most
// - shuffle_xor: the value that another thread of the same warp holds
// - load_aligned, store_aligned, store_global: 2 to 16 bytes at once, at a multiple of that
// - load_first, store_first: the first elements of such a vector
// - opaque: a pointer whose value is hidden from the compiler
//
// For blocks of one thread, on a host:
// - hidden: the same number or vector, of which the compiler does not know what made it
// - vector, vector_bytes, vector_registers: vectors as wide as the processor's
// - vector_of_most, lanes_of_most: a vector of some elements, or a whole one
// - signed_of_size, bits_of_element: integers of some size, or of that of an element
// - load_vector, store_vector, copy_vectors, copy_first: of vectors
// - shuffle_lanes, shift_lanes, rotate_lanes, splat_last: the lanes of vectors in another order
// - join_vectors: the lanes of two vectors in one
// - has_partial_vectors, load_part_of_vectors, store_part_of_vectors, load_where, store_where: vectors of
//   which a part exists
// - has_exp_of_vectors, exp_of_vector: exp of each float of a vector
// - has_division_by_one, is_moderate_divisor, are_moderate_dividends, divide_by_one: quotients by one number
// - sin_of_moderate, cos_of_moderate, tan_of_moderate: sin, cos and tan of angles for which they vectorise
// - large_angle, is_large_angle: the least angle for which they do not; NaN is one, too
// - is_zero: whether all bits of a vector are 0
// - halves_at_once, floats_of_halves, floats_of_two: half to float, by the processor's instructions
// - halves_of_floats, halves_of_two, rounded_to_half: float to half, or to what half can hold, likewise
// - widen_bytes: bytes as numbers of 32 bits, a vector of them
// - bfloat16s_at_once, bfloat16s_of_floats: conversions to bfloat16, likewise
// - has_streaming_stores, is_worth_streaming, stream: stores that bypass the caches, for arrays of that size
// - note_load, was_just_loaded: whether memory is in the caches already
// - atomic_word, atomic_update_word: the bytes of a word become f(these)
// - current_block: the launcher's description of the block
//
// For checked builds:
// - report: reports a violation; returns if its kind is ignored
// - check_access: called before memory is accessed; does not return if it must not be
// - copy_bytes: copies a number of bytes
// - add_overflows, sub_overflows, mul_overflows: for signed integers
//
// For matrix products (mma_sync.h, wgmma.h, host_amx.h, note_mma.h):
// - note_mma: marks in the compiled code, at no cost, what multiplies
// - add_lanes, add_products_of_pairs, multiply_add_vectors: for a host's vectors
// - amx: a namespace with the instructions of AMX
// - matrix_arch, multiply_matrices, load_matrices, transpose_matrix: mma.sync, ldmatrix and movmatrix
// - select_bytes, multiply_halves: for registers that hold several elements
// - begin_wgmma, multiply_wgmma, commit_wgmma, publish_to_wgmma, shared_address: wgmma
// - finish_groups, finish_sums: wait for the sums of warp groups
#pragma once

#include "cuda_tile/config.h"

#include CUDA_TILE_PLATFORM
