// What the test programs share: the API under its short name, and questions about types.
#pragma once

#include "cuda_tile.h"

#if defined(__CUDACC_TILE__) // NVIDIA's header has these names in its own namespace only
using cuda::tiles::int32_t, cuda::tiles::int64_t, cuda::tiles::uint32_t, cuda::tiles::uint64_t;
using int8_t = signed char;
using int16_t = short;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
#endif

namespace ct = ::cuda::tiles;
using namespace ct::literals;

template <typename E, auto... Lengths>
using tile = ct::tile<E, ct::shape<Lengths...>>;

template <typename T, typename U>
inline constexpr bool same = false;
template <typename T>
inline constexpr bool same<T, T> = true;

/// An expression of type T. It is declared only: for operands that are not evaluated.
template <typename T>
__tile__ T any() noexcept;

/// Whether From converts to To implicitly, or in a cast.
template <typename From, typename To>
concept implicit = requires(void (&accept)(To), From from) { accept(from); };
template <typename To, typename... From>
concept constructible = requires(From... from) { To(from...); };
