// Rows of which the places are progressions, from one part to the next.
#pragma once

#include "cuda_tile/loops/progressions.h"

namespace cuda_tile::inline CUDA_TILE_ABI::loops {

/// Neighbours, or one element: from the position `begin` up to but not including `end`. Neighbours are there
/// once, or Repeats times each, of the first one `phase` times fewer.
template <long long Repeats>
struct piece {
  long long begin = 0, end = 0, first = 0, step = 0, phase = 0;
  bool repeats = false;

  CUDA_TILE_API piece() = default;
  CUDA_TILE_API piece(long long position, progression x)
      : begin(position), end(position), first(x.first), phase(x.phase) {
    if constexpr (Repeats > 1)
      repeats = x.step == 1 && x.repeats == Repeats;
    if (x.step != 0 && x.repeats != 1 && !repeats)
      x = x.of_one_number();
    step = x.step;
    if (x.step == 0 || x.step == 1)
      end += least(x.count, 1ll << 62); // numbers that do not vary have any count
  }
  CUDA_TILE_API long long place(long long position) const {
    long long const distance = position - begin;
    return first + (Repeats > 1 && repeats ? (distance + phase) / Repeats : distance * step);
  }
  /// Whether the strip of S elements at a position begins with a neighbour's first time, or is one element.
  template <unsigned S>
  CUDA_TILE_API bool is_even(long long position) const {
    auto const times = static_cast<unsigned long long>(position - begin + phase) % Repeats;
    return !repeats || (S < Repeats ? times + S <= Repeats : times == 0 && S % Repeats == 0);
  }
};

/// A row whose elements are neighbours, if its places are known to be a progression.
struct neighbours {
  long long first;
  bool exist;

  static constexpr long long repeats = 1;

  CUDA_TILE_API neighbours(progression x, long long count)
      : first(x.first), exist(x.step == 1 && x.count >= count) {}
  CUDA_TILE_API long long place(long long position) const { return first + position; }
  template <unsigned S>
  CUDA_TILE_API static constexpr bool is_one() {
    return false;
  }
  CUDA_TILE_API static constexpr bool is_repeated() { return false; }
  CUDA_TILE_API static constexpr bool is_cut(long long) { return false; }
  CUDA_TILE_API static piece<1> before() { return {}; }
  CUDA_TILE_API static piece<1> now() { return {}; }
};

/// The present part of a row of which the places are a progression, and the one before it. Its neighbours may
/// be there Repeats times each.
template <long long Repeats>
class run {
public:
  static constexpr long long repeats = Repeats;

  /// Whether the strip of S elements at a position is part of one piece. After it is not even part of two
  /// that follow each other, fewer and fewer strips are asked for.
  template <unsigned S, typename F>
  CUDA_TILE_API bool has(long long position, F const& at) {
    long long const end = position + S;
    if (position >= now_.begin && end <= now_.end)
      return now_.template is_even<S>(position);
    if (waits_ > 0) {
      --waits_;
      return false;
    }
    if (position < now_.begin || position >= now_.end)
      now_ = piece<Repeats>(position, at(position));
    if (now_.end > position && now_.end < end) {
      before_ = now_;
      now_ = piece<Repeats>(before_.end, at(before_.end));
    }
    bool const follows = now_.end >= end;
    if (!follows)
      now_ = {};
    misses_ = follows ? 0 : misses_ < most_misses ? misses_ + 1 : misses_;
    waits_ = (1u << misses_) / 2 - (misses_ > 0); // none after the first one, which may be where a run ends
    return follows && position >= now_.begin && now_.template is_even<S>(position);
  }
  /// Of a strip in one piece.
  CUDA_TILE_API long long place(long long position) const { return now_.place(position); }
  /// Whether it is one element.
  template <unsigned S>
  CUDA_TILE_API bool is_one() const {
    return now_.step == 0 || (Repeats >= S && now_.repeats);
  }
  CUDA_TILE_API bool is_repeated() const { return now_.repeats; }
  /// Whether the strip for which has() was asked begins in the piece before the present one.
  CUDA_TILE_API bool is_cut(long long position) const { return position < now_.begin; }
  CUDA_TILE_API piece<Repeats> before() const { return before_; }
  CUDA_TILE_API piece<Repeats> now() const { return now_; }

private:
  static constexpr unsigned most_misses = 6;
  piece<Repeats> before_, now_;
  unsigned misses_ = 0, waits_ = 0;
};

} // namespace cuda_tile::inline CUDA_TILE_ABI::loops
