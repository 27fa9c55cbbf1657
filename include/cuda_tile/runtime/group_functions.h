// Functions of any group of threads: reductions, scans, and copies that the group shares.
#pragma once

#include "cuda_tile/runtime/device/device.h"

namespace cooperative_groups {

template <typename Group>
void sync(const Group& group) {
  group.sync();
}
template <typename Group>
auto thread_rank(const Group& group) {
  return group.thread_rank();
}
template <typename Group>
auto group_size(const Group& group) {
  return group.size();
}
template <typename Group>
bool is_valid(const Group& group) {
  return group.is_valid();
}
/// Calls `function` by one thread of the group.
template <typename Group, typename Function, typename... Arguments>
void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
  if (group.thread_rank() == 0)
    function(static_cast<Arguments&&>(arguments)...);
}

#define CUDA_TILE_OPERATION(name, expression)                                                                \
  template <typename T = void>                                                                               \
  struct name {                                                                                              \
    T operator()(T a, T b) const { return static_cast<T>(expression); }                                      \
  };                                                                                                         \
  template <>                                                                                                \
  struct name<void> {                                                                                        \
    template <typename T>                                                                                    \
    T operator()(T a, T b) const {                                                                           \
      return static_cast<T>(expression);                                                                     \
    }                                                                                                        \
  };
CUDA_TILE_OPERATION(plus, a + b)
CUDA_TILE_OPERATION(less, b < a ? b : a)
CUDA_TILE_OPERATION(greater, a < b ? b : a)
CUDA_TILE_OPERATION(bit_and, a& b)
CUDA_TILE_OPERATION(bit_or, a | b)
CUDA_TILE_OPERATION(bit_xor, a ^ b)
#undef CUDA_TILE_OPERATION

template <typename Group, typename T, typename Operation>
T reduce(const Group& group, T value, Operation operation) {
  if constexpr (requires { group.fold(value, operation); })
    return group.fold(value, operation);
  else
    return cuda_tile::runtime::reduce(group.mask(), value, operation);
}
template <typename Group, typename T, typename Operation = plus<T>>
T inclusive_scan(const Group& group, T value, Operation operation = {}) {
  for (unsigned width = 1; width < group.size(); width *= 2) {
    const T other = group.shfl_up(value, width);
    if (group.thread_rank() >= width)
      value = operation(other, value);
  }
  return value;
}
/// The first thread gets a value of zero bits.
template <typename Group, typename T, typename Operation = plus<T>>
T exclusive_scan(const Group& group, T value, Operation operation = {}) {
  const T before = group.shfl_up(inclusive_scan(group, value, operation), 1);
  return group.thread_rank() == 0 ? T{} : before;
}

/// Each thread copies its share at once; wait() waits for all.
template <typename Group, typename To, typename From>
void memcpy_async(const Group& group, To* to, const From* from, size_t bytes) {
  for (size_t i = group.thread_rank(); i < bytes; i += group.size())
    reinterpret_cast<char*>(to)[i] = reinterpret_cast<const char*>(from)[i];
}
template <typename Group>
void wait(const Group& group) {
  group.sync();
}
/// Copies are done when they return, so all but the last ones are, too.
template <unsigned Prior, typename Group>
void wait_prior(const Group& group) {
  group.sync();
}
/// In elements: as many as both ranges have.
template <typename Group, typename T>
void memcpy_async(const Group& group, T* to, size_t to_count, const T* from, size_t from_count) {
  memcpy_async(group, to, from, sizeof(T) * (to_count < from_count ? to_count : from_count));
}

} // namespace cooperative_groups
