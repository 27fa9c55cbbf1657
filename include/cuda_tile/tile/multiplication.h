// The interface of a model of matrix multiplication. Each back end has some models in its folder mma/, and
// chooses one for the given tiles when a kernel is compiled.
#pragma once

#include "cuda_tile/tile/matrix.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// The unit that multiplies. Compiled kernels record it as a number (platform::note_mma), which
/// pycuda_tile/targets/products.py interprets.
enum class mma_unit { blocks, amx, fma, mma_sync, wgmma };

/// A model M that multiplies tiles L and R and adds to A:
///   unit                            what it multiplies with
///   takes<L, R, A>()                whether it can multiply these tiles on the processor at hand
///   multiply_add(lhs, rhs, acc)     lhs * rhs + acc, for each batch
template <typename M, typename L, typename R, typename A>
concept multiplication = requires(L const& lhs, R const& rhs, A const& acc) {
  requires is_same_v<decltype(M::unit), mma_unit const>;
  requires M::template takes<L, R, A>();
  requires is_same_v<decltype(M::multiply_add(lhs, rhs, acc)), A>;
};

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
