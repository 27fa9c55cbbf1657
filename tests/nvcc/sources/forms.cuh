// A kernel in a header, and a host function that launches it.
#pragma once
template <int V>
__global__ void in_header(int* p) {
  *p = V;
}
inline void from_header(int* p) { in_header<31><<<1, 1>>>(p); }
