# Warns, when a project that uses cuda_tile is configured, if its flags make kernels on the CPU slow: about 200 times
# slower without optimisation, several times without -march. -DCUDA_TILE_NO_WARNINGS=ON silences the warning.

# Collects the C++ flags of a directory, its targets and its subdirectories.
function(cuda_tile_flags_below directory result)
  get_directory_property(flags DIRECTORY "${directory}" DEFINITION CMAKE_CXX_FLAGS)
  get_directory_property(found DIRECTORY "${directory}" COMPILE_OPTIONS)
  get_directory_property(targets DIRECTORY "${directory}" BUILDSYSTEM_TARGETS)
  get_directory_property(subdirectories DIRECTORY "${directory}" SUBDIRECTORIES)
  string(APPEND flags " ${found}")
  foreach(target IN LISTS targets)
    foreach(property COMPILE_OPTIONS INTERFACE_COMPILE_OPTIONS)
      get_target_property(found ${target} ${property})
      string(APPEND flags " ${found}")
    endforeach()
  endforeach()
  foreach(subdirectory IN LISTS subdirectories)
    cuda_tile_flags_below("${subdirectory}" found)
    string(APPEND flags " ${found}")
  endforeach()
  set(${result} "${flags}" PARENT_SCOPE)
endfunction()

function(cuda_tile_check_flags)
  if(CUDA_TILE_NO_WARNINGS OR NOT CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    return()
  endif()
  cuda_tile_flags_below("${CMAKE_SOURCE_DIR}" flags)
  get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  set(advice "")
  if(NOT multi_config AND NOT CMAKE_BUILD_TYPE AND NOT flags MATCHES "[ ;:]-O[1-3sfgz]")
    string(APPEND advice "\n  without optimisation, some 200 times slower. Configure with -DCMAKE_BUILD_TYPE=Release, or "
                         "write\n    if(NOT CMAKE_BUILD_TYPE)\n      set(CMAKE_BUILD_TYPE Release)\n    endif()")
  endif()
  if(NOT flags MATCHES "[ ;:]-(march|mcpu|mavx|mtune=)")
    string(APPEND advice "\n  for any processor of this kind, several times slower than for this one. Write\n"
                         "    target_compile_options(PROGRAM PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-march=native>)\n"
                         "  or name the processors that will run it, such as -march=x86-64-v3")
  endif()
  if(advice)
    message(WARNING "cuda_tile: kernels on the CPU are compiled${advice}\n"
                    "set(CUDA_TILE_NO_WARNINGS ON) silences this.")
  endif()
endfunction()

# The check runs after the whole project has been read, since flags may be set after cuda_tile is found.
get_property(announced GLOBAL PROPERTY cuda_tile_checks_flags)
if(NOT announced)
  set_property(GLOBAL PROPERTY cuda_tile_checks_flags TRUE)
  cmake_language(DEFER DIRECTORY "${CMAKE_SOURCE_DIR}" CALL cuda_tile_check_flags)
endif()
