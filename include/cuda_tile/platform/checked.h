// What a checked build (CUDA_TILE_CHECKED) and the launcher tell each other. C structures only, as block.h.
#pragma once

#include "cuda_tile/platform/block.h"
#include "cuda_tile/platform/violations.h"

/// A value that a report shows, as its bits; `code` is its type as in core/signature.h.
struct cuda_tile_value {
  unsigned code;
  unsigned long long bits;
};

/// An element of a tile: the function that met it, and where it lies.
struct cuda_tile_element {
  const char* function;    // as the manual calls it
  const unsigned* lengths; // of the tile
  unsigned rank;
  unsigned position; // in row-major order
};

struct cuda_tile_violation {
  cuda_tile_violation_kind kind;
  cuda_tile_element element;
  unsigned value_count;
  cuda_tile_value values[4];
};

enum cuda_tile_access_flags {
  cuda_tile_reads = 1,
  cuda_tile_writes = 2,
  cuda_tile_is_atomic = 4,
  cuda_tile_acquires = 8,
  cuda_tile_releases = 16,
  cuda_tile_block_scope = 32, // orders nothing between blocks
};

/// Accesses of elements that lie one behind the other.
struct cuda_tile_access {
  const void* address;
  unsigned long long count;
  unsigned size; // bytes of an element
  unsigned flags;
  cuda_tile_element element; // of the first
};

/// Where an element of a tile points to.
struct cuda_tile_place {
  const void* address;
  unsigned position;
};

/// The launcher's part of the checks.
struct cuda_tile_checks {
  /// Ends the block and the launch. Returns if violations of that kind are ignored.
  void (*report)(cuda_tile_block*, const cuda_tile_violation*);
  /// Checks accesses before they happen; does not return if they must not.
  void (*access)(cuda_tile_block*, const cuda_tile_access*);
  /// Whatever was released at an address is ordered before what the block does next.
  void (*acquired)(cuda_tile_block*, const void* address);
  /// An atomic update gave memory other bits: who waits for that may go on.
  void (*changed)(cuda_tile_block*);
  /// The array that an address lies in or right behind; false if it is in none that the launcher knows.
  int (*find_array)(cuda_tile_block*, const void* address, const char** begin, const char** end);
  /// The place whose address an earlier one has, too; `count` if there is none. Sorts the places.
  unsigned (*find_repetition)(cuda_tile_block*, cuda_tile_place* places, unsigned count);
  /// Keeps which elements of a tile have no value until the block ends, and gives them a number above 1.
  unsigned (*keep_undefined)(cuda_tile_block*, const unsigned char* undefined, unsigned count);
  const unsigned char* (*undefined)(cuda_tile_block*, unsigned number);
};
