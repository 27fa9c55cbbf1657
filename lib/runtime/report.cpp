// Writes reports.
#include "report.h"

#include "memory_table.h"
#include "registry.h"
#include "source_lines.h"
#include "violation_text.h"

#include "cuda_tile/core/signature.h"

#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace cuda_tile_runtime {

namespace {

using Arrays = std::span<const cuda_tile_array>;

std::string text(const char* format, auto... values) {
  char out[512];
  std::snprintf(out, sizeof out, format, values...);
  return out;
}

/// "(1, 2)"
std::string tuple(const unsigned* values, unsigned count) {
  std::string out = "(";
  for (unsigned i = 0; i < count; ++i)
    out += (i ? ", " : "") + std::to_string(values[i]);
  return out + (count == 1 ? ",)" : ")");
}

// ---- values ----------------------------------------------------------------------------------------------

float half_value(unsigned bits) {
  const unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
  float value = exponent == 31 ? (fraction ? __builtin_nanf("") : __builtin_inff())
                : exponent     ? __builtin_ldexpf(1024.f + fraction, int(exponent) - 25)
                               : __builtin_ldexpf(float(fraction), -24);
  return bits >> 15 ? -value : value;
}

std::string show(const cuda_tile_value& value) {
  using cuda_tile::parameter_kind;
  const auto kind = static_cast<parameter_kind>(value.code & 0xff);
  const unsigned size = value.code >> 16;
  const bool is_pointer = (value.code >> 8 & 0xff) != 0;
  const unsigned unused = size < 8 ? 64 - 8 * size : 0;
  if (is_pointer || size == 0)
    return text("0x%llx", value.bits);
  switch (kind) {
  case parameter_kind::boolean:
    return value.bits & 1 ? "true" : "false";
  case parameter_kind::signed_integer:
    return text("%lld", static_cast<long long>(value.bits << unused) >> unused);
  case parameter_kind::unsigned_integer:
    return text("%llu", value.bits << unused >> unused);
  case parameter_kind::ieee_float:
    return text("%g", size == 2   ? half_value(static_cast<unsigned>(value.bits))
                      : size == 4 ? std::bit_cast<float>(static_cast<std::uint32_t>(value.bits))
                                  : std::bit_cast<double>(value.bits));
  case parameter_kind::bfloat16:
  case parameter_kind::tf32:
    return text("%g", std::bit_cast<float>(static_cast<std::uint32_t>(value.bits << (size == 2 ? 16 : 0))));
  default:
    return text("0x%llx", value.bits);
  }
}

bool is_pointer(const cuda_tile_value& value) { return (value.code >> 8 & 0xff) != 0; }

// ---- memory ----------------------------------------------------------------------------------------------

/// An element of an array, counted in accesses of `size` bytes. A program's arrays have no names.
std::string element(long long offset, const cuda_tile_array& array, unsigned size) {
  const auto bytes = static_cast<long long>(array.bytes), item = static_cast<long long>(size ? size : 1);
  if (offset < 0)
    return text("%lld bytes before an array of %lld bytes", -offset, bytes);
  return text("at element %lld of an array that has %lld elements", offset / item, bytes / item);
}

std::string near(unsigned long long address, Arrays arrays, unsigned size) {
  const cuda_tile_array* nearest = nullptr;
  unsigned long long least = ~0ull;
  for (const cuda_tile_array& array : arrays) {
    const auto begin = reinterpret_cast<std::uintptr_t>(array.address);
    const unsigned long long distance = address < begin                 ? begin - address
                                        : address - begin < array.bytes ? 0
                                                                        : address - begin - array.bytes;
    if (distance <= array.bytes && distance < least)
      least = distance, nearest = &array;
  }
  if (!nearest) {
    const std::string known = MemoryTable::instance().explain(reinterpret_cast<const void*>(address));
    return text("at address 0x%llx, ", address) +
           (known.empty() ? "which is in no memory of the program's device" : known);
  }
  return element(static_cast<long long>(address - reinterpret_cast<std::uintptr_t>(nearest->address)),
                 *nearest, size);
}

std::string memory(const cuda_tile_report& report, Arrays arrays) {
  if (report.array < arrays.size())
    return element(report.offset, arrays[report.array], report.size);
  if (report.offset == 0)
    return "through a null pointer";
  return near(static_cast<unsigned long long>(report.offset), arrays, report.size);
}

std::string access(unsigned flags) {
  const unsigned kind = flags & (cuda_tile_reads | cuda_tile_writes);
  const char* const word = kind == cuda_tile_reads ? "read" : kind == cuda_tile_writes ? "write" : "update";
  return std::string(flags & cuda_tile_is_atomic ? "atomic " : "") + word;
}

// ---- what happened ---------------------------------------------------------------------------------------

/// The value of a tile's element, and what was assumed about it.
std::string assumption(const std::string& function, const cuda_tile_report& report) {
  const std::string value = show(report.values[0]), a = show(report.values[1]), b = show(report.values[2]),
                    c = show(report.values[3]);
  std::string wanted = "aligned to " + a + " bytes";
  if (function == "assume_blocked")
    wanted = "as the first element of its block";
  else if (function == "assume_bounded")
    wanted = "from " + a + " to " + b;
  else if (function == "assume_bounded_above")
    wanted = "at most " + b;
  else if (function == "assume_bounded_below")
    wanted = "at least " + a;
  else if (function == "assume_divisible")
    wanted = "divisible by " + a;
  else if (function == "assume_divisible_strided")
    wanted = "in a run of " + b + " along " + c + " that counts up from a multiple of " + a;
  else if (function == "assume_aligned_strided")
    wanted = "in a run of " + b + " along " + c + " from an address aligned to " + a + " bytes";
  return function + ": an element is " + value + ", and was assumed to be " + wanted;
}

std::string what(const cuda_tile_report& report, Arrays arrays) {
  const std::string function = report.function;
  const auto value = [&](unsigned i) { return show(report.values[i]); };
  const std::string where_partitions =
      value(0) + " along dimension " + value(1) + ", where there are " + value(2) + " partitions";
  switch (report.kind) {
  case cuda_tile_partition_bounds:
    return "partition index " + where_partitions;
  case cuda_tile_extract_bounds:
    return "extract: index " + where_partitions;
  case cuda_tile_assumption:
    return assumption(function, report);
  case cuda_tile_pointer_arithmetic: {
    const auto operand = [&](unsigned i) {
      return is_pointer(report.values[i]) ? "a pointer " + near(report.values[i].bits, arrays, 1) : value(i);
    };
    const std::string sign = function.starts_with("operator") ? function.substr(8) : function;
    return function + ": " + operand(0) + " " + sign + " " + operand(1);
  }
  case cuda_tile_data_race:
    if (report.flags == 0)
      return function + ": another element of the tile points to the same location, " +
             near(report.values[0].bits, arrays, 1);
    break;
  default:
    break;
  }
  if (report.flags != 0)
    return function + ": " + access(report.flags) + " of " + std::to_string(report.size) + " bytes " +
           memory(report, arrays);
  std::string out = function;
  for (unsigned i = 0; i < report.value_count; ++i)
    out += (i ? ", " : "(") + value(i);
  return out + (report.value_count ? ")" : "");
}

std::string where(const SourceLine& line) {
  if (line.line == 0)
    return "at an unknown line (finding it needs addr2line or llvm-symbolizer)";
  return line.file + ":" + std::to_string(line.line);
}

unsigned frame_count(const cuda_tile_report& report) {
  unsigned count = 0;
  while (count < 32 && report.frames[count] != 0)
    ++count;
  return count;
}

} // namespace

