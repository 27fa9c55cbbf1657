// Comes before each file of a program in its device half: what a kernel puts into the file's table.
#pragma once
#pragma GCC system_header // users' options for warnings are for their code

#include "cuda_tile/program/keywords.h"

#include "cuda_tile/program/image.h"
#include "cuda_tile/program/refused.h"

#include <cuda_runtime.h>

#include <type_traits>
#include <utility>

#if !defined(CUDA_TILE_CHECKED)
#define CUDA_TILE_CHECKED 0
#endif

namespace cuda_tile::program {

/// In place of configure() of the host half: nothing is launched from here.
inline bool configure(dim3, dim3 = dim3(1), unsigned long = 0, cudaStream_t = nullptr) { return true; }

/// Stands for inline PTX.
[[gnu::error("inline PTX cannot run on the CPU: write it in C++, or keep it out of builds for the CPU with "
             "#if !defined(CUDA_TILE_PROGRAM)")]] void
inline_ptx();

namespace { // local names, so that each file has its own

template <typename... Parameters>
struct parameters_of {
  static_assert((!std::is_reference_v<Parameters> && ...),
                "a kernel cannot have a parameter that is a reference");
  static constexpr cuda_tile_parameter values[] = {{sizeof(Parameters), alignof(Parameters)}..., {0, 0}};
};

/// `MaxThreads` of a block are what __launch_bounds__ says; 0 if it says nothing.
template <unsigned MaxThreads, typename F, F* Kernel, typename... Types>
struct simt_kernel;

template <unsigned MaxThreads, typename... Parameters, void (*Kernel)(Parameters...), typename... Types>
struct simt_kernel<MaxThreads, void(Parameters...), Kernel, Types...> {
  static void run(void* const* arguments) { call(arguments, std::index_sequence_for<Parameters...>{}); }

  [[gnu::used]] static constexpr image_kernel entry = {
      {kernel_name<void(Parameters...), Kernel, Types...>::text(),
       {},
       &run,
       sizeof...(Parameters),
       parameters_of<Parameters...>::values,
       MaxThreads,
       CUDA_TILE_CHECKED},
      &typeid(kernel_name<void(Parameters...), Kernel, Types...>)};

  static constexpr bool is_registered() { return (void)&entry, true; }

private:
  template <std::size_t... I>
  static void call([[maybe_unused]] void* const* arguments, std::index_sequence<I...>) {
    Kernel(*static_cast<std::remove_reference_t<Parameters>*>(arguments[I])...);
  }
};

template <typename F, F* Kernel, typename... Types>
struct tile_kernel;

template <typename... Parameters, void (*Kernel)(Parameters...), typename... Types>
struct tile_kernel<void(Parameters...), Kernel, Types...> {
  /// A cuda_tile_entry, which program/tile_kernel.h defines.
  static void run(void* const* arguments, cuda_tile_block* block, unsigned count);

  [[gnu::used]] static constexpr image_kernel entry = {
      {kernel_name<void(Parameters...), Kernel, Types...>::text(),
       {"", &run, 1, 0, sizeof...(Parameters), nullptr},
       nullptr,
       sizeof...(Parameters),
       parameters_of<Parameters...>::values,
       0,
       CUDA_TILE_CHECKED},
      &typeid(kernel_name<void(Parameters...), Kernel, Types...>)};

  static constexpr bool is_registered() { return (void)&entry, true; }
};

} // namespace

} // namespace cuda_tile::program
