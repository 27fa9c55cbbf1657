// The interface between a checked build (CUDA_TILE_CHECKED) and the launcher. C structures only, as in
// block.h.
#pragma once

#include "cuda_tile/launch/block.h"
#include "cuda_tile/launch/violations.h"

/// The bits of a value that a report shows; `code` is its type as in core/signature.h.
struct cuda_tile_value {
  unsigned code;
  unsigned long long bits;
};

/// An element of a tile: the function that used it, and its position.
struct cuda_tile_element {
  const char* function;    // its name in the manual
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

/// Accesses to adjacent elements.
struct cuda_tile_access {
  const void* address;
  unsigned long long count;
  unsigned size; // bytes of an element
  unsigned flags;
  cuda_tile_element element; // of the first
};

/// The location that an element of a tile points to.
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

/// The first violation of a launch. Code addresses are offsets into the kernel's library, for use with its
/// debug information; on a GPU they are numbers of sites. 0 means none.
struct cuda_tile_report {
  unsigned kind; // a cuda_tile_violation_kind
  char function[64];
  unsigned rank, index[16]; // of the element
  unsigned block[3];
  unsigned value_count;
  cuda_tile_value values[4];
  unsigned long long frames[32]; // of the block's stack, the innermost first
  // For memory accesses: the access, and its offset from the first element of an array.
  unsigned flags, size, array; // array: an index, or ~0 if there is none
  long long offset;            // in bytes
  // For races: the other access.
  unsigned other_flags, other_block[3];
  unsigned long long other_frame;
};

/// The data that a checked launch on a GPU receives and returns.
struct cuda_tile_device_checks {
  cuda_tile_report report;
  unsigned is_taken; // whether the report has been filled in
  unsigned array_count;
  unsigned long long ignored; // one bit per kind
  cuda_tile_array arrays[512];
};

/// The launcher's part of the checks.
struct cuda_tile_checks {
  /// Ends the block and the launch. Returns if violations of that kind are ignored.
  void (*report)(cuda_tile_block*, const cuda_tile_violation*);
  /// Checks accesses before they happen; does not return if they are not allowed.
  void (*access)(cuda_tile_block*, const cuda_tile_access*);
  /// Orders everything that was released at an address before what the block does next.
  void (*acquired)(cuda_tile_block*, const void* address);
  /// An atomic update changed memory, so blocks that wait for it may continue.
  void (*changed)(cuda_tile_block*);
  /// Finds the array that contains an address or ends there; returns false if the launcher knows no such
  /// array.
  int (*find_array)(cuda_tile_block*, const void* address, const char** begin, const char** end);
  /// The index of a place that repeats the address of an earlier one, or `count` if there is none. Sorts the
  /// places.
  unsigned (*find_repetition)(cuda_tile_block*, cuda_tile_place* places, unsigned count);
  /// Keeps a record of which elements of a tile have no value until the block ends; returns its number, above
  /// 1.
  unsigned (*keep_undefined)(cuda_tile_block*, const unsigned char* undefined, unsigned count);
  const unsigned char* (*undefined)(cuda_tile_block*, unsigned number);
};