std::string report_text(const cuda_tile_program_kernel& kernel, const cuda_tile_report& report, Arrays arrays,
                        bool waits) {
  const void* const code = reinterpret_cast<const void*>(kernel.tile.entry);
  const SourceLine place = find_line(code, report.frames, frame_count(report));
  std::string at =
      "  " + where(place) + ", kernel " + source_name(kernel) + ", block " + tuple(report.block, 3);
  if (waits)
    return "all running blocks wait for a value that none of them changes, so the launch would never end\n" +
           at + ": repeated " + report.function + "\n" + excerpt(place) +
           "  A block may wait for blocks with lower numbers, which start before it, and for locks.\n";
  if (report.rank != 0)
    at += ", element " + tuple(report.index, report.rank);
  const ViolationText& kind = violation_texts[report.kind];
  std::string out = std::string(kind.name) + ": " + what(report, arrays) + "\n" + at + "\n" + excerpt(place);
  if (report.other_frame != 0) {
    const SourceLine other = find_line(code, &report.other_frame, 1);
    out += "  and " + access(report.other_flags) + " at " + where(other) + ", block " +
           tuple(report.other_block, 3) + "\n" + excerpt(other);
  }
  return out + "  " + kind.requirement + " [" + kind.section + "]\n";
}

[[noreturn]] void stop_with_report(const cuda_tile_program_kernel& kernel, const cuda_tile_report& report,
                                   Arrays arrays, bool waits) {
  std::fflush(stdout);
  std::fputs(report_text(kernel, report, arrays, waits).c_str(), stderr);
  std::_Exit(1);
}

} // namespace cuda_tile_runtime
