# Builds CUDA projects for the CPU:
#
#   cmake -S . -B build -DCMAKE_TOOLCHAIN_FILE="$(pycuda-tile nvcc --toolchain-file)"
#
# enable_language(CUDA) finds pycuda-tile's nvcc, and find_package(CUDAToolkit) what it has of the toolkit. The
# compiler is not examined: CMake would look for NVIDIA's files around it.
get_filename_component(cuda_tile_cmake_dir "${CMAKE_CURRENT_LIST_FILE}" DIRECTORY)
if(NOT CMAKE_CUDA_COMPILER)
  find_program(CUDA_TILE_NVCC pycuda-tile-nvcc HINTS "${cuda_tile_cmake_dir}/../../../../../../bin" "$ENV{VIRTUAL_ENV}/bin"
               REQUIRED)
  set(CMAKE_CUDA_COMPILER "${CUDA_TILE_NVCC}")
endif()
# CMake reads this file again for each trial of a compiler, where only what is listed here is known.
set(CUDA_TILE_NVCC "${CMAKE_CUDA_COMPILER}")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CUDA_TILE_NVCC)

set(CMAKE_CUDA_COMPILER_FORCED TRUE)
set(CMAKE_CUDA_COMPILER_ID_RUN TRUE)
set(CMAKE_CUDA_COMPILER_ID NVIDIA)
set(CMAKE_CUDA_COMPILER_VERSION 13.5.0)
set(CMAKE_CUDA_COMPILER_TOOLKIT_VERSION 13.5.0)
set(CMAKE_CUDA_SIMULATE_ID GNU)
set(CMAKE_CUDA_HOST_LINK_LAUNCHER "${CMAKE_CUDA_COMPILER}")
# CMake reads here, as if nvcc -v had printed it, what links a program. The folder stands for no library.
set(CMAKE_CUDA_COMPILER_PRODUCED_OUTPUT
    "nvcc\n#$ PATH=/\n#$ LIBRARIES=\"-L${cuda_tile_cmake_dir}\"\n#$ \"${CMAKE_CUDA_COMPILER}\" \"-L${cuda_tile_cmake_dir}\" -o a.out\n")
set(CMAKE_CUDA_SIZEOF_DATA_PTR 8)
set(CMAKE_CUDA_COMPILER_ABI ELF)

# What -std= may say. Older versions of CMake do not know that nvcc has C++20.
set(CMAKE_CUDA_STANDARD_COMPUTED_DEFAULT 20)
set(CMAKE_CUDA_EXTENSIONS_COMPUTED_DEFAULT OFF)
set(CMAKE_CUDA_STANDARD_DEFAULT 20)
set(CMAKE_CUDA_COMPILE_FEATURES "")
foreach(cuda_tile_standard 11 14 17 20 23)
  set(CMAKE_CUDA${cuda_tile_standard}_COMPILE_FEATURES cuda_std_${cuda_tile_standard})
  list(APPEND CMAKE_CUDA_COMPILE_FEATURES cuda_std_${cuda_tile_standard})
  set(CMAKE_CUDA${cuda_tile_standard}_STANDARD_COMPILE_OPTION -std=c++${cuda_tile_standard})
  set(CMAKE_CUDA${cuda_tile_standard}_EXTENSION_COMPILE_OPTION -std=gnu++${cuda_tile_standard})
endforeach()

# __CUDA_ARCH__ of kernels; nothing else depends on it.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 90)
endif()
foreach(cuda_tile_list ALL ALL_MAJOR NATIVE)
  set(CMAKE_CUDA_ARCHITECTURES_${cuda_tile_list} 90)
endforeach()

# Links the run time itself, so there is no other to name.
set(CMAKE_CUDA_RUNTIME_LIBRARY_DEFAULT NONE)
set(CMAKE_CUDA_RUNTIME_LIBRARY NONE)
list(PREPEND CMAKE_MODULE_PATH "${cuda_tile_cmake_dir}")
