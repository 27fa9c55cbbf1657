// What happens when an `assert` fails: on the host it throws, which ends the launch; on a device it writes a
// message, and the kernel ends with an error.
#pragma once

#include "cuda_tile/tileir/tiles.h"
#if !CUDA_TILE_ON_CUDA
#include <exception>
#endif

namespace cuda_tile::inline CUDA_TILE_ABI::tileir {

template <typename T>
CUDA_TILE_API bool all_of(T const& x) {
  if constexpr (ct::scalar<T>) {
    return x;
  } else {
    auto flat = ct::reshape(x, ct::shape<ct::tile_size_v<T>>{});
    return element_of(reduce<0>(elements::logical_and{}, flat));
  }
}

/// The row-major position of the first element for which the assertion fails.
template <typename T>
CUDA_TILE_API unsigned first_failure(T const& x) {
  if constexpr (ct::scalar<T>) {
    return 0;
  } else {
    using flat = ct::shape<ct::tile_size_v<T>>;
    using positions = ct::tile<unsigned, flat>;
    auto failing = map<positions>([](bool holds, unsigned i) { return holds ? ~0u : i; },
                                  ct::reshape(x, flat{}), ct::iota<positions>());
    return element_of(reduce<0>([](unsigned a, unsigned b) { return a < b ? a : b; }, failing));
  }
}

/// Calls fail(position) for the first element for which the assertion fails, if there is one.
template <typename T, typename F>
CUDA_TILE_API void require(T const& x, F fail) {
  if (all_of(x))
    return;
  unsigned const at = first_failure(x);
#if CUDA_TILE_ON_CUDA
  if (thread() == 0)
    fail(at);
  barrier();
  __trap();
#else
  fail(at);
#endif
}

#if !CUDA_TILE_ON_CUDA
/// pycuda_tile/tileir/lower/build.py parses this message.
class assertion_failed final : public std::exception {
public:
  assertion_failed(int assertion, unsigned position) {
    __builtin_snprintf(text_, sizeof text_, "assertion %d at element %u", assertion, position);
  }
  char const* what() const noexcept override { return text_; }

private:
  char text_[64];
};

[[noreturn, gnu::cold]] inline void fail(int assertion, unsigned position) {
  throw assertion_failed(assertion, position);
}
#endif

} // namespace cuda_tile::inline CUDA_TILE_ABI::tileir
