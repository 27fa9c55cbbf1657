// Groups of threads: the grid of a cooperative launch, the block, and parts of a warp.
#pragma once

#include "cuda_tile/runtime/device/device.h"
#include "cuda_tile/runtime/group_functions.h"

#include <type_traits>
#include <utility>

namespace cooperative_groups {

// ---- the grid and the block ------------------------------------------------------------------------------

class grid_group {
public:
  bool is_valid() const { return cuda_tile_is_cooperative() != 0; }
  /// Ends the launch with an error if it is not a cooperative one.
  void sync() const {
    if (!cuda_tile_grid_barrier())
      cuda_tile_trap();
  }
  static dim3 dim_blocks() { return gridDim; }
  static dim3 group_dim() { return gridDim; }
  static dim3 block_index() { return blockIdx; }
  static unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  static unsigned long long block_rank() {
    return blockIdx.x + gridDim.x * (blockIdx.y + static_cast<unsigned long long>(gridDim.y) * blockIdx.z);
  }
  static unsigned long long num_threads() { return num_blocks() * threads_of_block(); }
  static unsigned long long size() { return num_threads(); }
  static unsigned long long thread_rank() {
    return block_rank() * threads_of_block() + cuda_tile::runtime::thread_rank();
  }

private:
  static unsigned threads_of_block() { return blockDim.x * blockDim.y * blockDim.z; }
};

/// Refused where it is called.
template <typename... None>
__attribute__((unavailable("clusters of blocks do not exist on the CPU: write to device memory, or keep this "
                           "out of builds for the CPU with #if !defined(CUDA_TILE_PROGRAM)"))) grid_group
this_cluster(None...);

class thread_block {
public:
  static void sync() { __syncthreads(); }
  static unsigned thread_rank() { return cuda_tile::runtime::thread_rank(); }
  static unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned size() { return num_threads(); }
  static dim3 group_index() { return blockIdx; }
  static dim3 thread_index() { return threadIdx; }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }
  /// The barrier in two steps: the first does nothing, so that the second waits for all that comes before.
  struct arrival_token {};
  static arrival_token barrier_arrive() { return {}; }
  static void barrier_wait(arrival_token&&) { sync(); }
};

inline grid_group this_grid() { return {}; }
inline thread_block this_thread_block() { return {}; }

// ---- lanes of a warp -------------------------------------------------------------------------------------

/// What groups of lanes share; their ranks are those of the lanes in `mask()`.
class lanes {
public:
  explicit lanes(unsigned of) : mask_(of) {}
  unsigned mask() const { return mask_; }

  void sync() const { __syncwarp(mask_); }
  unsigned thread_rank() const { return rank_of(cuda_tile::runtime::lane()); }
  template <typename T>
  T shfl(T value, int rank) const {
    return cuda_tile::runtime::shuffle(mask_, value, lane_of(static_cast<unsigned>(rank)));
  }
  template <typename T>
  T shfl_up(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return cuda_tile::runtime::shuffle(mask_, value, lane_of(rank < delta ? rank : rank - delta));
  }
  template <typename T>
  T shfl_down(T value, unsigned delta) const {
    const unsigned rank = thread_rank(), last = static_cast<unsigned>(__popc(mask_)) - 1;
    return cuda_tile::runtime::shuffle(mask_, value, lane_of(delta > last - rank ? rank : rank + delta));
  }
  int any(int predicate) const { return __any_sync(mask_, predicate); }
  int all(int predicate) const { return __all_sync(mask_, predicate); }
  unsigned ballot(int predicate) const { return ranks_of(__ballot_sync(mask_, predicate)); }
  template <typename T>
  unsigned match_any(T value) const {
    return ranks_of(__match_any_sync(mask_, value));
  }
  template <typename T>
  unsigned match_all(T value, int& predicate) const {
    return ranks_of(__match_all_sync(mask_, value, &predicate));
  }

protected:
  unsigned rank_of(unsigned lane) const { return static_cast<unsigned>(__popc(mask_ & ((1u << lane) - 1))); }
  /// The lane of a rank; a rank that there is none of is taken modulo the size.
  unsigned lane_of(unsigned rank) const {
    unsigned left = mask_;
    for (rank %= static_cast<unsigned>(__popc(mask_)); rank != 0; --rank)
      left &= left - 1;
    return static_cast<unsigned>(__builtin_ctz(left));
  }
  unsigned ranks_of(unsigned of) const {
    unsigned ranks = 0;
    for (unsigned lane = 0; lane != 32; ++lane)
      if (of >> lane & 1)
        ranks |= 1u << rank_of(lane);
    return ranks;
  }

private:
  unsigned mask_;
};

