// A module for the case driver_loads_modules.
__constant__ int step = 2;
extern "C" __global__ void __launch_bounds__(64) add_steps(char count, int* values) {
  values[threadIdx.x] += count * step;
}
template <int N>
__global__ void __launch_bounds__(N > 64 ? N : 64, 2) add(int* values) {
  values[threadIdx.x] += N;
}
template __global__ void add<128>(int*);
