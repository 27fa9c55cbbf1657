// Asks addr2line or llvm-symbolizer, which print two lines a call: the function's name, and FILE:LINE.
#include "source_lines.h"

#include "cuda_tile/program/image.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fstream>
#include <sstream>
#include <string_view>
#include <unistd.h>

namespace cuda_tile_runtime {

namespace {

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text)
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// The folder of a file that lies `depth` folders below it.
std::string folder_of(std::string path, int depth) {
  for (; depth > 0; --depth)
    path.resize(std::min(path.size(), path.rfind('/')));
  return path + "/";
}

/// Whether a file is one of this project's.
bool is_ours(std::string_view file) {
  static const std::string headers = folder_of(cuda_tile::program::header_file(), 3);
  static const std::string library = folder_of(__FILE__, 2);
  return file.starts_with(headers) || file.starts_with(library) || file.starts_with("/usr/include/");
}

/// The first of the program's own lines among those that a command prints.
SourceLine first_line(const std::string& command) {
  SourceLine found;
  std::FILE* const output = popen(command.c_str(), "r");
  if (!output)
    return found;
  char text[4096];
  for (unsigned number = 0; std::fgets(text, sizeof text, output); ++number) {
    std::string_view line = text;
    line = line.substr(0, line.find_first_of(" \n"));
    const auto colon = line.rfind(':');
    if (number % 2 == 0 || found.line != 0 || colon == line.npos)
      continue;
    const unsigned value = static_cast<unsigned>(std::atoi(std::string(line.substr(colon + 1)).c_str()));
    if (value != 0 && !line.starts_with("??") && !is_ours(line.substr(0, colon)))
      found = {std::string(line.substr(0, colon)), value};
  }
  pclose(output);
  return found;
}

} // namespace

SourceLine find_line(const void* code, const unsigned long long* offsets, unsigned count) {
  Dl_info file{};
  if (!dladdr(code, &file) || !file.dli_fbase)
    return {};
  const auto& header = *static_cast<const Elf64_Ehdr*>(file.dli_fbase);
  const unsigned long long base =
      header.e_type == ET_EXEC ? reinterpret_cast<unsigned long long>(file.dli_fbase) : 0;
  Dl_info self{};
  const bool is_program = dladdr(reinterpret_cast<const void*>(&find_line), &self) &&
                          self.dli_fbase == file.dli_fbase && !std::strchr(file.dli_fname, '.');
  std::string arguments =
      " -f -i -e " + quoted(is_program ? "/proc/" + std::to_string(getpid()) + "/exe" : file.dli_fname);
  for (unsigned i = 0; i < count && offsets[i] != 0; ++i) {
    char number[32];
    std::snprintf(number, sizeof number, " 0x%llx", offsets[i] + base);
    arguments += number;
  }
  for (const char* tool : {"addr2line", "llvm-addr2line", "llvm-symbolizer --output-style=GNU"})
    if (const SourceLine found = first_line(tool + arguments + " 2>/dev/null"); found.line != 0)
      return found;
  return {};
}

std::string excerpt(const SourceLine& line) {
  std::ifstream file(line.file);
  std::string text;
  for (unsigned number = 0; number < line.line; ++number)
    if (!std::getline(file, text))
      return "";
  const auto start = text.find_first_not_of(" \t\r");
  if (line.line == 0 || start == text.npos)
    return "";
  text = text.substr(start, text.find_last_not_of(" \t\r") + 1 - start);
  return "    " + std::to_string(line.line) + " | " + text + "\n";
}

std::string placed(const std::string& message, const void* code) {
  constexpr std::string_view hexadecimal = " 0123456789abcdefx";
  const auto start = message.rfind("\n  in "), first = message.find_last_not_of(hexadecimal);
  const auto offsets_begin = message.find(" 0x", first);
  if (start == message.npos || first == message.npos || offsets_begin == message.npos || first < start)
    return message;
  std::vector<unsigned long long> offsets;
  std::istringstream numbers(message.substr(offsets_begin));
  for (std::string number; numbers >> number;)
    offsets.push_back(std::strtoull(number.c_str(), nullptr, 16));
  const SourceLine line = find_line(code, offsets.data(), static_cast<unsigned>(offsets.size()));
  if (line.line == 0)
    return message;
  std::string out = message.substr(0, start) + "\n  at " + line.file + ":" + std::to_string(line.line);
  if (std::string shown = excerpt(line); !shown.empty())
    out += "\n" + shown.substr(0, shown.size() - 1);
  return out;
}

} // namespace cuda_tile_runtime