/// Lanes that are together at one place of the program, or a part of another group.
class coalesced_group : public lanes {
public:
  explicit coalesced_group(unsigned mask, unsigned part = 0, unsigned parts = 1)
      : lanes(mask), part_(part), parts_(parts) {}
  unsigned num_threads() const { return static_cast<unsigned>(__popc(mask())); }
  unsigned size() const { return num_threads(); }
  unsigned meta_group_rank() const { return part_; }
  unsigned meta_group_size() const { return parts_; }

private:
  unsigned part_, parts_;
};

__attribute__((noinline)) inline coalesced_group coalesced_threads() {
  return coalesced_group(cuda_tile_active_mask(__builtin_return_address(0)));
}

/// What tiles of any size are asked: which of how many tiles of their parent they are.
class tile_of_parent {
public:
  tile_of_parent(unsigned part, unsigned parts) : part_(part), parts_(parts) {}
  unsigned meta_group_rank() const { return part_; }
  unsigned meta_group_size() const { return parts_; }

private:
  unsigned part_, parts_;
};

/// Size neighbouring lanes of a warp, or several whole warps.
template <unsigned Size, typename Parent = void, bool IsInWarp = (Size <= 32)>
class thread_block_tile : public lanes, public tile_of_parent {
  static_assert(Size != 0 && (Size & (Size - 1)) == 0, "a tile has 1, 2, 4, ... 1024 threads");

public:
  thread_block_tile(unsigned mask, unsigned part, unsigned parts)
      : lanes(mask), tile_of_parent(part, parts) {}
  /// A tile of any parent is one of which the parent is not said.
  template <typename Other,
            typename = std::enable_if_t<std::is_void<Parent>::value && !std::is_void<Other>::value>>
  thread_block_tile(const thread_block_tile<Size, Other>& tile) : lanes(tile.mask()), tile_of_parent(tile) {}
  static constexpr unsigned num_threads() { return Size; }
  static constexpr unsigned size() { return Size; }
  template <typename T>
  T shfl_xor(T value, unsigned lane_mask) const {
    return cuda_tile::runtime::shuffle(mask(), value, lane_of((thread_rank() ^ lane_mask) % Size));
  }
};

namespace detail {

/// The barrier of each tile of several warps. A thread of the operating system runs one block at a time, and
/// its threads take turns.
struct turnstile {
  unsigned arrived, phase;
  void pass(unsigned count) {
    const volatile unsigned& now = phase;
    const unsigned before = now;
    if (++arrived == count) {
      arrived = 0;
      ++phase;
    } else {
      while (now == before)
        cuda_tile_yield();
    }
  }
};
inline thread_local turnstile turnstiles[32]; // by the number of the tile among those of two warps or more
/// What the threads of a block give each other, in tiles of several warps.
inline thread_local unsigned long long given[1024];

template <unsigned Size>
unsigned tile_mask() {
  return (Size == 32 ? 0xffffffff : (1u << Size % 32) - 1) << cuda_tile::runtime::lane() / Size * Size;
}

} // namespace detail

template <unsigned Size, typename Parent>
class thread_block_tile<Size, Parent, false> : public tile_of_parent {
  static_assert((Size & (Size - 1)) == 0 && Size <= 1024, "a tile has 1, 2, 4, ... 1024 threads");

public:
  thread_block_tile(unsigned, unsigned part, unsigned parts) : tile_of_parent(part, parts) {}
  template <typename Other,
            typename = std::enable_if_t<std::is_void<Parent>::value && !std::is_void<Other>::value>>
  thread_block_tile(const thread_block_tile<Size, Other>& tile) : tile_of_parent(tile) {}
  static constexpr unsigned num_threads() { return Size; }
  static constexpr unsigned size() { return Size; }
  static unsigned thread_rank() { return cuda_tile::runtime::thread_rank() % Size; }
  void sync() const { detail::turnstiles[1024 / Size + number()].pass(present()); }
  int any(int predicate) const {
    return fold(predicate != 0, [](int a, int b) { return a | b; });
  }
  int all(int predicate) const {
    return fold(predicate != 0, [](int a, int b) { return a & b; });
  }
  /// The value of a thread, by its rank.
  template <typename T>
  T shfl(T value, int rank) const {
    give(value);
    const T result = given<T>(static_cast<unsigned>(rank) % Size);
    sync();
    return result;
  }
  template <typename T>
  T shfl_up(T value, unsigned delta) const {
    return shfl(value, static_cast<int>(thread_rank() < delta ? thread_rank() : thread_rank() - delta));
  }
  /// All values, from that of rank 0 on.
  template <typename T, typename Operation>
  T fold(T value, Operation operation) const {
    give(value);
    T result = given<T>(0);
    for (unsigned rank = 1; rank != present(); ++rank)
      result = operation(result, given<T>(rank));
    sync();
    return result;
  }

private:
  static unsigned number() { return cuda_tile::runtime::thread_rank() / Size; }
  /// The block's last tile may be incomplete.
  static unsigned present() {
    const unsigned threads = blockDim.x * blockDim.y * blockDim.z, first = number() * Size;
    return threads - first < Size ? threads - first : Size;
  }
  template <typename T>
  void give(T value) const {
    detail::given[cuda_tile::runtime::thread_rank()] = cuda_tile::runtime::to_word(value);
    sync();
  }
  template <typename T>
  static T given(unsigned rank) {
    return cuda_tile::runtime::from_word<T>(detail::given[number() * Size + rank]);
  }
};

