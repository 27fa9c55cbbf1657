// The matrix instructions of platform/cuda_wgmma.h, emulated thread by thread: operands are found where PTX
// 9.7.15.5.1 says that descriptors and swizzling put them. As on the device, products are computed at some
// time before the wait for them ends, here as late as possible. Until then sums are NaN, or integers near
// 2^31, whose bits say which sums they will become. Unlike on devices, fp8 is also accumulated as float.
#pragma once

#include "cuda_tile/core/convert.h"
#include "cuda_tile/platform/emulated.h"
#include "cuda_tile/platform/emulated_mma_sync.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::platform {

/// One instruction that a thread started: `step` adds its product to sums, whose type it knows.
struct group_step {
  void (*step)(unsigned* sums, unsigned long long a, unsigned long long b);
  unsigned long long a, b;
};
/// The instructions that a thread started since it last waited, and the sums of the last groups that it
/// waited for. Sums that are not asked for before that many other groups are computed are never filled in.
struct group_state {
  static constexpr unsigned most_sums = 128, most_steps = 64, remembered = 32, numbered = 8192;
  unsigned sums[remembered][most_sums];
  group_step steps[most_steps];
  unsigned step_count, group; // number of the group
};
constinit inline thread_local group_state group_states[block_threads] = {};

/// The bits of sum `slot` of a group that is open.
inline unsigned open_bits(unsigned group, unsigned slot) {
  return 0x7fa00000 | group % group_state::numbered * group_state::most_sums | slot;
}

inline void publish_to_wgmma() {}
inline void begin_wgmma() {}
inline void commit_wgmma() {}

inline void run_steps(group_state& state) {
  for (unsigned i = 0; i < state.step_count; ++i)
    state.steps[i].step(state.sums[state.group % group_state::remembered], state.steps[i].a,
                        state.steps[i].b);
  state.step_count = 0;
}

CUDA_TILE_API void finish_groups() {
  group_state& state = group_states[thread()];
  if (state.step_count == 0)
    return;
  run_steps(state);
  ++state.group;
}

template <unsigned Count, typename Sum>
inline void finish_sums(Sum* sums) {
  finish_groups();
  group_state& state = group_states[thread()];
  for (unsigned s = 0; s < Count; ++s) {
    unsigned const bits = platform::bit_cast<unsigned>(sums[s]), group = bits / group_state::most_sums;
    unsigned const age = (state.group - group) % group_state::numbered;
    if (bits == open_bits(group, s) && age <= group_state::remembered)
      sums[s] = platform::bit_cast<Sum>(state.sums[group % group_state::remembered][s]);
  }
}

inline unsigned shared_address(void const* pointer) {
  return static_cast<unsigned>(static_cast<char const*>(pointer) -
                               static_cast<char const*>(current_block->scratch));
}

/// The element of an operand at position k in the instruction's part of the inner dimension, and position n
/// in the other one. MajorMN: whether neighbours in memory have the same k. Bits 62 and 63 are 1 for
/// swizzling of 128 bytes, 2 for 64.
template <typename E, bool MajorMN>
inline E described_element(unsigned long long descriptor, unsigned n, unsigned k) {
  auto const field = [descriptor](unsigned bit) {
    return static_cast<unsigned>(descriptor >> bit & 0x3fff) << 4;
  };
  unsigned const start = field(0), leading = field(16), stride = field(32);
  unsigned const swizzling = static_cast<unsigned>(descriptor >> 62), line = 256u >> swizzling;
  unsigned const address =
      start + (MajorMN ? n % 32 * 2 + n / 32 * leading + k % 8 * 64 + k / 8 * stride
                       : k * static_cast<unsigned>(sizeof(E)) + n % 8 * line + n / 8 * stride);
  unsigned const mixed = address ^ (address >> 7 & (line / 16 - 1)) << 4;
  bool const known = swizzling == 2 || (swizzling == 1 && !MajorMN);
  E element;
  __builtin_memcpy(&element, static_cast<char const*>(current_block->scratch) + (known ? mixed : ~0u),
                   sizeof(E));
  return element;
}

template <unsigned N, typename L, typename R, bool MajorMOfA, bool MajorNOfB, bool FromZero, typename Slots,
          typename Sum>
inline void add_group_product(unsigned* sums, unsigned long long a, unsigned long long b) {
  unsigned const warp = thread() / 32 % 4, g = thread() % 32 / 4, q = thread() % 4;
  for (unsigned i = 0; i < N / 2; ++i) {
    unsigned const row = 16 * warp + g + i / 2 % 2 * 8, column = 2 * q + i % 2 + i / 4 * 8;
    Sum sum = FromZero ? Sum{} : platform::bit_cast<Sum>(sums[Slots::of(i)]);
    for (unsigned k = 0; k < 32 / sizeof(L); ++k)
      sum = platform::add_product(detail::convert<Sum>(described_element<L, MajorMOfA>(a, row, k)),
                                  detail::convert<Sum>(described_element<R, MajorNOfB>(b, column, k)), sum);
    sums[Slots::of(i)] = platform::bit_cast<unsigned>(sum);
  }
}

template <unsigned N, typename L, typename R, bool MajorMOfA, bool MajorNOfB, bool FromZero, typename Slots,
          typename Sum>
inline void multiply_wgmma(Sum* sums, unsigned long long a, unsigned long long b) {
  static_assert(sizeof(L) == 2 || (!MajorMOfA && !MajorNOfB), "PTX 9.7.15.5.2");
  group_state& state = group_states[thread()];
  for (unsigned i = 0; i < N / 2; ++i) {
    unsigned const slot = Slots::of(i), open = open_bits(state.group, slot);
    if (!FromZero && platform::bit_cast<unsigned>(sums[slot]) == open)
      continue;
    if (!FromZero)
      state.sums[state.group % group_state::remembered][slot] = platform::bit_cast<unsigned>(sums[slot]);
    sums[slot] = platform::bit_cast<Sum>(open);
  }
  if (state.step_count == group_state::most_steps)
    run_steps(state);
  state.steps[state.step_count++] = {&add_group_product<N, L, R, MajorMOfA, MajorNOfB, FromZero, Slots, Sum>,
                                     a, b};
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::platform
