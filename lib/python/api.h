// Declares the part of Python's C API that is used here. All of it belongs to the stable ABI, so one library
// serves every CPython from 3.10 on and is built without Python's headers, which many machines lack. Objects
// are opaque.
#pragma once

#include <cstddef>

extern "C" {

struct PyObject;
struct PyThreadState;

/// The keyword arguments follow the `count` positional ones; `names` is null if there are none.
using PyCFunctionFastWithKeywords = PyObject* (*)(PyObject* self, PyObject* const* arguments,
                                                  std::ptrdiff_t count, PyObject* names);

struct PyMethodDef {
  const char* name;
  PyCFunctionFastWithKeywords function;
  int flags;
  const char* doc;
};
constexpr int METH_FASTCALL = 0x80, METH_KEYWORDS = 0x2;

struct Py_buffer {
  void* buf;
  PyObject* obj;
  std::ptrdiff_t len;
  std::ptrdiff_t itemsize;
  int readonly;
  int ndim;
  char* format;
  std::ptrdiff_t* shape;
  std::ptrdiff_t* strides;
  std::ptrdiff_t* suboffsets;
  void* internal;
};
constexpr int PyBUF_SIMPLE = 0;   // C-contiguous bytes
constexpr int PyBUF_FORMAT = 0x4; // also their types, in the format of the module struct

PyObject* PyCFunction_NewEx(PyMethodDef* method, PyObject* self, PyObject* module);
void Py_IncRef(PyObject* object);
void Py_DecRef(PyObject* object);
PyObject* PyObject_Type(PyObject* object);
PyObject* PyObject_GetAttr(PyObject* object, PyObject* name);
PyObject* PyObject_Call(PyObject* callable, PyObject* arguments,
                        PyObject* named); // a tuple and a dict, or null
PyObject* PyObject_CallFunctionObjArgs(PyObject* callable, ...);
PyObject* PyObject_CallMethodObjArgs(PyObject* object, PyObject* name, ...);
int PyObject_GetBuffer(PyObject* object, Py_buffer* view, int flags);
void PyBuffer_Release(Py_buffer* view);
PyObject* PyTuple_New(std::ptrdiff_t length);
PyObject* PyTuple_GetItem(PyObject* tuple, std::ptrdiff_t index);              // borrowed
int PyTuple_SetItem(PyObject* tuple, std::ptrdiff_t index, PyObject* element); // takes the reference
std::ptrdiff_t PyTuple_Size(PyObject* tuple);
PyObject* PyDict_New();
int PyDict_SetItem(PyObject* dict, PyObject* key, PyObject* value);
PyObject* PyNumber_Index(PyObject* object);
long long PyLong_AsLongLong(PyObject* object);
void* PyLong_AsVoidPtr(PyObject* object);
PyObject* PyLong_FromLong(long value);
double PyFloat_AsDouble(PyObject* object);
PyObject* PyBytes_FromString(const char* text);
PyObject* PyErr_Occurred();
void PyErr_Clear();
int PyErr_ExceptionMatches(PyObject* type);
PyThreadState* PyEval_SaveThread();
void PyEval_RestoreThread(PyThreadState* state);
int PyGILState_Ensure();
void PyGILState_Release(int state);
int PyOS_InterruptOccurred();
unsigned long PyThread_get_thread_ident();
}
