// What the programs of this folder share: checked calls, an array in device memory, and a comparison.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#define CHECK(call) check((call), #call, __FILE__, __LINE__)

inline void check(cudaError_t error, const char* call, const char* file, int line) {
  if (error == cudaSuccess)
    return;
  std::fprintf(stderr, "%s:%d: %s: %s (%s)\n", file, line, call, cudaGetErrorString(error),
               cudaGetErrorName(error));
  std::exit(EXIT_FAILURE);
}

/// An array in device memory, freed with its owner.
template <typename T>
class DeviceArray {
public:
  explicit DeviceArray(size_t count) : count_(count) { CHECK(cudaMalloc(&data_, count * sizeof(T))); }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    CHECK(cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { CHECK(cudaFree(data_)); }

  T* get() const { return data_; }
  size_t size() const { return count_; }
  std::vector<T> to_host() const {
    std::vector<T> values(count_);
    CHECK(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

private:
  T* data_ = nullptr;
  size_t count_;
};

/// Numbers in [low, high), the same in every run.
inline std::vector<float> random_floats(size_t count, float low = -1, float high = 1, unsigned seed = 1) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> distribution(low, high);
  std::vector<float> values(count);
  for (float& value : values)
    value = distribution(generator);
  return values;
}

/// Compares results with what is expected and returns the program's exit code.
inline int compare(const char* what, const std::vector<float>& found, const std::vector<double>& expected,
                   double tolerance) {
  double worst = found.size() == expected.size() ? 0 : INFINITY;
  for (size_t i = 0; i < found.size() && i < expected.size(); ++i) {
    const double error = std::fabs(found[i] - expected[i]) / std::fmax(1, std::fabs(expected[i]));
    if (!(error <= worst)) // also true of NaN
      worst = error;
  }
  const bool is_right = worst <= tolerance;
  std::printf("%s: largest error %.2g, %s\n", what, worst, is_right ? "right" : "WRONG");
  return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
