# find_package(cuda_tile) in a checkout: the headers in place, and the launcher, which is built with the project.
if(NOT TARGET cuda_tile::cuda_tile)
  add_subdirectory("${CMAKE_CURRENT_LIST_DIR}/../.." "${CMAKE_BINARY_DIR}/cuda_tile" EXCLUDE_FROM_ALL)
endif()
