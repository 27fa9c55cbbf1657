// The one example of the manual whose text depends on the compiler: other files are read alike by all.
#include "programs.h"

// ex-146 [2.16.1]: hints by pack expansion; on a kernel as printed, but CUDA takes no two packs there
template <size_t...>
struct ints {};
template <size_t... Archs, size_t... Xs>
#if !defined(__clang__) // which takes no pack expansion in attributes that it does not know
[[cutile::hint(Archs, occupancy = Xs)...]]
#endif
__tile__ void hinted(ints<Archs...>, ints<Xs...>, int* out) {
  *out = sizeof...(Archs);
}
__tile_global__ void ex_146(int* out) { hinted(ints<900, 1000>{}, ints<4, 8>{}, out); }
