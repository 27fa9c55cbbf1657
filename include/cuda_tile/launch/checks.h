// What a checked build (CUDA_TILE_CHECKED) and the launcher tell each other. C structures only, as block.h.
#pragma once

#include "cuda_tile/launch/block.h"
#include "cuda_tile/launch/violations.h"

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

/// Memory that a checked launch may access.
struct cuda_tile_array {
  const void* address;
  unsigned long long bytes;
  unsigned item_bytes;
  unsigned writable;
};

/// Of the first violation of a launch. Code addresses are offsets in the kernel's library, for its debug
/// information, on a GPU numbers of sites; 0 stands for none.
struct cuda_tile_report {
  unsigned kind; // a cuda_tile_violation_kind
  char function[64];
  unsigned rank, index[16]; // of the element
  unsigned block[3];
  unsigned value_count;
  cuda_tile_value values[4];
  unsigned long long frames[32]; // of the block's stack, the innermost first
  // Where memory is concerned: the access, and where it is from the first element of which array.
  unsigned flags, size, array; // array: an index, or ~0 if there is none
  long long offset;            // in bytes
  // With what an access races.
  unsigned other_flags, other_block[3];
  unsigned long long other_frame;
};

/// What a checked launch on a GPU is told and tells.
struct cuda_tile_device_checks {
  cuda_tile_report report;
  unsigned is_taken; // whether the report is one
  unsigned array_count;
  unsigned long long ignored; // bits of kinds
  cuda_tile_array arrays[512];
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
