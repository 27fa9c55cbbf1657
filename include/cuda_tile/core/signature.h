// The types of a kernel's parameters as numbers, for launchers. Stands alone, so that it also serves next to
// NVIDIA's header.
#pragma once

#if __cplusplus < 202002L
#error "CUDA Tile C++ needs C++20: compile with -std=c++20 or newer"
#endif

struct __half;
struct __nv_bfloat16;
struct __nv_fp8_e4m3;
struct __nv_fp8_e5m2;
struct __nv_fp8_e8m0;
struct __nv_fp4_e2m1;
struct __nv_tf32;

namespace cuda_tile {

enum class parameter_kind : unsigned {
  other,
  boolean,
  signed_integer,
  unsigned_integer,
  ieee_float,
  bfloat16,
  e4m3,
  e5m2,
  tf32,
  nothing, // void or an incomplete type, behind a pointer
  e8m0,
  e2m1,
  function, // behind a pointer
};

namespace detail {

template <parameter_kind Kind, unsigned Size>
inline constexpr unsigned code = static_cast<unsigned>(Kind) | Size << 16;

// Of any type, also an incomplete one.
template <typename Type, typename = decltype(nullptr)>
struct other_code {
  static constexpr unsigned value = code<parameter_kind::nothing, 0>;
};
template <typename Type>
struct other_code<Type, decltype(sizeof(Type), nullptr)> {
  static constexpr unsigned value = code<parameter_kind::other, sizeof(Type)>;
};

template <typename Type>
inline constexpr unsigned value_code = other_code<Type>::value;
template <typename Result, typename... Parameters>
inline constexpr unsigned value_code<Result(Parameters...)> = code<parameter_kind::function, 0>;
template <typename Result, typename... Parameters>
inline constexpr unsigned value_code<Result(Parameters...) noexcept> = code<parameter_kind::function, 0>;
template <typename Result, typename... Parameters>
inline constexpr unsigned value_code<Result(Parameters..., ...)> = code<parameter_kind::function, 0>;
template <typename Type>
inline constexpr unsigned value_code<Type const> = value_code<Type>;
template <typename Type>
inline constexpr unsigned value_code<Type volatile> = value_code<Type>;
template <typename Type>
inline constexpr unsigned value_code<Type const volatile> = value_code<Type>;

template <typename Type>
inline constexpr unsigned integer_code = code < (Type(-1) < Type(0)) ? parameter_kind::signed_integer
                                                                     : parameter_kind::unsigned_integer,
                          sizeof(Type) > ;

// clang-format off
template <> inline constexpr unsigned value_code<void> = code<parameter_kind::nothing, 0>;
template <> inline constexpr unsigned value_code<bool> = code<parameter_kind::boolean, 1>;
template <> inline constexpr unsigned value_code<char> = integer_code<char>;
template <> inline constexpr unsigned value_code<signed char> = integer_code<signed char>;
template <> inline constexpr unsigned value_code<unsigned char> = integer_code<unsigned char>;
template <> inline constexpr unsigned value_code<char8_t> = integer_code<char8_t>;
template <> inline constexpr unsigned value_code<char16_t> = integer_code<char16_t>;
template <> inline constexpr unsigned value_code<char32_t> = integer_code<char32_t>;
template <> inline constexpr unsigned value_code<wchar_t> = integer_code<wchar_t>;
template <> inline constexpr unsigned value_code<short> = integer_code<short>;
template <> inline constexpr unsigned value_code<unsigned short> = integer_code<unsigned short>;
template <> inline constexpr unsigned value_code<int> = integer_code<int>;
template <> inline constexpr unsigned value_code<unsigned int> = integer_code<unsigned int>;
template <> inline constexpr unsigned value_code<long> = integer_code<long>;
template <> inline constexpr unsigned value_code<unsigned long> = integer_code<unsigned long>;
template <> inline constexpr unsigned value_code<long long> = integer_code<long long>;
template <> inline constexpr unsigned value_code<unsigned long long> = integer_code<unsigned long long>;
template <> inline constexpr unsigned value_code<float> = code<parameter_kind::ieee_float, 4>;
template <> inline constexpr unsigned value_code<double> = code<parameter_kind::ieee_float, 8>;
template <> inline constexpr unsigned value_code<__half> = code<parameter_kind::ieee_float, 2>;
template <> inline constexpr unsigned value_code<__nv_bfloat16> = code<parameter_kind::bfloat16, 2>;
template <> inline constexpr unsigned value_code<__nv_fp8_e4m3> = code<parameter_kind::e4m3, 1>;
template <> inline constexpr unsigned value_code<__nv_fp8_e5m2> = code<parameter_kind::e5m2, 1>;
template <> inline constexpr unsigned value_code<__nv_fp8_e8m0> = code<parameter_kind::e8m0, 1>;
template <> inline constexpr unsigned value_code<__nv_fp4_e2m1> = code<parameter_kind::e2m1, 1>;
template <> inline constexpr unsigned value_code<__nv_tf32> = code<parameter_kind::tf32, 4>;
// clang-format on

} // namespace detail

/// kind | pointer << 8 | size << 16. pointer: 0 a value, 1 a pointer, 2 a pointer to const; then kind and
/// size in bytes are the pointee's.
template <typename Type>
inline constexpr unsigned parameter_code = detail::value_code<Type>;
template <typename Type>
inline constexpr unsigned parameter_code<Type*> = detail::value_code<Type> | 1u << 8;
template <typename Type>
inline constexpr unsigned parameter_code<Type const*> = detail::value_code<Type> | 2u << 8;
template <typename Type>
inline constexpr unsigned parameter_code<Type&> = parameter_code<Type*>; // passed as an address

#if defined(__CUDACC_RTC__)
#define CUDA_TILE_ON_BOTH __host__ __device__
#else
#define CUDA_TILE_ON_BOTH
#endif

/// The kernel among all functions of its name: those of C and CUDA, such as `exp`, return something.
template <typename... Parameters>
CUDA_TILE_ON_BOTH constexpr auto kernel_of(void (*kernel)(Parameters...)) {
  return kernel;
}

#undef CUDA_TILE_ON_BOTH

template <unsigned... Codes>
struct parameter_codes {};

template <typename Kernel>
struct signature_of;
template <typename Result, typename... Parameters>
struct signature_of<Result (*)(Parameters...)> {
  using type = parameter_codes<parameter_code<Parameters>...>;
};

#if defined(__CUDACC_RTC__)
// Never read: its mangled name carries a kernel's parameter codes. NVRTC takes no static data members for
// this.
template <typename Codes>
__device__ int signature_tag;
#endif

} // namespace cuda_tile
