// Launches called from Python without running Python code: a built-in function checks and packs the usual
// arguments and starts the kernel, on the host or on a GPU. Anything else is passed to the path through
// Python (pycuda_tile/launching/arguments.py), which accepts every argument or says what is wrong with it.
// pycuda_tile/launching/direct.py fills in these structures.
#pragma once

#include "api.h"
#include "dlpack.h"

#include <cstdint>

extern "C" {

/// How an argument is read.
enum cuda_tile_python_kind : unsigned {
  cuda_tile_python_integer, // anything usable as an int, from `lowest` to `highest`
  cuda_tile_python_boolean, // bool
  cuda_tile_python_float,   // float, int, NumPy's float32 or float64
  cuda_tile_python_double,
  cuda_tile_python_array, // None, NumPy array, tensor
};

struct cuda_tile_python_parameter {
  unsigned kind;
  unsigned writable;   // an array that the kernel may change
  unsigned code, bits; // DLPack's type of the elements; bits 0: any
  unsigned misaligned; // bits that must be 0 in an address
  PyObject* dtype;     // NumPy's type of the elements; null: any
  long long lowest, highest;
};

/// The Python objects that arguments are compared with.
struct cuda_tile_python_objects {
  PyObject *none, *true_object, *false_object, *int_type, *float_type, *tuple_type, *exception;
  PyObject *ndarray, *float32, *float64;  // NumPy's
  PyObject *dtype, *stream, *cuda_stream; // the strings "dtype", "stream" and "__cuda_stream__"
  PyObject *tensor, *parameter, *is_neg;  // torch.Tensor, torch.nn.Parameter, torch.Tensor.is_neg
  const dlpack::ExchangeApi* torch;       // null: tensors are not supported
  unsigned long main_thread;              // of the process: the only one where Python sees Ctrl-C
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

/// What else a launch function knows.
struct cuda_tile_python_call {
  const cuda_tile_python_kernel* kernel;
  unsigned grid[3];    // or the largest allowed if the grid is an argument
  unsigned has_stream; // otherwise the current stream of the first array's framework is used
  void* stream;
  const unsigned long* printed; // bytes that kernels on the host printed and nobody has shown; may be null
};

enum { cuda_tile_python_most_parameters = 32 };

void cuda_tile_python_set_objects(const cuda_tile_python_objects* objects);

/// Makes the function that performs a call. `self` is a tuple, which lives as long as the function does. It
/// holds the address of a cuda_tile_python_call; the path through Python, a function of the arguments; for
/// kernels on the host a function of status and message that raises the launch's error, and one that shows
/// what was printed; and anything else that must stay alive.
PyObject* cuda_tile_python_function(PyObject* self);

/// The same for a call whose first argument is the grid; a stream may be given by name.
PyObject* cuda_tile_python_function_of_grid(PyObject* self);

/// Changes whenever this interface does.
unsigned cuda_tile_python_abi_version(void);
}
