// Memory and events that processes share: refused, as memory is that of one process.
#include "errors.h"

using namespace cuda_tile_runtime;

extern "C" {

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t*, void*) { return not_supported("cudaIpcGetMemHandle"); }

cudaError_t cudaIpcOpenMemHandle(void**, cudaIpcMemHandle_t, unsigned) {
  return not_supported("cudaIpcOpenMemHandle");
}

cudaError_t cudaIpcCloseMemHandle(void*) { return not_supported("cudaIpcCloseMemHandle"); }

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t*, cudaEvent_t) {
  return not_supported("cudaIpcGetEventHandle");
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t*, cudaIpcEventHandle_t) {
  return not_supported("cudaIpcOpenEventHandle");
}
}
