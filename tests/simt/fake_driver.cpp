// A CUDA driver without a GPU: functions succeed and record their calls. fake_driver.py compiles it together
// with functions.inc, which has a line FUNCTION(name) for each other function that cuda.bindings knows.
// Its memory is the host's. Kernels do nothing, unless hooks are set that run them in some other way.
#include <cstdio>
#include <cstdlib>
#include <cstring>

using u64 = unsigned long long;
using u = unsigned;

static FILE* open_log() {
  const char* path = std::getenv("FAKE_CUDA_LOG");
  return path ? std::fopen(path, "w") : nullptr;
}

static FILE* log_file = open_log();
static bool has_context = !std::getenv("FAKE_CUDA_NO_CONTEXT");
static const u64 context = 0xC0;
static const u64 events = 64;
static float recorded[events]; // milliseconds
static float now = 0;          // each launch takes one millisecond per thread of a block
static const int not_found = 500;
static const int invalid_context = 201;

/// What loads code, finds kernels, launches them, and is told of memory, in place of nothing.
struct hooks {
  u64 (*load)(const void* code);
  u64 (*find)(u64 library, const char* symbol);
  int (*launch)(u64 kernel, const u* sizes, void** arguments);
  void (*allocated)(u64 address, u64 size);
  void (*freed)(u64 address);
};
static hooks hook = {};
static int broken = 0; // the error of a kernel, which all calls that wait or come later return

static int note(const char* text) {
  if (log_file) {
    std::fprintf(log_file, "%s\n", text);
    std::fflush(log_file);
  }
  return 0;
}

template <typename T>
static int give(T* place, T value, const char* text) {
  *place = value;
  return note(text);
}

static int launched(const char* name, u64 function, const u* sizes, u64 stream, void** arguments) {
  now += sizes[3];
  if (log_file) {
    u64 first = 0;
    if (arguments && arguments[0])
      std::memcpy(&first, arguments[0], 8);
    char text[256];
    std::snprintf(text, sizeof text,
                  "%s %llx grid %u %u %u block %u %u %u shared %u stream %llx first %llx%s", name, function,
                  sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5], sizes[6], stream, first,
                  has_context ? "" : " without context");
    note(text);
  }
  if (has_context && hook.launch && !broken) {
    broken = hook.launch(function, sizes, arguments);
    return 0;
  }
  return has_context ? 0 : invalid_context;
}

