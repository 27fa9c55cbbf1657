#pragma once
#include <vector>
#include <cuda_tile.h>
#include <stdexcept>
#ifndef CHECK
#define CHECK(x) do { if ((x) != cudaSuccess) throw std::runtime_error(#x); } while (0)
#endif
namespace util {
namespace ct = cuda::tiles;
template <typename T> class DeviceBuffer {
 public:
  explicit DeviceBuffer(size_t n) { CHECK(cudaMalloc(&ptr_, n * sizeof(T))); }
  ~DeviceBuffer() { cudaFree(ptr_); }
  T* get() const { return ptr_; }
 private:
  T* ptr_ = nullptr;
};
template <int N> __tile__ inline auto lane() { return ct::iota<ct::tile<int, ct::shape<N>>>(); }
__tile__ inline int clampi(int v, int lo, int hi) { return v < lo ? lo : (v > hi ? hi : v); }
inline std::vector<float> ramp(int n) { std::vector<float> v(n); for (int i = 0; i < n; ++i) v[i] = i; return v; }
}
