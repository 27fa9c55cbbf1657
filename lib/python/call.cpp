// Checks and packs the arguments of a launch, and starts it: see call.h.
#include "call.h"

namespace {

using Parameter = cuda_tile_python_parameter;
using Kernel = cuda_tile_python_kernel;
using Call = cuda_tile_python_call;

cuda_tile_python_objects known;

struct Arguments {
  std::uint64_t values[cuda_tile_python_most_parameters]; // little endian: small values are in the low bytes
  void* pointers[cuda_tile_python_most_parameters];
  bool has_device = false; // set by the first tensor
  std::int32_t device_id;
};

PyObject* type_of(PyObject* object) {
  PyObject* type = PyObject_Type(object);
  Py_DecRef(type); // the object keeps it alive
  return type;
}

/// Clears the error of a failed attempt, but not exceptions like KeyboardInterrupt.
bool refuse() {
  if (PyErr_ExceptionMatches(known.exception))
    PyErr_Clear();
  return false;
}

// ---- one argument each: false leaves the launch to Python ------------------------------------------------

bool take_integer(const Parameter& parameter, PyObject* object, std::uint64_t& value) {
  PyObject* index = PyNumber_Index(object);
  if (!index)
    return refuse();
  const long long number = PyLong_AsLongLong(index);
  Py_DecRef(index);
  if (number == -1 && PyErr_Occurred())
    return refuse();
  value = static_cast<std::uint64_t>(number);
  return parameter.lowest <= number && number <= parameter.highest;
}

bool take_boolean(PyObject* object, std::uint64_t& value) {
  value = object == known.true_object;
  return value || object == known.false_object;
}

bool take_number(PyObject* object, bool is_double, std::uint64_t& value) {
  PyObject* type = type_of(object);
  if (type != known.float_type && type != known.int_type && type != known.float32 && type != known.float64)
    return false;
  const double number = PyFloat_AsDouble(object);
  if (number == -1 && PyErr_Occurred())
    return refuse();
  if (is_double) {
    __builtin_memcpy(&value, &number, sizeof number);
    return true;
  }
  const float single = static_cast<float>(number);
  __builtin_memcpy(&value, &single, sizeof single);
  return !__builtin_isinf(single) || __builtin_isinf(number); // within the range of float
}

bool take_ndarray(const Parameter& parameter, PyObject* object, std::uint64_t& value) {
  if (parameter.dtype) {
    PyObject* dtype = PyObject_GetAttr(object, known.dtype);
    if (!dtype)
      return refuse();
    Py_DecRef(dtype); // the array keeps it alive
    if (dtype != parameter.dtype)
      return false;
  }
  Py_buffer view;
  if (PyObject_GetBuffer(object, &view, parameter.dtype ? PyBUF_SIMPLE : PyBUF_FORMAT))
    return refuse();
  value = reinterpret_cast<std::uint64_t>(view.buf);
  // The format has an O for objects, but the O may also belong to a name: Python decides.
  const bool may_hold_objects = !parameter.dtype && view.format && __builtin_strchr(view.format, 'O');
  const bool fits = view.len > 0 && !(view.readonly && parameter.writable) && !may_hold_objects;
  PyBuffer_Release(&view);
  return fits;
}

bool take_tensor(const Parameter& parameter, PyObject* object, bool on_device, std::uint64_t& value,
                 Arguments& arguments) {
  dlpack::Tensor tensor;
  if (known.torch->describe(object, &tensor))
    return refuse();
  const bool is_here = on_device ? tensor.device_type == dlpack::cuda : tensor.device_type == dlpack::host;
  const bool right_type = parameter.bits ? tensor.code == parameter.code && tensor.bits == parameter.bits
                                         : tensor.code != dlpack::complex_code; // may be a lazy conjugate
  if (!is_here || !right_type || tensor.lanes != 1 || tensor.is_empty() || !tensor.is_contiguous())
    return false;
  PyObject* is_negated = PyObject_CallFunctionObjArgs(known.is_neg, object, nullptr); // not in DLPack
  if (!is_negated)
    return refuse();
  Py_DecRef(is_negated);
  if (!arguments.has_device) {
    arguments.has_device = true;
    arguments.device_id = tensor.device_id;
  }
  value = tensor.address();
  return is_negated == known.false_object && tensor.data;
}

bool take_array(const Parameter& parameter, PyObject* object, bool on_device, std::uint64_t& value,
                Arguments& arguments) {
  if (object == known.none) {
    value = 0;
    return true;
  }
  PyObject* type = type_of(object);
  bool fits = false;
  if (type == known.ndarray)
    fits = !on_device && take_ndarray(parameter, object, value);
  else if (known.torch && (type == known.tensor || type == known.parameter))
    fits = take_tensor(parameter, object, on_device, value, arguments);
  return fits && !(value & parameter.misaligned);
}

bool take_all(const Kernel& kernel, PyObject* const* objects, std::ptrdiff_t count, Arguments& arguments) {
  if (count != kernel.count)
    return false;
  for (unsigned i = 0; i < kernel.count; ++i) {
    const Parameter& parameter = kernel.parameters[i];
    std::uint64_t& value = arguments.values[i];
    arguments.pointers[i] = &value;
    bool taken = false;
    switch (parameter.kind) {
    case cuda_tile_python_integer:
      taken = take_integer(parameter, objects[i], value);
      break;
    case cuda_tile_python_boolean:
      taken = take_boolean(objects[i], value);
      break;
    case cuda_tile_python_float:
      taken = take_number(objects[i], false, value);
      break;
    case cuda_tile_python_double:
      taken = take_number(objects[i], true, value);
      break;
    case cuda_tile_python_array:
      taken = take_array(parameter, objects[i], kernel.on_device, value, arguments);
      break;
    }
    if (!taken)
      return false;
  }
  return true;
}

// ---- grid and stream -------------------------------------------------------------------------------------

/// An int from 1 to `size`.
bool take_size(PyObject* object, unsigned& size) {
  if (type_of(object) != known.int_type)
    return false;
  const long long number = PyLong_AsLongLong(object);
  if (number == -1 && PyErr_Occurred())
    return refuse();
  const bool fits = 1 <= number && number <= size;
  size = static_cast<unsigned>(number);
  return fits;
}

/// An int or a tuple of one to three ints, none greater than the corresponding entry of `grid`.
bool take_grid(PyObject* object, unsigned (&grid)[3]) {
  const bool is_tuple = type_of(object) == known.tuple_type;
  const std::ptrdiff_t axes = is_tuple ? PyTuple_Size(object) : 1;
  if (axes < 1 || axes > 3)
    return false;
  for (std::ptrdiff_t i = 0; i < axes; ++i)
    if (!take_size(is_tuple ? PyTuple_GetItem(object, i) : object, grid[i]))
      return false;
  for (std::ptrdiff_t i = axes; i < 3; ++i)
    grid[i] = 1;
  return true;
}

bool take_stream_address(PyObject* object, void*& stream) {
  if (type_of(object) != known.int_type)
    return false;
  const long long address = PyLong_AsLongLong(object);
  if (address == -1 && PyErr_Occurred())
    return refuse();
  stream = reinterpret_cast<void*>(address);
  return address >= 0;
}

/// The address of a stream, or an object whose __cuda_stream__ returns a version and the address.
bool take_stream(PyObject* object, Call& call) {
  if (object == known.none)
    return true;
  if (!call.kernel->on_device)
    return false;
  call.has_stream = true;
  if (type_of(object) == known.int_type)
    return take_stream_address(object, call.stream);
  PyObject* pair = PyObject_CallMethodObjArgs(object, known.cuda_stream, nullptr);
  if (!pair)
    return refuse();
  const bool taken = type_of(pair) == known.tuple_type && PyTuple_Size(pair) == 2 &&
                     take_stream_address(PyTuple_GetItem(pair, 1), call.stream);
  Py_DecRef(pair);
  return taken;
}

/// The keyword arguments: a stream and nothing else.
bool take_named(PyObject* names, PyObject* const* objects, Call& call) {
  return PyTuple_Size(names) == 1 && PyTuple_GetItem(names, 0) == known.stream && // they are interned
         take_stream(objects[0], call);
}

// ---- starting --------------------------------------------------------------------------------------------

using StartOnDevice = int (*)(void* function, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned,
                              unsigned, unsigned shared_bytes, void* stream, void** arguments, void** extra);
using StartOnHost = int (*)(const void* kernel, void* const* arguments, const unsigned grid[3],
                            unsigned long long schedule_seed, int (*poll)(), char* error,
                            unsigned error_size);

/// Returns false if nothing was started.
bool start_on_device(const Call& call, Arguments& arguments) {
  const Kernel& kernel = *call.kernel;
  void* stream = call.stream;
  if (!call.has_stream && arguments.has_device &&
      known.torch->current_stream(dlpack::cuda, arguments.device_id, &stream))
    return refuse();
  const auto start = reinterpret_cast<StartOnDevice>(kernel.start);
  PyThreadState* state = PyEval_SaveThread(); // a launch blocks while the queue is full
  const int status = start(kernel.function, call.grid[0], call.grid[1], call.grid[2], kernel.threads, 1, 1,
                           kernel.shared_bytes, stream, arguments.pointers, nullptr);
  PyEval_RestoreThread(state);
  return status == 0;
}

/// Whether Ctrl-C was pressed.
int poll() {
  const int state = PyGILState_Ensure();
  const int interrupted = PyOS_InterruptOccurred();
  PyGILState_Release(state);
  return interrupted;
}

PyObject* none() {
  Py_IncRef(known.none);
  return known.none;
}

PyObject* run_on_host(const Call& call, Arguments& arguments, PyObject* fail, PyObject* show) {
  char error[1024];
  const auto start = reinterpret_cast<StartOnHost>(call.kernel->start);
  const auto asked = PyThread_get_thread_ident() == known.main_thread ? poll : nullptr;
  PyThreadState* state = PyEval_SaveThread();
  const int status =
      start(call.kernel->function, arguments.pointers, call.grid, 0, asked, error, sizeof error);
  PyEval_RestoreThread(state);
  if (!status)
    return call.printed && *call.printed ? PyObject_CallFunctionObjArgs(show, nullptr) : none();
  PyObject* number = PyLong_FromLong(status);
  PyObject* message = PyBytes_FromString(error);
  PyObject* result =
      number && message ? PyObject_CallFunctionObjArgs(fail, number, message, nullptr) : nullptr;
  Py_DecRef(number);
  Py_DecRef(message);
  return result;
}

/// A dict of the objects by their names; null after an error.
PyObject* make_dict(PyObject* names, PyObject* const* objects) {
  PyObject* dict = PyDict_New();
  for (std::ptrdiff_t i = 0; dict && i < PyTuple_Size(names); ++i)
    if (PyDict_SetItem(dict, PyTuple_GetItem(names, i), objects[i])) {
      Py_DecRef(dict);
      dict = nullptr;
    }
  return dict;
}

PyObject* call_python(PyObject* function, PyObject* const* objects, std::ptrdiff_t count, PyObject* names) {
  PyObject* tuple = PyTuple_New(count);
  PyObject* named = tuple && names ? make_dict(names, objects + count) : nullptr;
  PyObject* result = nullptr;
  if (tuple && (named || !names)) {
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      Py_IncRef(objects[i]);
      PyTuple_SetItem(tuple, i, objects[i]);
    }
    result = PyObject_Call(function, tuple, named);
  }
  Py_DecRef(named);
  Py_DecRef(tuple);
  return result;
}

