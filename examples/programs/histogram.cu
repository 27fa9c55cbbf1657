// Counts the letters of a text with atomic additions.
#include "common.h"

#include <cuda_tile.h>

#include <cctype>
#include <string>

namespace ct = cuda::tiles;

constexpr int tile_size = 256, letters = 26;

__tile_global__ void count_letters(const unsigned char* text, unsigned* counts, int length) {
  using ints = ct::tile<int, ct::shape<tile_size>>;
  ct::partition_view view{ct::tensor_span{text, ct::extents{length}}, ct::shape<tile_size>{}};
  auto letter = ct::element_cast<int>(view.load_masked(ct::bid().x)) - 'a';
  auto counted = letter >= 0 && letter < letters; // what is behind the end is 0 - 'a'
  auto place = ct::select(counted, letter, ct::zeros<ints>());
  ct::atomic_add_masked(counts + place, ct::ones<ct::tile<unsigned, ct::shape<tile_size>>>(), counted,
                        ct::memory_order_relaxed_t{}, ct::thread_scope_device_t{});
}

int main() {
  std::string text;
  for (int i = 0; i < 40; ++i)
    text += "the quick brown fox jumps over the lazy dog; sphinx of black quartz, judge my vow. ";
  unsigned expected[letters] = {};
  for (char c : text)
    if (std::islower(static_cast<unsigned char>(c)))
      ++expected[c - 'a'];

  const int length = static_cast<int>(text.size());
  DeviceArray<unsigned char> d_text(std::vector<unsigned char>(text.begin(), text.end()));
  DeviceArray<unsigned> d_counts(letters);
  CHECK(cudaMemset(d_counts.get(), 0, letters * sizeof(unsigned)));
  count_letters<<<(length + tile_size - 1) / tile_size, 1>>>(d_text.get(), d_counts.get(), length);
  CHECK(cudaGetLastError());
  int wrong = 0;
  const auto counts = d_counts.to_host();
  for (int i = 0; i < letters; ++i) {
    wrong += counts[i] != expected[i];
    std::printf("%c %u%s", 'a' + i, counts[i], i % 13 == 12 ? "\n" : "  ");
  }
  return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