extern "C" {
void fake_set_hooks(const hooks* given) { hook = *given; }

int cuDriverGetVersion(int* version) { return give(version, 13000, "cuDriverGetVersion"); }
int cuGetExportTable(const void**, const void*) { return not_found; } // NVRTC asks for one
int cuDeviceGetCount(int* count) { return give(count, 1, "cuDeviceGetCount"); }
int cuDeviceGet(int* device, int) { return give(device, 0, "cuDeviceGet"); }
int cuDeviceGetName(char* name, int size, int) { return std::snprintf(name, size, "Fake GPU") < 0; }
int cuDeviceGetAttribute(int* value, int attribute, int) {
  return give(value, attribute == 75 ? 9 : attribute == 76 ? 0 : 1, "cuDeviceGetAttribute");
}
int cuCtxGetDevice(int* device) { return give(device, 0, "cuCtxGetDevice"); }
int cuCtxGetCurrent(u64* current) { return give(current, has_context ? context : 0, "cuCtxGetCurrent"); }
int cuDevicePrimaryCtxRetain(u64* current, int) { return give(current, context, "cuDevicePrimaryCtxRetain"); }
int cuCtxSetCurrent(u64) {
  has_context = true;
  return note("cuCtxSetCurrent");
}
int cuStreamGetCtx(u64, u64* current) { return give(current, context, "cuStreamGetCtx"); }
int cuStreamCreateWithPriority(u64* stream, u, int) {
  return give(stream, u64{0x51}, "cuStreamCreateWithPriority");
}
int cuLibraryLoadData(u64* library, const void* code, void*, void*, u, void*, void*, u) {
  return give(library, hook.load ? hook.load(code) : u64{0x11B}, "cuLibraryLoadData");
}
int cuLibraryGetKernel(u64* kernel, u64 library, const char* symbol) {
  return give(kernel, hook.find ? hook.find(library, symbol) : u64{0xCE}, "cuLibraryGetKernel");
}
int cuKernelGetFunction(u64* function, u64 kernel) {
  return give(function, hook.find ? kernel : u64{0xF1}, "cuKernelGetFunction");
}
int cuCtxSynchronize() { return note("cuCtxSynchronize") | broken; }
int cuMemAlloc(u64* address, u64 size) {
  if (broken)
    return broken;
  *address = reinterpret_cast<u64>(std::aligned_alloc(256, (size + 255) / 256 * 256));
  if (hook.allocated)
    hook.allocated(*address, size);
  return note("cuMemAlloc");
}
int cuMemFree(u64 address) {
  if (hook.freed)
    hook.freed(address);
  std::free(reinterpret_cast<void*>(address));
  return note("cuMemFree");
}
int cuMemsetD8(u64 address, unsigned char value, u64 size) {
  std::memset(reinterpret_cast<void*>(address), value, size);
  return note("cuMemsetD8");
}
int cuMemcpyHtoD(u64 to, const void* from, u64 size) {
  std::memcpy(reinterpret_cast<void*>(to), from, size);
  return note("cuMemcpyHtoD");
}
int cuMemcpyDtoDAsync(u64 to, u64 from, u64 size, u64) {
  std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), size);
  now += 1;
  return note("cuMemcpyDtoDAsync");
}
int cuMemcpyDtoH(void* to, u64 from, u64 size) {
  std::memcpy(to, reinterpret_cast<void*>(from), size);
  return note("cuMemcpyDtoH") | broken;
}
int cuEventCreate(u64* event, u) {
  static u64 last = 0;
  return give(event, ++last % events, "cuEventCreate");
}
int cuEventRecord(u64 event, u64 stream) {
  recorded[event % events] = now;
  char text[64];
  std::snprintf(text, sizeof text, "cuEventRecord stream %llx", stream);
  return note(text);
}
int cuEventElapsedTime(float* milliseconds, u64 begin, u64 end) {
  return give(milliseconds, recorded[end % events] - recorded[begin % events], "cuEventElapsedTime");
}
int cuThreadExchangeStreamCaptureMode(int* mode) {
  static int current = 0;
  char text[64];
  std::snprintf(text, sizeof text, "cuThreadExchangeStreamCaptureMode %d", *mode);
  int before = current;
  current = *mode;
  return give(mode, before, text);
}
int cuLaunchKernel(u64 function, u x, u y, u z, u threads, u ty, u tz, u shared, u64 stream, void** arguments,
                   void**) {
  const u sizes[] = {x, y, z, threads, ty, tz, shared};
  return launched("cuLaunchKernel", function, sizes, stream, arguments);
}
struct launch_config {
  u sizes[7];
  u64 stream;
};
int cuLaunchKernelEx(const launch_config* config, u64 function, void** arguments, void**) {
  return launched("cuLaunchKernelEx", function, config->sizes, config->stream, arguments);
}

/// A framework's current stream, in the form that DLPack asks for; this is not a function of the driver.
int fake_current_stream(int, int device, u64* stream) {
  *stream = 0x70 + device;
  return 0;
}

#define FUNCTION(name)                                                                                       \
  int name() { return note(#name); }
#define WRITTEN(name)
#include "functions.inc"
#undef FUNCTION
#undef WRITTEN

int cuGetProcAddress_v2(const char*, void**, int, u64, int*);

struct entry {
  const char* name;
  void* function;
};
#define FUNCTION(name) {#name, reinterpret_cast<void*>(name)},
#define WRITTEN(name) FUNCTION(name)
static const entry entries[] = {
#include "functions.inc"
    {"cuGetProcAddress", reinterpret_cast<void*>(cuGetProcAddress_v2)},
};

int cuGetProcAddress_v2(const char* name, void** function, int, u64, int* status) {
  *function = nullptr;
  for (const entry& known : entries)
    if (!std::strcmp(known.name, name))
      *function = known.function;
  if (status)
    *status = *function ? 0 : 1;
  return *function ? 0 : not_found;
}
}
