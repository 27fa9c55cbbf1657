// The interface between a kernel on the host and its launcher (lib/): a block's context and a kernel's
// description. C structures only, because kernels are compiled separately from the launcher, perhaps by
// another compiler.
#pragma once

/// Memory that the blocks of a launch share.
struct cuda_tile_shared_memory {
  /// The memory with this number, below cuda_tile_most_shared: at least `bytes` bytes, of which the first
  /// `zeroed` were zero when a block first asked for it. Null, for all blocks, if there is not enough.
  void* (*get)(struct cuda_tile_shared_memory*, unsigned number, unsigned long long bytes,
               unsigned long long zeroed);
};
enum { cuda_tile_most_shared = 8 };

/// One thread's view of the block that it runs. The launcher fills it in, and the platform header reads it.
struct cuda_tile_block {
  unsigned block[3]; // index of the block in the grid
  unsigned grid[3];  // number of blocks
  unsigned thread;   // index of the thread in the block; 0 where a block has one thread
  void* scratch;     // memory that the threads of a block share; null if a block has one thread
  void (*barrier)(
      cuda_tile_block*); // waits for the other threads of the block; null if a block has one thread
  void* launcher;        // private to the launcher
  const struct cuda_tile_checks* checks; // in a checked launch (launch/checks.h); otherwise null
  const char* barrier_file; // source location of the barrier that this thread waits in; null if unknown
  unsigned barrier_line;
  const void* last_loaded; // last load from an array that the kernel may also store to; null if none
  unsigned locks;          // number of locks that this thread holds; it must not be ended while it holds any
  struct cuda_tile_shared_memory* shared; // null if blocks share none
  char thrown[200]; // message of an exception that left the kernel, or of a trap; empty if there was none
};

/// Runs one thread of `count` blocks: the one that `block` names and those that follow it in x. Afterwards
/// `block` names the last one, or the one that an exception left. `arguments[i]` points to the value of
/// parameter i.
typedef void (*cuda_tile_entry)(void* const* arguments, cuda_tile_block* block, unsigned count);

/// A kernel instantiated for the host; each is exported as `cuda_tile_kernel_<i>`.
struct cuda_tile_kernel {
  const char* name; // the name expression that it was instantiated from
  cuda_tile_entry entry;
  unsigned threads;       // threads that share one block
  unsigned scratch_bytes; // size of cuda_tile_block::scratch
  unsigned parameter_count;
  const unsigned* parameters; // one code per parameter, see core/signature.h
  unsigned independent;       // whether its blocks never wait for each other; 0 if that is not known
};
