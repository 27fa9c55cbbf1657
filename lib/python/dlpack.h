// DLPack's tensor, and the functions that describe a framework's own tensor as one without creating a Python
// object (DLPack 1.3, the capsule __dlpack_c_exchange_api__).
#pragma once

#include <cstdint>

namespace dlpack {

enum device : std::int32_t { host = 1, cuda = 2, cuda_host = 3, cuda_managed = 13 };
constexpr std::uint8_t complex_code = 5;

struct Tensor {
  void* data;
  std::int32_t device_type;
  std::int32_t device_id;
  std::int32_t dimensions;
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
  std::int64_t* shape;
  std::int64_t* strides; // in elements; null: C-contiguous
  std::uint64_t byte_offset;

  std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(data) + byte_offset; }

  bool is_empty() const {
    for (std::int32_t i = 0; i < dimensions; ++i)
      if (shape[i] == 0)
        return true;
    return false;
  }

  bool is_contiguous() const {
    std::int64_t expected = 1;
    for (std::int32_t i = dimensions - 1; strides && i >= 0; --i) {
      if (shape[i] != 1 && strides[i] != expected)
        return false;
      expected *= shape[i];
    }
    return true;
  }
};

struct ExchangeApi {
  std::uint32_t major, minor;
  ExchangeApi* previous;
  void *allocate, *export_managed, *import_managed;
  /// Describes a tensor; the GIL must be held. Returns -1 with a Python exception if DLPack cannot do so.
  int (*describe)(void* object, Tensor* out);
  /// Gets the framework's current stream of a device. Returns -1 with a Python exception on failure.
  int (*current_stream)(std::int32_t device_type, std::int32_t device_id, void** out);
};

} // namespace dlpack
