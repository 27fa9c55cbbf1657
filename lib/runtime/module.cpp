// Modules: shared libraries that `pycuda-tile nvcc -cubin` writes, which hold kernels and variables.
#include "cuda_tile/runtime/driver.h"

#include "driver_calls.h"
#include "launch.h"
#include "registry.h"
#include "stream.h"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

namespace cuda_tile_runtime {

namespace {

/// A library, the file that it is from, and what it has registered.
struct Module {
  void* library = nullptr;
  int file = -1; // open, so that no other library gets its name
  std::vector<const void*> handles;
};

struct Modules {
  std::mutex mutex;
  std::map<CUmodule, Module> by_handle;
};

Modules& modules() {
  static auto* const all = new Modules;
  return *all;
}

cudaError_t refuse_module(const char* what, cudaError_t error) {
  std::fprintf(
      stderr,
      "pycuda_tile: the module %s: a module for the CPU is what `pycuda-tile nvcc -cubin FILE` writes\n",
      what);
  return error;
}

/// The bytes of a library in memory, up to the end of its table of sections, which comes last; 0 if it is
/// none.
std::size_t size_of_library(const void* image) {
  Elf64_Ehdr head;
  for (int i = 0; i != SELFMAG; ++i) // a text may be shorter
    if (static_cast<const char*>(image)[i] != ELFMAG[i])
      return 0;
  std::memcpy(&head, image, sizeof head);
  if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_type != ET_DYN)
    return 0;
  return head.e_shoff + std::size_t{head.e_shnum} * head.e_shentsize;
}

/// A file without a name that has these bytes.
int write_file(const void* bytes, std::size_t count) {
  const int file = memfd_create("cuda_tile_module", MFD_CLOEXEC);
  for (std::size_t done = 0; file >= 0 && done != count;) {
    const ssize_t written = write(file, static_cast<const char*>(bytes) + done, count - done);
    if (written <= 0) {
      close(file);
      return -1;
    }
    done += static_cast<std::size_t>(written);
  }
  return file;
}

void unload(const Module& module) {
  forget_kernels(module.handles);
  forget_registered(module.handles);
  if (module.library)
    dlclose(module.library);
  close(module.file);
}

/// The first bytes of what is no library, up to one that is 0: the end of PTX.
std::string_view begin_of(const void* image) {
  const auto* const text = static_cast<const char*>(image);
  return {text, strnlen(text, 4096)};
}

/// Whether the bytes are code for a GPU: PTX, or a file of the kinds that nvcc writes.
bool is_for_gpu(std::string_view bytes) {
  return bytes.starts_with(std::string_view(ELFMAG, SELFMAG)) || bytes.starts_with("\x50\xed\x55\xba") ||
         bytes.substr(0, 4096).find(".version") != bytes.npos;
}

/// `bytes` of the library at `image`; 0 if it is none, and `begin` has its first bytes.
cudaError_t load(CUmodule* to, const void* image, std::size_t bytes, std::string_view begin) {
  if (bytes == 0)
    return is_for_gpu(begin)
               ? refuse_module("holds no code for the CPU", cudaErrorNoKernelImageForDevice)
               : refuse_module("is neither a library nor code for a GPU", cudaErrorInvalidKernelImage);
  Module module;
  module.file = write_file(image, bytes);
  if (module.file < 0)
    return cudaErrorOperatingSystem;
  {
    const Registration registration(module.handles);
    module.library = dlopen(("/proc/self/fd/" + std::to_string(module.file)).c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  if (!module.library || !dlsym(module.library, "cuda_tile_is_module")) {
    const cudaError_t error = refuse_module(module.library ? "is a library of another kind" : dlerror(),
                                            cudaErrorInvalidKernelImage);
    unload(module);
    return error;
  }
  const auto handle = static_cast<CUmodule>(module.library);
  std::lock_guard lock(modules().mutex);
  modules().by_handle[handle] = std::move(module);
  return give(to, handle);
}

/// The address of a name in a module; null if there is none.
const void* symbol_of(CUmodule module, const char* name) {
  std::lock_guard lock(modules().mutex);
  const auto found = modules().by_handle.find(module);
  if (found == modules().by_handle.end())
    throw Refusal{cudaErrorInvalidResourceHandle};
  return dlsym(found->second.library, name);
}

} // namespace

} // namespace cuda_tile_runtime

using namespace cuda_tile_runtime;

namespace {

cudaError_t load_file(CUmodule* module, const char* path) {
  if (!module || !path)
    return cudaErrorInvalidValue;
  std::ifstream file(path, std::ios::binary);
  std::error_code none;
  if (!file || std::filesystem::is_directory(path, none))
    return cudaErrorFileNotFound;
  std::string bytes((std::istreambuf_iterator<char>(file)), {});
  const std::size_t size = bytes.size() < sizeof(Elf64_Ehdr) ? 0 : size_of_library(bytes.data());
  return load(module, bytes.data(), size > bytes.size() ? 0 : size, bytes);
}

cudaError_t load_image(CUmodule* module, const void* image) {
  if (!module || !image)
    return cudaErrorInvalidValue;
  const std::size_t size = size_of_library(image);
  return load(module, image, size, size == 0 ? begin_of(image) : std::string_view());
}

/// Function is CUfunction or cudaKernel_t, handles of which are the kernel's.
template <typename Function>
cudaError_t find_function(Function* function, CUmodule module, const char* name) {
  if (!function || !name)
    return cudaErrorInvalidValue;
  const void* const handle = symbol_of(module, name);
  return kernel_of(handle) ? give(function, static_cast<Function>(const_cast<void*>(handle)))
                           : cudaErrorSymbolNotFound;
}

cudaError_t find_global(void** pointer, std::size_t* bytes, CUmodule module, const char* name) {
  if (!name)
    return cudaErrorInvalidValue;
  const cuda_tile_program_variable* const variable = find_variable(symbol_of(module, name));
  if (!variable)
    return cudaErrorSymbolNotFound;
  if (pointer)
    *pointer = variable->address;
  if (bytes)
    *bytes = variable->size;
  return cudaSuccess;
}

cudaError_t unload_module(CUmodule module) {
  wait_for_all();
  std::unique_lock lock(modules().mutex);
  const auto found = modules().by_handle.extract(module);
  lock.unlock();
  if (!found)
    return cudaErrorInvalidResourceHandle;
  unload(found.mapped());
  return cudaSuccess;
}

CUmodule module_of(cudaLibrary_t library) { return reinterpret_cast<CUmodule>(library); }

} // namespace

extern "C" {

CUresult cuModuleLoad(CUmodule* module, const char* path) {
  return in_context_and_call([&] { return load_file(module, path); });
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return in_context_and_call([&] { return load_image(module, image); });
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned, CUjit_option*, void**) {
  return cuModuleLoadData(module, image);
}

CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) {
  return cuModuleLoadData(module, image);
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  return in_context_and_call([&] { return find_function(function, module, name); });
}

CUresult cuModuleGetGlobal(CUdeviceptr* pointer, size_t* bytes, CUmodule module, const char* name) {
  return in_context_and_call(
      [&] { return find_global(reinterpret_cast<void**>(pointer), bytes, module, name); });
}

CUresult cuModuleUnload(CUmodule module) {
  return in_context_and_call([&] { return unload_module(module); });
}

// ---- libraries, which need no context --------------------------------------------------------------------

cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* image, cudaJitOption*, void**, unsigned,
                                cudaLibraryOption*, void**, unsigned) {
  return call([&] { return load_image(reinterpret_cast<CUmodule*>(library), image); });
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* library, const char* path, cudaJitOption*, void**,
                                    unsigned, cudaLibraryOption*, void**, unsigned) {
  return call([&] { return load_file(reinterpret_cast<CUmodule*>(library), path); });
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return call([&] { return unload_module(module_of(library)); });
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
  return call([&] { return find_function(kernel, module_of(library), name); });
}

cudaError_t cudaLibraryGetGlobal(void** pointer, size_t* bytes, cudaLibrary_t library, const char* name) {
  return call([&] { return find_global(pointer, bytes, module_of(library), name); });
}

cudaError_t cudaLibraryGetManaged(void** pointer, size_t* bytes, cudaLibrary_t library, const char* name) {
  return call([&] { return find_global(pointer, bytes, module_of(library), name); });
}
}
