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

/// "    12 | x = y;", the text of a line, and a line break; empty if the file cannot be read.
std::string excerpt(const SourceLine& line);

/// The message of a fault, which ends with the offsets of its calls: with the line instead, if it is known.
std::string placed(const std::string& message, const void* code);

} // namespace cuda_tile_runtime
