// Finds the lines of code addresses by means of debug information.
#pragma once

#include <string>
#include <vector>

namespace cuda_tile_runtime {

struct SourceLine {
  std::string file;
  unsigned line = 0; // 0 if unknown
};

/// The innermost line of the program's own code that leads to the first of `offsets`, which are relative to
/// the file that `code` was loaded from, that has one.
SourceLine find_line(const void* code, const unsigned long long* offsets, unsigned count);

/// The text of a line; empty if the file cannot be read.
std::string text_of(const SourceLine& line);

} // namespace cuda_tile_runtime
