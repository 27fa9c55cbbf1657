// Launches called from Python without running Python code: a built-in function checks and packs the usual
// arguments and starts the kernel, on the host or on a GPU. Whatever it does not know or does not like it
// leaves to the way through Python (pycuda_tile/launching/arguments.py), which knows everything and says what is wrong.
// pycuda_tile/launching/direct.py fills in these structures.
#pragma once

#include "api.h"
#include "dlpack.h"

#include <cstdint>

extern "C" {

/// How an argument is read.
enum cuda_tile_python_kind : unsigned {
  cuda_tile_python_integer, // what counts as an int, from `lowest` to `highest`
  cuda_tile_python_boolean, // bool
  cuda_tile_python_float,   // float, int, NumPy's float32 or float64
  cuda_tile_python_double,
  cuda_tile_python_array, // None, NumPy array, tensor
};

struct cuda_tile_python_parameter {
  unsigned kind;
  unsigned writable;   // an array that the kernel may change
  unsigned code, bits; // DLPack's of the elements; bits 0: any
  unsigned misaligned; // bits that must be 0 in an address
  PyObject* dtype;     // NumPy's of the elements; null: any
  long long lowest, highest;
};

/// Python's objects that arguments are compared with.
struct cuda_tile_python_objects {
  PyObject *none, *true_object, *false_object, *int_type, *float_type, *tuple_type, *exception;
  PyObject *ndarray, *float32, *float64;  // NumPy's
  PyObject *dtype, *stream, *cuda_stream; // the texts "dtype", "stream" and "__cuda_stream__"
  PyObject *tensor, *parameter, *is_neg;  // torch.Tensor, torch.nn.Parameter, torch.Tensor.is_neg
  const dlpack::ExchangeApi* torch;       // null: no tensor is known
  unsigned long main_thread;              // of the process: Python asks no other for Ctrl-C
};

/// What all launches of a kernel share.
struct cuda_tile_python_kernel {
  const cuda_tile_python_parameter* parameters;
  unsigned count; // at most cuda_tile_python_most_parameters
  unsigned on_device;
  void* start;                    // cuLaunchKernel, or cuda_tile_launch
  void* function;                 // CUfunction, or cuda_tile_kernel*; null: not loaded yet
  unsigned threads, shared_bytes; // of a block on a GPU
};

/// What a launch function knows besides.
struct cuda_tile_python_call {
  const cuda_tile_python_kernel* kernel;
  unsigned grid[3];    // or the greatest that may be given
  unsigned has_stream; // else the current one of the first array's framework
  void* stream;
  const unsigned long* printed; // by kernels on the host and not shown yet: bytes; null: none ever
};

enum { cuda_tile_python_most_parameters = 32 };

void cuda_tile_python_set_objects(const cuda_tile_python_objects* objects);

/// The function that makes a call. `self` is a tuple, which lives as long as the function does: the address
/// of a cuda_tile_python_call; the way through Python, a function of the arguments; for kernels on the host a
/// function of status and message that raises what a launch failed of; one that shows what was printed; and
/// whatever else must live.
PyObject* cuda_tile_python_function(PyObject* self);

/// The same, of a call whose grid is the first argument; a stream may be given by name.
PyObject* cuda_tile_python_function_of_grid(PyObject* self);

/// Changes when this interface does.
unsigned cuda_tile_python_abi_version(void);
}