/// Memory that tiles of several warps need on a GPU.
template <unsigned MostThreads = 1024>
struct block_tile_memory {};
template <unsigned MostThreads>
thread_block this_thread_block(block_tile_memory<MostThreads>&) {
  return {};
}

template <unsigned Size>
thread_block_tile<Size, thread_block> tiled_partition(const thread_block& block) {
  return {detail::tile_mask<(Size < 32 ? Size : 32)>(), block.thread_rank() / Size,
          (block.num_threads() + Size - 1) / Size};
}
template <unsigned Size, unsigned Parent, typename Of>
thread_block_tile<Size, thread_block_tile<Parent, Of>>
tiled_partition(const thread_block_tile<Parent, Of>& tile) {
  static_assert(Size <= Parent, "a part is no larger than the whole");
  return {detail::tile_mask<(Size < 32 ? Size : 32)>(), tile.thread_rank() / Size, Parent / Size};
}
inline coalesced_group tiled_partition(const thread_block& block, unsigned size) {
  const unsigned lane = cuda_tile::runtime::lane();
  const unsigned low = size >= 32 ? 0xffffffff : (1u << size) - 1;
  return coalesced_group(low << lane / size * size, block.thread_rank() / size,
                         (block.num_threads() + size - 1) / size);
}
inline coalesced_group tiled_partition(const coalesced_group& group, unsigned size) {
  const unsigned part = group.thread_rank() / size;
  unsigned mask = 0, rank = 0;
  for (unsigned lane = 0; lane != 32; ++lane)
    if (group.mask() >> lane & 1)
      mask |= rank++ / size == part ? 1u << lane : 0;
  return coalesced_group(mask, part, (group.size() + size - 1) / size);
}
/// Lanes of a group that have the same label.
template <typename Group, typename Label>
coalesced_group labeled_partition(const Group& group, Label label) {
  return coalesced_group(__match_any_sync(group.mask(), label));
}
template <typename Group>
coalesced_group binary_partition(const Group& group, bool is_in) {
  return labeled_partition(group, static_cast<int>(is_in));
}

// ---- any group -------------------------------------------------------------------------------------------

/// A block or lanes of a warp, as functions take them that are not templates.
class thread_group {
public:
  thread_group(const thread_block& block) : is_block_(true), lanes_(0), size_(block.size()) {}
  template <typename Group, typename = decltype(std::declval<const Group&>().mask())>
  thread_group(const Group& group) : is_block_(false), lanes_(group.mask()), size_(group.size()) {}

  void sync() const { is_block_ ? __syncthreads() : lanes_.sync(); }
  unsigned thread_rank() const {
    return is_block_ ? cuda_tile::runtime::thread_rank() : lanes_.thread_rank();
  }
  unsigned num_threads() const { return size_; }
  unsigned size() const { return size_; }
  bool is_valid() const { return true; }
  bool is_block() const { return is_block_; }
  coalesced_group of_warp() const { return coalesced_group(lanes_.mask()); }

private:
  bool is_block_;
  lanes lanes_;
  unsigned size_;
};

inline thread_group tiled_partition(const thread_group& group, unsigned size) {
  return group.is_block() ? tiled_partition(thread_block(), size) : tiled_partition(group.of_warp(), size);
}
inline thread_group this_thread() { return coalesced_group(1u << cuda_tile::runtime::lane()); }

} // namespace cooperative_groups
