// Formats a tile as NumPy shows an array, with its type and its block: text that one thread of a block
// prints.
#pragma once

#include "cuda_tile/core/element_text.h"
#include "cuda_tile/platform/platform.h"
#include "cuda_tile/print/printer.h"
#include "cuda_tile/tile/tile.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail::printing {

inline constexpr unsigned most_elements = 1000; // in larger tiles, long dimensions are elided in the middle
inline constexpr unsigned edge = 3;             // indices that are then shown at each end
inline constexpr unsigned most_columns = 100;   // of a line

__device__ inline void add(printer& out, char const* text) {
  for (; *text != 0; ++text)
    out.add(*text);
}
__device__ inline void add(printer& out, short_text const& text) {
  for (unsigned i = 0; i != text.length; ++i)
    out.add(text.at[i]);
}
__device__ inline void add_repeated(printer& out, char c, unsigned count) {
  for (; count != 0; --count)
    out.add(c);
}
__device__ inline void add_number(printer& out, unsigned long long x) {
  short_text text;
  detail::add_number(text, x, 10);
  add(out, text);
}

/// Which elements of a tile of shape S are shown: `count` of them, in row-major order.
template <typename S>
struct shown_elements {
  static constexpr unsigned rank = static_cast<unsigned>(S::rank());

  CUDA_TILE_CONSTEXPR static unsigned length(unsigned d) {
    return static_cast<unsigned>(detail::length<S>(d));
  }
  CUDA_TILE_CONSTEXPR static bool is_elided(unsigned d) {
    return shape_size_v<S> > most_elements && length(d) > 2 * edge;
  }
  CUDA_TILE_CONSTEXPR static unsigned shown_length(unsigned d) { return is_elided(d) ? 2 * edge : length(d); }
  CUDA_TILE_CONSTEXPR static unsigned make_count() {
    unsigned n = 1;
    for (unsigned d = 0; d < rank; ++d)
      n *= shown_length(d);
    return n;
  }
  static constexpr unsigned count = make_count();

  /// The index of shown element n along each dimension, among those that are shown.
  struct place {
    unsigned at[rank + 1] = {};
    CUDA_TILE_CONSTEXPR explicit place(unsigned n) {
      for (unsigned d = rank; d-- > 0; n /= shown_length(d))
        at[d] = n % shown_length(d);
    }
    /// How many of the last dimensions are at index 0, or (ends()) at their last index.
    CUDA_TILE_CONSTEXPR unsigned begins() const {
      unsigned k = 0;
      while (k < rank && at[rank - 1 - k] == 0)
        ++k;
      return k;
    }
    CUDA_TILE_CONSTEXPR unsigned ends() const {
      unsigned k = 0;
      while (k < rank && at[rank - 1 - k] == shown_length(rank - 1 - k) - 1)
        ++k;
      return k;
    }
    /// Whether elements are elided just before this one, k dimensions from the last one.
    CUDA_TILE_CONSTEXPR bool is_behind_gap(unsigned k) const {
      return is_elided(rank - 1 - k) && at[rank - 1 - k] == edge;
    }
  };

  /// The row-major index of shown element n in the tile.
  CUDA_TILE_CONSTEXPR static unsigned index(unsigned n) {
    place const at(n);
    unsigned i = 0;
    for (unsigned d = 0; d < rank; ++d)
      i = i * length(d) + at.at[d] + (is_elided(d) && at.at[d] >= edge ? length(d) - 2 * edge : 0);
    return i;
  }
};

/// Prints the shown elements, one after the other, and the text between them.
template <typename S>
class array_printer {
public:
  __device__ array_printer(printer& out, unsigned width) : out_(out), width_(width) {}

  __device__ void add(unsigned n, short_text const& text) {
    typename shown_elements<S>::place const place(n);
    if (unsigned const begins = place.begins(); begins != 0 || n == 0)
      begin_row(place, n == 0, begins);
    else
      go_on(place);
    add_repeated(out_, ' ', width_ - text.length);
    printing::add(out_, text);
    column_ += width_;
    add_repeated(out_, ']', place.ends());
  }

private:
  using place = typename shown_elements<S>::place;
  static constexpr unsigned rank = shown_elements<S>::rank;

  __device__ void begin_row(place const& at, bool is_first, unsigned begins) {
    if (!is_first) {
      begin_lines(begins);
      if (at.is_behind_gap(begins)) {
        printing::add(out_, "...");
        begin_lines(begins);
      }
    }
    add_repeated(out_, '[', begins);
    column_ = rank;
  }
  __device__ void begin_lines(unsigned begins) {
    add_repeated(out_, '\n', begins);
    add_repeated(out_, ' ', rank - begins);
  }
  __device__ void go_on(place const& at) {
    if (at.is_behind_gap(0)) {
      printing::add(out_, " ...");
      column_ += 4;
    }
    if (column_ + 1 + width_ > most_columns) {
      begin_lines(1);
      out_.add(' ');
      column_ = rank;
    } else {
      out_.add(' ');
      ++column_;
    }
  }

  printer& out_;
  unsigned width_, column_ = 0;
};

template <typename S>
__device__ void add_shape(printer& out) {
  add(out, "shape<");
  for (unsigned d = 0; d < S::rank(); ++d) {
    add(out, d == 0 ? "" : ", ");
    add_number(out, detail::length<S>(d));
  }
  out.add('>');
}

/// ` in block (0, 0, 0)`, which ends the heading.
__device__ inline void add_block(printer& out, unsigned x, unsigned y, unsigned z) {
  add(out, " in block (");
  add_number(out, x);
  add(out, ", ");
  add_number(out, y);
  add(out, ", ");
  add_number(out, z);
  add(out, ")\n");
}

/// Adds `label: tile<float, shape<2, 4>> in block (0, 0, 0)` for an x of type T.
template <typename T>
struct heading_of_type {
  char const* label;

  __device__ void operator()(printer& out) const {
    if (label != nullptr) {
      add(out, label);
      add(out, ": ");
    }
    if constexpr (scalar<T>) {
      add(out, element_type_text<T>());
    } else {
      add(out, "tile<");
      add(out, element_type_text<typename T::element_type>());
      add(out, ", ");
      add_shape<typename T::shape_type>(out);
      out.add('>');
    }
    uint3 const block = platform::block_index();
    add_block(out, block.x, block.y, block.z);
  }
};

/// Prints a tile of shape S under the heading that heading(out) adds. `for_each(f)` calls f(n, text) for each
/// shown element, in the thread that prints.
template <typename S, typename Heading, typename ForEach>
CUDA_TILE_API void print_array(Heading heading, bool prints, ForEach for_each) {
  unsigned width = 0;
  for_each([&](unsigned, short_text const& text) { width = text.length > width ? text.length : width; });
  printer out;
  if (prints) {
    out.begin();
    heading(out);
  }
  array_printer<S> array(out, width);
  for_each([&](unsigned n, short_text const& text) { array.add(n, text); });
  if (prints) {
    out.add('\n');
    out.end();
  }
}

struct text_of_element {
  template <typename E>
  __device__ short_text operator()(E x) const {
    return detail::element_text(x);
  }
};

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail::printing
