// cuda_tile::print(t) and print("label", t): a tile as NumPy shows an array, with its type and its block.
// Once a block, whatever the number of threads that share it; all of them take part.
#pragma once

#include "cuda_tile.h"

#if defined(__CUDACC_TILE__)

namespace cuda_tile {

template <typename... Arguments>
__tile__ void print(Arguments const&...) {
  static_assert(
      sizeof...(Arguments) == 99,
      "cuda_tile::print is for the targets cpu, emulated and simt: NVIDIA's tile compiler takes tiles "
      "in printf itself, as in printf(\"%f\\n\", t)");
}

} // namespace cuda_tile

#else

#include "cuda_tile/core/element_text.h"
#if CUDA_TILE_ON_CUDA
#include "cuda_tile/print/cuda_printer.h"
#else
#include "cuda_tile/print/host_printer.h"
#endif

namespace cuda_tile::inline CUDA_TILE_ABI::detail {

namespace ct = cuda::tiles;
using ct::detail::short_text;
using ct::platform::printer;

inline constexpr unsigned most_elements = 1000; // of greater tiles, long dimensions are elided in the middle
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
  ct::detail::add_number(text, x, 10);
  add(out, text);
}

/// Which elements of a tile of shape S are shown: `count` of them, in row-major order.
template <typename S>
struct shown_elements {
  static constexpr unsigned rank = static_cast<unsigned>(S::rank());

  CUDA_TILE_CONSTEXPR static unsigned length(unsigned d) {
    return static_cast<unsigned>(ct::detail::length<S>(d));
  }
  CUDA_TILE_CONSTEXPR static bool is_elided(unsigned d) {
    return ct::shape_size_v<S> > most_elements && length(d) > 2 * edge;
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
    /// How many of the last dimensions have index 0, or the last one.
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
    /// Whether something is left out just before this, k dimensions from the last one.
    CUDA_TILE_CONSTEXPR bool is_behind_gap(unsigned k) const {
      return is_elided(rank - 1 - k) && at[rank - 1 - k] == edge;
    }
  };

  /// Its row-major index in the tile.
  CUDA_TILE_CONSTEXPR static unsigned index(unsigned n) {
    place const at(n);
    unsigned i = 0;
    for (unsigned d = 0; d < rank; ++d)
      i = i * length(d) + at.at[d] + (is_elided(d) && at.at[d] >= edge ? length(d) - 2 * edge : 0);
    return i;
  }
};

/// f(n, text) in the block's first thread for each shown element.
template <typename T, typename F>
CUDA_TILE_API void for_each_shown(T const& x, F const& f) {
  using E = typename T::element_type;
  using shown = shown_elements<typename T::shape_type>;
  using distribution = typename T::distribution;
  if constexpr (ct::platform::block_threads == 1) {
    for (unsigned n = 0; n < shown::count; ++n) {
      unsigned const i = shown::index(n);
      if (ct::checks::is_undefined(x, i))
        f(n, short_text{{'?'}, 1});
      else
        f(n, ct::detail::element_text(x.slots[i]));
    }
  } else {
    // Through shared memory, a part at a time.
    constexpr unsigned part =
        ct::detail::least(distribution::size, static_cast<unsigned>(ct::platform::scratch_bytes / sizeof(E)));
    E* const scratch = static_cast<E*>(ct::platform::scratch<part * sizeof(E)>());
    unsigned const t = ct::platform::thread();
    for (unsigned n = 0; n < shown::count;) {
      unsigned const begin = shown::index(n) / part * part;
      ct::platform::barrier();
      CUDA_TILE_UNROLL
      for (unsigned s = 0; s < distribution::slots; ++s) {
        unsigned const i = distribution::index(t, s) - begin;
        if (i < part && distribution::first(t))
          scratch[i] = x.slots[s];
      }
      ct::platform::barrier();
      for (; n < shown::count && shown::index(n) - begin < part; ++n)
        if (t == 0)
          f(n, ct::detail::element_text(scratch[shown::index(n) - begin]));
    }
  }
}

/// Prints what is between shown elements, and the elements, one after the other.
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
    detail::add(out_, text);
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
        detail::add(out_, "...");
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
      detail::add(out_, " ...");
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
    add_number(out, ct::detail::length<S>(d));
  }
  out.add('>');
}

/// `label: tile<float, shape<2, 4>> in block (0, 0, 0):`
template <typename T>
__device__ void add_heading(printer& out, char const* label) {
  if (label != nullptr) {
    add(out, label);
    add(out, ": ");
  }
  if constexpr (ct::scalar<T>) {
    add(out, ct::detail::element_type_text<T>());
  } else {
    add(out, "tile<");
    add(out, ct::detail::element_type_text<typename T::element_type>());
    add(out, ", ");
    add_shape<typename T::shape_type>(out);
    out.add('>');
  }
  uint3 const block = ct::platform::block_index();
  add(out, " in block (");
  add_number(out, block.x);
  add(out, ", ");
  add_number(out, block.y);
  add(out, ", ");
  add_number(out, block.z);
  add(out, ")\n");
}

/// In all threads of a block; the first one prints.
template <typename T>
CUDA_TILE_API void print_tile(char const* label, T const& x) {
  using tile = decltype(ct::tile(x));
  tile const copy(x);
  auto const& elements = ct::detail::normal(copy);
  unsigned width = 0;
  detail::for_each_shown(
      elements, [&](unsigned, short_text const& text) { width = text.length > width ? text.length : width; });
  bool const prints = ct::platform::thread() == 0;
  printer out;
  if (prints) {
    out.begin();
    add_heading<T>(out, label);
  }
  array_printer<typename tile::shape_type> array(out, width);
  detail::for_each_shown(elements, [&](unsigned n, short_text const& text) { array.add(n, text); });
  if (prints) {
    out.add('\n');
    out.end();
  }
}

} // namespace cuda_tile::inline CUDA_TILE_ABI::detail

namespace cuda_tile::inline CUDA_TILE_ABI {

/// Prints a tile or a scalar, under a label.
template <typename T>
CUDA_TILE_API void print(char const* label, T const& x) {
  static_assert(
      cuda::tiles::tile_like<T>,
      "cuda_tile::print takes a tile or a scalar, and before it a label if there is one: of a span or "
      "view, print the tile that is loaded");
  if constexpr (cuda::tiles::tile_like<T>)
    detail::print_tile(label, x);
}
template <typename T>
CUDA_TILE_API void print(T const& x) {
  cuda_tile::print(nullptr, x);
}

} // namespace cuda_tile::inline CUDA_TILE_ABI

#endif
