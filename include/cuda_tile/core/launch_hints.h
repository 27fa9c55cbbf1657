// What a kernel's optimization hints request of a launch [2.16]. build() writes calls of these functions into
// the attributes of kernels that have hints. Like signature.h, this file includes nothing else.
#pragma once

namespace cuda_tile {

/// One `hint(architecture, kind = value)`; 0 stands for all architectures.
struct hint {
  long long architecture;
  long long value;
};

/// A kernel's hints of one kind, in order. The array has a fixed size because NVRTC 13 drops an attribute
/// whose value is the result of a function template with arguments that depend on the kernel's own
/// parameters.
struct hint_list {
  hint items[8];
};

namespace detail {

/// The value that applies on an architecture, or 0 if there is none. The last valid hint wins; a hint for
/// this architecture takes precedence over one for all architectures.
template <typename Valid>
__host__ __device__ constexpr int hinted(int architecture, hint_list const& hints, Valid valid) {
  long long specific = 0, agnostic = 0;
  for (hint const& h : hints.items)
    if (valid(h.value)) {
      specific = h.architecture == architecture ? h.value : specific;
      agnostic = h.architecture == 0 ? h.value : agnostic;
    }
  return static_cast<int>(specific ? specific : agnostic);
}

struct valid_occupancy {
  __host__ __device__ constexpr bool operator()(long long value) const { return value >= 1 && value <= 32; }
};

struct valid_cluster {
  __host__ __device__ constexpr bool operator()(long long value) const {
    return value == 1 || value == 2 || value == 4 || value == 8 || value == 16;
  }
};

} // namespace detail

/// The number of blocks that a multiprocessor should hold, limited to `fitting`, the number that fit; 0 if
/// there is no hint.
__host__ __device__ constexpr int hinted_occupancy(int architecture, int fitting, hint_list const& hints) {
  const int value = detail::hinted(architecture, hints, detail::valid_occupancy{});
  return value < fitting ? value : fitting;
}

/// The number of blocks in a cluster; 1 if there is no hint. More than 8 are not portable.
__host__ __device__ constexpr int hinted_cluster(int architecture, hint_list const& hints) {
  const int value = detail::hinted(architecture, hints, detail::valid_cluster{});
  return value < 1 ? 1 : value > 8 ? 8 : value;
}

} // namespace cuda_tile
