// How the halves of a file find each other: the device half's table of kernels and variables, which the host
// half registers.
#pragma once

#if defined(CUDA_TILE_BEFORE_CXX20) // programs may have a lerp() of their own, which <math.h> has since C++20
#include <cmath>
#pragma push_macro("lerp")
#define lerp fmax
#include <math.h>
#pragma pop_macro("lerp")
#endif

#include "cuda_tile/program/registration.h"

#include <type_traits>
#include <typeinfo>

namespace cuda_tile::program {

/// A kernel of the device half, and the type that names it.
struct image_kernel {
  cuda_tile_program_kernel kernel;
  const std::type_info* type;
};

/// A variable of the device half. `key` says where it is declared, as the host half does.
struct image_variable {
  cuda_tile_program_variable variable;
  const char* key;
};

/// The kernels of one file, its variables, and again for each kernel a cuda_tile_kernel of the same as fused
/// loops, or null. pycuda_tile/programs/objects.py writes it.
struct image {
  unsigned long kernel_count, variable_count;
  const void* entries[];
};

/// This file's path; reports leave out lines of the headers around it.
inline const char* header_file() { return __FILE__; }

void register_kernel(const image& image, const void* handle, const char* name, const std::type_info& type);
void register_variable(const image& image, const void* handle, const char* key);

namespace detail {

template <typename T>
struct without_restrict {
  using type = T;
};
template <typename T>
struct without_restrict<T* __restrict__> {
  using type = T*;
};

} // namespace detail

/// A parameter's type as it is in the kernel's: without const and __restrict__.
template <typename T>
using plain = typename detail::without_restrict<std::remove_cv_t<T>>::type;

namespace { // of each file its own

/// Names an instance of a kernel, the same in both halves: by its type's name, except that clang numbers
/// lambdas in the order in which it meets them, and by a text, which has the places of lambdas but not all
/// arguments: `Types` are those that are types.
template <typename F, F* Kernel, typename... Types>
struct kernel_name {
  static constexpr const char* text() { return __PRETTY_FUNCTION__; }
};

} // namespace

} // namespace cuda_tile::program
