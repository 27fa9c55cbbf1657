// What a kernel on the host and its launcher (lib/) agree on: a block's context and a kernel's description.
// C structures only: kernels are compiled apart from the launcher, perhaps by another compiler.
#pragma once

/// One thread's view of the block that it runs. The launcher fills it in, the platform header reads it.
struct cuda_tile_block {
  unsigned block[3]; // index of the block in the grid
  unsigned grid[3];  // number of blocks
  unsigned thread;   // index of the thread in the block; 0 where a block has one thread
  void* scratch;     // memory that the threads of one block share; null where a block has one thread
  void (*barrier)(
      cuda_tile_block*); // waits for the other threads of the block; null where a block has one thread
  void* launcher;        // the launcher's own
  const struct cuda_tile_checks* checks; // of a checked launch (launch/checks.h), else null
  const char* barrier_file; // where in the source the barrier is that this thread waits in; null: not told
  unsigned barrier_line;
  const void* last_loaded; // where the kernel last loaded from an array that it may also store to; null: none
  unsigned locks;          // that this thread holds, so that it must not be ended
  char thrown[200];        // what an exception that left the kernel said; empty: none did
};

/// Runs one thread of `count` blocks: of that which `block` names, and of those that follow it in x. `block`
/// names the last one afterwards, or that which an exception left. `arguments[i]` points to the value of
/// parameter i.
typedef void (*cuda_tile_entry)(void* const* arguments, cuda_tile_block* block, unsigned count);

/// A kernel instantiated for the host: each is exported as `cuda_tile_kernel_<i>`.
struct cuda_tile_kernel {
  const char* name; // the name expression that it was made from
  cuda_tile_entry entry;
  unsigned threads;       // threads that share one block
  unsigned scratch_bytes; // size of cuda_tile_block::scratch
  unsigned parameter_count;
  const unsigned* parameters; // one code each, see core/signature.h
};
