// The manual's examples with NVIDIA's small floating point types, in chapter 1.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "programs.h"

// ex-006 [1.4]: pointer scalars, and pointers that are none
struct Foo;
static_assert(ct::pointer_scalar<int* const> && ct::pointer_scalar<double const*> &&
              ct::pointer_scalar<void*>);
static_assert(ct::pointer_scalar<__half volatile const*>);
static_assert(!ct::scalar<int**> && !ct::scalar<int Foo::*>);
static_assert(!ct::scalar<void (*)(int, double)> && !ct::scalar<Foo const*>);

// ex-026 [1.7.1]: unordered ranks
template <typename T, typename U>
constexpr bool unordered =
    !ct::non_narrowing_scalar_convertible_to<T, U> && !ct::non_narrowing_scalar_convertible_to<U, T>;
static_assert(unordered<__nv_fp8_e4m3, __nv_fp8_e5m2> && unordered<__half, __nv_bfloat16>);

// ex-027 [1.7.2]
static_assert(ct::scalar_convertible_to<double, __half>);

// ex-028 [1.7.2]: from bfloat16 to half, rounded to nearest even
static_assert(ct::scalar_convertible_to<__nv_bfloat16, __half>);
static_assert(!ct::non_narrowing_scalar_convertible_to<__nv_bfloat16, __half>);
__tile_global__ void ex_028(__nv_bfloat16 const* x, __half* out) {
  auto offsets = ct::iota<tile<int, 4>>();
  ct::store(out + offsets, ct::element_cast<__half>(ct::load(x + offsets)));
}

// ex-037 [1.7.4]: common types
static_assert(same<ct::arithmetic_tile_conversion_t<int, double>, double>);
static_assert(same<ct::arithmetic_tile_conversion_t<__half, float>, float>);
static_assert(!ct::arithmetic_tile_convertible<__half, __nv_bfloat16>);
static_assert(same<ct::arithmetic_tile_conversion_t<short, short>, short>);
static_assert(same<ct::arithmetic_tile_conversion_t<char16_t, unsigned short>, unsigned short>);

// ex-042 [1.7.4]: Example 3 C
using f16x4x8 = ct::tile<__half, ct::shape<4, 8>>;
static_assert(!ct::arithmetic_tile_convertible<__nv_bfloat16, f16x4x8>);
static_assert(!ct::arithmetic_tile_comparable<__nv_bfloat16, f16x4x8>);
