// The kernels and variables of a program, by the addresses that host code knows them by.
#pragma once

#include "cuda_tile/program/registration.h"

#include <string>
#include <vector>

namespace cuda_tile_runtime {

/// Null if `handle` is not that of a kernel.
const cuda_tile_program_kernel* find_kernel(const void* handle);
/// Null if `handle` is not that of a variable.
const cuda_tile_program_variable* find_variable(const void* handle);
std::vector<const cuda_tile_program_variable*> every_variable();
/// While it lives, what the calling thread registers is written down: what a module has that is being loaded.
class Registration {
public:
  explicit Registration(std::vector<const void*>& handles);
  ~Registration();
};
/// Forgets kernels and variables, of a module that is unloaded.
void forget_registered(const std::vector<const void*>& handles);
/// A kernel's name as the source has it, with template arguments.
std::string source_name(const cuda_tile_program_kernel& kernel);

} // namespace cuda_tile_runtime