const Call& call_of(PyObject* self) {
  return *static_cast<const Call*>(PyLong_AsVoidPtr(PyTuple_GetItem(self, 0)));
}

/// Returns null after an error, and null without an error if nothing was started.
PyObject* run(const Call& call, PyObject* self, PyObject* const* objects, std::ptrdiff_t count) {
  Arguments arguments;
  if (!take_all(*call.kernel, objects, count, arguments))
    return nullptr;
  if (!call.kernel->on_device)
    return run_on_host(call, arguments, PyTuple_GetItem(self, 2), PyTuple_GetItem(self, 3));
  return start_on_device(call, arguments) ? none() : nullptr;
}

PyObject* launch(PyObject* self, PyObject* const* objects, std::ptrdiff_t count, PyObject* names) {
  const Call& call = call_of(self);
  PyObject* result = call.kernel->function && !names ? run(call, self, objects, count) : nullptr;
  if (result || PyErr_Occurred())
    return result;
  return call_python(PyTuple_GetItem(self, 1), objects, count, names);
}

PyObject* launch_on_grid(PyObject* self, PyObject* const* objects, std::ptrdiff_t count, PyObject* names) {
  Call call = call_of(self);
  PyObject* result = nullptr;
  if (call.kernel->function && count > 0 && take_grid(objects[0], call.grid) &&
      (!names || take_named(names, objects + count, call)))
    result = run(call, self, objects + 1, count - 1);
  if (result || PyErr_Occurred())
    return result;
  return call_python(PyTuple_GetItem(self, 1), objects, count, names);
}

PyMethodDef method{"launch", launch, METH_FASTCALL | METH_KEYWORDS,
                   "Launches a kernel on a grid with the arguments given."};
PyMethodDef method_of_grid{"launch", launch_on_grid, METH_FASTCALL | METH_KEYWORDS,
                           "launch(grid, /, *arguments, stream=None, schedule_seed=None)\n--\n\n"
                           "Launches the kernel on `grid`: see pycuda_tile.Kernel.launch."};

} // namespace

#define EXPORT __attribute__((visibility("default")))

extern "C" {

EXPORT void cuda_tile_python_set_objects(const cuda_tile_python_objects* objects) { known = *objects; }

EXPORT PyObject* cuda_tile_python_function(PyObject* self) {
  return PyCFunction_NewEx(&method, self, nullptr);
}

EXPORT PyObject* cuda_tile_python_function_of_grid(PyObject* self) {
  return PyCFunction_NewEx(&method_of_grid, self, nullptr);
}

EXPORT unsigned cuda_tile_python_abi_version(void) { return 3; }
}
