// <nvtx3/nvToolsExt.h>: marks and ranges for NVIDIA's profilers, which nothing listens to here.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration* nvtxDomainHandle_t;
typedef struct nvtxStringRegistration* nvtxStringHandle_t;

typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum nvtxMessageType_t {
  NVTX_MESSAGE_UNKNOWN = 0,
  NVTX_MESSAGE_TYPE_ASCII = 1,
  NVTX_MESSAGE_TYPE_UNICODE = 2,
  NVTX_MESSAGE_TYPE_REGISTERED = 3,
} nvtxMessageType_t;
typedef enum nvtxPayloadType_t {
  NVTX_PAYLOAD_UNKNOWN = 0,
  NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
  NVTX_PAYLOAD_TYPE_INT64 = 2,
  NVTX_PAYLOAD_TYPE_DOUBLE = 3,
  NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
  NVTX_PAYLOAD_TYPE_INT32 = 5,
  NVTX_PAYLOAD_TYPE_FLOAT = 6,
} nvtxPayloadType_t;

typedef union nvtxMessageValue_t {
  const char* ascii;
  const wchar_t* unicode;
  nvtxStringHandle_t registered;
} nvtxMessageValue_t;

typedef struct nvtxEventAttributes_v2 {
  uint16_t version, size;
  uint32_t category;
  int32_t colorType;
  uint32_t color;
  int32_t payloadType, reserved0;
  union payload_t {
    uint64_t ullValue;
    int64_t llValue;
    double dValue;
    uint32_t uiValue;
    int32_t iValue;
    float fValue;
  } payload;
  int32_t messageType;
  nvtxMessageValue_t message;
} nvtxEventAttributes_t;

#define CUDA_TILE_NVTX static inline __attribute__((unused))

CUDA_TILE_NVTX void nvtxInitialize(const void* reserved) { (void)reserved; }
CUDA_TILE_NVTX void nvtxMarkA(const char* message) { (void)message; }
CUDA_TILE_NVTX void nvtxMarkEx(const nvtxEventAttributes_t* event) { (void)event; }
CUDA_TILE_NVTX int nvtxRangePushA(const char* message) { return (void)message, 0; }
CUDA_TILE_NVTX int nvtxRangePushW(const wchar_t* message) { return (void)message, 0; }
CUDA_TILE_NVTX int nvtxRangePushEx(const nvtxEventAttributes_t* event) { return (void)event, 0; }
CUDA_TILE_NVTX int nvtxRangePop(void) { return 0; }
CUDA_TILE_NVTX nvtxRangeId_t nvtxRangeStartA(const char* message) { return (void)message, 0; }
CUDA_TILE_NVTX nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t* event) { return (void)event, 0; }
CUDA_TILE_NVTX void nvtxRangeEnd(nvtxRangeId_t range) { (void)range; }
CUDA_TILE_NVTX void nvtxNameCategoryA(uint32_t category, const char* name) { (void)category, (void)name; }
CUDA_TILE_NVTX void nvtxNameOsThreadA(uint32_t thread, const char* name) { (void)thread, (void)name; }
CUDA_TILE_NVTX nvtxDomainHandle_t nvtxDomainCreateA(const char* name) {
  return (void)name, (nvtxDomainHandle_t)0;
}
CUDA_TILE_NVTX void nvtxDomainDestroy(nvtxDomainHandle_t domain) { (void)domain; }
CUDA_TILE_NVTX nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t domain, const char* text) {
  return (void)domain, (void)text, (nvtxStringHandle_t)0;
}
CUDA_TILE_NVTX void nvtxDomainMarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  (void)domain, (void)event;
}
CUDA_TILE_NVTX int nvtxDomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  return (void)domain, (void)event, 0;
}
CUDA_TILE_NVTX int nvtxDomainRangePop(nvtxDomainHandle_t domain) { return (void)domain, 0; }

#undef CUDA_TILE_NVTX
#define nvtxMark nvtxMarkA
#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxNameOsThread nvtxNameOsThreadA
#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA
