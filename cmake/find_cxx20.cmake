# Enables C++ if there is a compiler, and sets CUDA_TILE_HAS_CXX20 if that compiler can build the launcher.
include(CheckLanguage)
check_language(CXX)
if(NOT CMAKE_CXX_COMPILER)
  return()
endif()

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()
enable_language(CXX)
find_package(Threads)
if(Threads_FOUND AND "cxx_std_20" IN_LIST CMAKE_CXX_COMPILE_FEATURES)
  # Old standard libraries lack parts of C++20, and some systems have no ucontext.
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/cxx20.cpp
       "#include <ucontext.h>\n#include <vector>\n"
       "int main() { std::vector<int> v; ucontext_t c; getcontext(&c); return int(std::erase(v, 1)); }\n")
  try_compile(CUDA_TILE_HAS_CXX20 ${CMAKE_CURRENT_BINARY_DIR}/cxx20 ${CMAKE_CURRENT_BINARY_DIR}/cxx20.cpp
              CMAKE_FLAGS -DCMAKE_CXX_SCAN_FOR_MODULES=OFF # for which clang needs a program that may be missing
              CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON)
endif()
