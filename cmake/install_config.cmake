# Installs the files that find_package(cuda_tile) reads.
include(CMakePackageConfigHelpers)
set(config_dir ${library_dir}/cmake/cuda_tile)
configure_package_config_file(cmake/cuda_tileConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/cuda_tileConfig.cmake
                              INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/cuda_tileConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/cuda_tileConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/cuda_tileConfigVersion.cmake
              cmake/check_flags.cmake
        DESTINATION ${config_dir})
install(EXPORT cuda_tileTargets NAMESPACE cuda_tile:: DESTINATION ${config_dir})
