// Reports of undefined behaviour in programs that were built with --checked, as pycuda_tile/checked/report.py
// writes them for Python.
#pragma once

#include "cuda_tile/launch/checks.h"
#include "cuda_tile/program/registration.h"

#include <span>
#include <string>

namespace cuda_tile_runtime {

/// The text of a report. `arrays` is the memory that the launch may access; `waits` says that all blocks wait
/// for each other, which is what happened if nothing was violated.
std::string report_text(const cuda_tile_program_kernel& kernel, const cuda_tile_report& report,
                        std::span<const cuda_tile_array> arrays, bool waits);

/// Prints a report and ends the program with exit code 1.
[[noreturn]] void stop_with_report(const cuda_tile_program_kernel& kernel, const cuda_tile_report& report,
                                   std::span<const cuda_tile_array> arrays, bool waits);

} // namespace cuda_tile_runtime
