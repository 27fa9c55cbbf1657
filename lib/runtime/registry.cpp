// Registers kernels and variables before main. Launches find them from many threads.
#include "registry.h"

#include "memory_table.h"

#include "cuda_tile/program/image.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <string_view>
#include <typeinfo>
#include <unordered_map>

namespace cuda_tile_runtime {

namespace {

struct Registry {
  std::shared_mutex mutex;
  std::unordered_map<const void*, cuda_tile_program_kernel> kernels;
  std::unordered_map<const void*, const cuda_tile_program_variable*> variables;
};

constinit thread_local std::vector<const void*>* written_down = nullptr;

void write_down(const void* handle) {
  if (written_down)
    written_down->push_back(handle);
}

/// Never destroyed: static objects may launch kernels while the program ends.
Registry& registry() {
  static Registry& instance = *new Registry;
  return instance;
}

template <typename T>
const T* find(const std::unordered_map<const void*, T>& table, const void* handle) {
  std::shared_lock lock(registry().mutex);
  const auto found = table.find(handle);
  return found == table.end() ? nullptr : &found->second;
}

} // namespace

const cuda_tile_program_kernel* find_kernel(const void* handle) { return find(registry().kernels, handle); }

const cuda_tile_program_variable* find_variable(const void* handle) {
  const auto* const found = find(registry().variables, handle);
  return found ? *found : nullptr;
}

std::vector<const cuda_tile_program_variable*> every_variable() {
  std::shared_lock lock(registry().mutex);
  std::vector<const cuda_tile_program_variable*> found;
  for (const auto& [handle, variable] : registry().variables)
    found.push_back(variable);
  return found;
}

Registration::Registration(std::vector<const void*>& handles) { written_down = &handles; }
Registration::~Registration() { written_down = nullptr; }

void forget_registered(const std::vector<const void*>& handles) {
  std::unique_lock lock(registry().mutex);
  for (const void* const handle : handles) {
    registry().kernels.erase(handle);
    if (const auto found = registry().variables.extract(handle))
      MemoryTable::instance().remove(found.mapped()->address, found.mapped()->kind == cuda_tile_managed
                                                                  ? Kind::managed
                                                                  : Kind::variable);
  }
}

std::string source_name(const cuda_tile_program_kernel& kernel) {
  // "... [with F = ...; F* Kernel = name]" by g++, "... [F = ..., Kernel = &name]" by clang
  const std::string_view text = kernel.name;
  const auto start = text.rfind(" Kernel = ");
  if (start == text.npos)
    return std::string(text);
  std::string_view name = text.substr(start + 10);
  name = name.substr(0, std::min(name.find("; Types = "), name.find(", Types = ")));
  if (name.ends_with(']'))
    name.remove_suffix(1);
  if (name.starts_with('&'))
    name.remove_prefix(1);
  return std::string(name);
}

} // namespace cuda_tile_runtime

namespace cuda_tile::program {

namespace {

/// Behind "$_" and a number if that is there, otherwise behind one character.
const char* behind_part(const char* name) {
  if (name[0] != '$' || name[1] != '_')
    return name + 1;
  for (name += 2; std::isdigit(static_cast<unsigned char>(*name));)
    ++name;
  return name;
}

/// Whether two names of types are the same but for the numbers of lambdas, "$_3". The types themselves are
/// local to their halves, so they are not equal.
bool is_same_name(const char* a, const char* b) {
  for (; *a && *a == *b; a = behind_part(a), b = behind_part(b))
    ;
  return *a == *b;
}

bool is_set(const char* variable, const char* value) {
  const char* const found = std::getenv(variable);
  return found && std::strcmp(found, value) == 0;
}

/// The kernel as it is to run: as loops if it has been fused, unless the user wants the other way.
cuda_tile_program_kernel chosen(const cuda_tile_program_kernel& kernel, const void* fused) {
  if (!kernel.tile.entry)
    return kernel;
  const bool fuses = fused && !is_set("PYCUDA_TILE_OPTIMIZE", "0");
  if (is_set("PYCUDA_TILE_VERBOSE", "1"))
    std::fprintf(stderr, "pycuda_tile: %s: %s\n", cuda_tile_runtime::source_name(kernel).c_str(),
                 fuses ? "fused" : "by operation");
  cuda_tile_program_kernel copy = kernel;
  if (fuses) {
    copy.tile.entry = static_cast<const cuda_tile_kernel*>(fused)->entry;
    copy.tile.independent = static_cast<const cuda_tile_kernel*>(fused)->independent;
  }
  return copy;
}

} // namespace

void register_kernel(const image& image, const void* handle, const char* name, const std::type_info& type) {
  for (unsigned long at = 0; at < image.kernel_count; ++at) {
    const auto& entry = *static_cast<const image_kernel*>(image.entries[at]);
    if (std::strcmp(entry.kernel.name, name) == 0 && is_same_name(entry.type->name(), type.name())) {
      const auto kernel = chosen(entry.kernel, image.entries[image.kernel_count + image.variable_count + at]);
      return cuda_tile_register_kernel(handle, &kernel);
    }
  }
}

void register_variable(const image& image, const void* handle, const char* key) {
  for (unsigned long at = 0; at < image.variable_count; ++at) {
    const auto& entry = *static_cast<const image_variable*>(image.entries[image.kernel_count + at]);
    if (std::strcmp(entry.key, key) == 0)
      return cuda_tile_register_variable(handle, &entry.variable);
  }
}

} // namespace cuda_tile::program

using namespace cuda_tile_runtime;

extern "C" {

void cuda_tile_register_kernel(const void* handle, const cuda_tile_program_kernel* kernel) {
  std::unique_lock lock(registry().mutex);
  if (registry().kernels.try_emplace(handle, *kernel).second)
    write_down(handle);
  if (kernel->checked)
    MemoryTable::instance().guard();
}

void cuda_tile_register_variable(const void* handle, const cuda_tile_program_variable* variable) {
  std::unique_lock lock(registry().mutex);
  if (registry().variables.try_emplace(handle, variable).second)
    write_down(handle);
  MemoryTable::instance().add(variable->address, variable->size,
                              variable->kind == cuda_tile_managed ? Kind::managed : Kind::variable);
}
}
