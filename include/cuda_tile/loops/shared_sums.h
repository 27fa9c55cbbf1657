// What the blocks of a launch add to memory atomically, and need no old values of: many blocks add to the
// same places, such as the gradients of weights. Blocks then add to tiles that they share, one block at a
// time, and the last block of the launch adds these to memory.
#pragma once

#include "cuda_tile/loops/masks.h"
#include "cuda_tile/ops/atomics.h"

namespace cuda_tile::inline CUDA_TILE_ABI::loops {

/// What is added changes no number: not even the sign of a zero.
template <typename E>
CUDA_TILE_API E nothing() {
  if constexpr (ct::detail::is_integral_scalar_v<E>)
    return E(0);
  else
    return ct::element_cast<E>(-0.0f);
}

/// Memory of a launch for sums, of which one block at a time uses each. Place says where a sum belongs, and
/// is all zeros at first; Values are its numbers, which are any at first.
template <typename Place, typename Values, unsigned Most>
class shared_memory {
  struct slot {
    bool is_taken;
    Place place;
  };
  struct memory {
    unsigned long long ended; // blocks
    slot slots[Most];
    Values values[Most];
  };
  static constexpr unsigned long long fewest_blocks = 8;

public:
  /// Asks for the memory with a number, which all blocks of the launch get, or none.
  CUDA_TILE_API explicit shared_memory(unsigned number) {
    auto* block = ct::platform::current_block;
    auto const grid = ct::num_blocks();
    blocks_ = 1ull * grid.x * grid.y * grid.z;
    if (Most > 1 && blocks_ >= fewest_blocks && block && block->shared)
      memory_ = static_cast<memory*>(
          block->shared->get(block->shared, number, sizeof(memory), __builtin_offsetof(memory, values)));
  }

  CUDA_TILE_API unsigned long long blocks() const { return blocks_; }

  /// Calls add(place, values) with sums that no other block uses, until it returns true. Returns whether it
  /// has.
  template <typename F>
  CUDA_TILE_API bool use_one(F const& add) {
    if (!memory_)
      return false;
    auto const first = reinterpret_cast<unsigned long long>(ct::platform::current_block) / 64;
    for (unsigned i = 0; i < Most; ++i) {
      auto const number = static_cast<unsigned>((first + i) % Most);
      slot& found = memory_->slots[number];
      if (__atomic_test_and_set(&found.is_taken, __ATOMIC_ACQUIRE))
        continue;
      bool const is_done = add(found.place, memory_->values[number]);
      __atomic_clear(&found.is_taken, __ATOMIC_RELEASE);
      if (is_done)
        return true;
    }
    return false;
  }

  /// At the end of each block: calls use(place, values) for all sums in the last one.
  template <typename F>
  CUDA_TILE_API void end(F const& use) {
    if (memory_ && __atomic_add_fetch(&memory_->ended, 1, __ATOMIC_ACQ_REL) == blocks_)
      for (unsigned i = 0; i < Most; ++i)
        use(memory_->slots[i].place, memory_->values[i]);
  }

private:
  memory* memory_ = nullptr;
  unsigned long long blocks_;
};

/// Sums of tiles of type T, whose places are at fixed steps along Rank axes.
template <typename T, unsigned Rank>
class shared_sums {
  using element = typename T::element_type;
  using mask = ct::tile<bool, typename T::shape_type>;
  using pointers = ct::tile<element*, typename T::shape_type>;
  static constexpr unsigned size = T::distribution::size;

  struct places {
    element* at; // where the first element belongs; null if the sum has no place yet
    long long steps[Rank];
  };
  struct alignas(64) elements {
    T values;
    mask exist;
  };
  static constexpr unsigned most_bytes = 1u << 20, fitting = most_bytes / sizeof(elements);
  static constexpr unsigned most = fitting < 1 ? 1 : fitting < 16 ? fitting : 16;

public:
  CUDA_TILE_API explicit shared_sums(unsigned number) : memory_(number) {}

  /// Adds a tile to one that belongs to the same places. Returns false, and does nothing, if there is none
  /// that is free.
  template <typename Mask>
  CUDA_TILE_API bool add(element* at, long long const (&steps)[Rank], T const& x, Mask const& exist) {
    return memory_.use_one([&](places& found, elements& sum) {
      bool const is_new = found.at == nullptr;
      if (!is_new && !are_same(found, at, steps))
        return false;
      add_to(sum, is_new, x, exist);
      if (is_new) {
        found.at = at;
        for (unsigned d = 0; d < Rank; ++d)
          found.steps[d] = steps[d];
      }
      return true;
    });
  }

  /// At the end of each block: the last one adds all sums to memory.
  template <typename... Modes>
  CUDA_TILE_API void end(long long const (&extents)[Rank], Modes... modes) {
    memory_.end([&](places const& found, elements const& sum) {
      if (found.at)
        ct::atomic_add_masked(pointers_to(found, extents), sum.values, sum.exist, modes...);
    });
  }

private:
  static bool are_same(places const& found, element const* at, long long const (&steps)[Rank]) {
    bool same = found.at == at;
    for (unsigned d = 0; d < Rank; ++d)
      same &= found.steps[d] == steps[d];
    return same;
  }

  template <typename Mask>
  static void add_to(elements& to, bool is_new, T const& x, Mask const& exist) {
    if constexpr (ct::detail::is_same_v<Mask, mask>) {
      if (is_new)
        to.exist = exist;
      for (unsigned l = 0; l < size; ++l)
        to.exist.slots[l] = static_cast<bool>(to.exist.slots[l] | exist.slots[l]);
      if (!loops::all_of(exist))
        return add_all(to, is_new, ct::select(exist, x, ct::full<T>(loops::nothing<element>())));
    } else if (is_new) {
      to.exist = ct::full<mask>(true);
    }
    add_all(to, is_new, x);
  }
  static void add_all(elements& to, bool is_new, T const& x) {
    if (is_new)
      to.values = x;
    else if constexpr (sizeof(element) < 4)
      to.values = ct::add(to.values, x);
    else // in place
      for (unsigned l = 0; l < size; ++l)
        to.values.slots[l] = ct::elements::add{}(to.values.slots[l], x.slots[l]);
  }

  static pointers pointers_to(places const& found, long long const (&extents)[Rank]) {
    pointers result;
    for (unsigned l = 0; l < size; ++l) {
      long long place = 0, rest = l;
      for (unsigned d = Rank; d-- > 0; rest /= extents[d])
        place += rest % extents[d] * found.steps[d];
      result.slots[l] = found.at + place;
    }
    return result;
  }

  shared_memory<places, elements, most> memory_;
};

} // namespace cuda_tile::inline CUDA_TILE_ABI::loops
