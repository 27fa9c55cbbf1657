# find_package(CUDAToolkit) for projects that toolchain.cmake builds: the headers and the run time for the CPU, as
# CUDA::toolkit, CUDA::cudart, CUDA::cudart_static and CUDA::cuda_driver. Libraries such as cuBLAS are not there.
if(NOT CUDA_TILE_RUNTIME)
  execute_process(COMMAND "${CMAKE_CUDA_COMPILER}" --print-library OUTPUT_VARIABLE CUDA_TILE_RUNTIME
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND "${CMAKE_CUDA_COMPILER}" --print-include-dirs OUTPUT_VARIABLE CUDAToolkit_INCLUDE_DIRS
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
endif()
set(CUDAToolkit_FOUND TRUE)
set(CUDAToolkit_VERSION 13.5.0)
set(CUDAToolkit_VERSION_MAJOR 13)
set(CUDAToolkit_VERSION_MINOR 5)
set(CUDAToolkit_VERSION_PATCH 0)
set(CUDAToolkit_NVCC_EXECUTABLE "${CMAKE_CUDA_COMPILER}")
get_filename_component(CUDAToolkit_BIN_DIR "${CMAKE_CUDA_COMPILER}" DIRECTORY)
get_filename_component(CUDAToolkit_LIBRARY_DIR "${CUDA_TILE_RUNTIME}" DIRECTORY)

find_package(Threads REQUIRED)
if(NOT TARGET CUDA::toolkit)
  add_library(CUDA::toolkit INTERFACE IMPORTED)
  target_include_directories(CUDA::toolkit SYSTEM INTERFACE ${CUDAToolkit_INCLUDE_DIRS})
  foreach(name cudart cudart_static cuda_driver)
    add_library(CUDA::${name} INTERFACE IMPORTED)
    target_link_libraries(CUDA::${name} INTERFACE CUDA::toolkit "${CUDA_TILE_RUNTIME}" Threads::Threads
                                                  ${CMAKE_DL_LIBS})
  endforeach()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CUDAToolkit REQUIRED_VARS CUDAToolkit_INCLUDE_DIRS CUDA_TILE_RUNTIME
                                  VERSION_VAR CUDAToolkit_VERSION)
