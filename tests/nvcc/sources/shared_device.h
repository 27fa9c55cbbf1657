// What shared_a.cu uses and shared_b.cu defines.
struct Counter {
  int v;
  __device__ int get() const;
};
