// The order in which the blocks of a launch start and the threads of an emulated block resume.
#pragma once

#include <cstdint>
#include <utility>

namespace cuda_tile_launcher {

/// A hash whose every output bit depends on every input bit (the finalizer of splitmix64).
inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// The n-th block to start. With a seed, this is a permutation computed without a table: a Feistel network
/// over the next power of four, repeated until it yields the number of a block.
class BlockOrder {
public:
  BlockOrder(std::uint64_t count, std::uint64_t seed) : count_(count), seed_(seed) {
    while (half_bits_ < 32 && (std::uint64_t{1} << 2 * half_bits_) < count)
      ++half_bits_;
  }

  std::uint64_t operator()(std::uint64_t n) const {
    if (seed_ == 0)
      return n;
    do
      n = permute(n);
    while (n >= count_);
    return n;
  }

private:
  std::uint64_t permute(std::uint64_t n) const {
    const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
    std::uint64_t left = n >> half_bits_, right = n & mask;
    for (std::uint64_t round = 0; round != 4; ++round)
      left = std::exchange(right, left ^ (mix(right ^ mix(seed_ + round)) & mask));
    return left << half_bits_ | right;
  }

  std::uint64_t count_;
  std::uint64_t seed_;
  unsigned half_bits_ = 1;
};

/// Shuffles values[0..count) by a seed, identically on every machine.
inline void shuffle(unsigned* values, unsigned count, std::uint64_t seed) {
  for (unsigned i = count; i > 1; --i)
    std::swap(values[i - 1], values[mix(seed + i) % i]);
}

} // namespace cuda_tile_launcher
