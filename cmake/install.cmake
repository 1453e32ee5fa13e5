# cmake --install: the command with the program that reads HDF5 for it and what completes its words in
# shells, the library of models, and the libraries of the rooms as a CMake package:
# find_package(hillock), then hillock::simulator or any other room; includes as here,
# "simulator/loop/simulation.hpp".
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# hillock-bench is installed where it was built.
install(TARGETS hillock hillock-read-columns RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(PROGRAMS ${PROJECT_BINARY_DIR}/hillock-bench DESTINATION ${CMAKE_INSTALL_BINDIR} OPTIONAL)
foreach(library ${HILLOCK_MPI_LIBRARIES} hillock-child-grids)  # where the command looks for them
  if(TARGET ${library})
    install(TARGETS ${library} LIBRARY DESTINATION lib/hillock)
  endif()
endforeach()
# Where the shells look for what completes a command's words.
set(completions ${PROJECT_BINARY_DIR}/completions)
install(FILES ${completions}/hillock.bash RENAME hillock DESTINATION share/bash-completion/completions)
install(FILES ${completions}/hillock.zsh RENAME _hillock DESTINATION share/zsh/site-functions)
install(FILES ${completions}/hillock.fish DESTINATION share/fish/vendor_completions.d)
# Where the command looks for `library:`, beside its own folder.
install(DIRECTORY models/library/ DESTINATION share/hillock/library
        FILES_MATCHING PATTERN "*.yaml" PATTERN "*.swc" PATTERN "*.mod")

set(rooms core models io nmodl mechanisms solver network simulator)
foreach(room ${rooms} options)
  set_target_properties(hillock_${room} PROPERTIES EXPORT_NAME ${room})
  install(TARGETS hillock_${room} EXPORT hillock-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  if(NOT room MATCHES "options|nmodl")
    install(DIRECTORY ${room} DESTINATION include/hillock FILES_MATCHING PATTERN "*.hpp"
            PATTERN command EXCLUDE PATTERN library EXCLUDE PATTERN command_line.hpp EXCLUDE)
  endif()
endforeach()
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/hillock)
install(EXPORT hillock-targets NAMESPACE hillock:: DESTINATION ${package})
configure_package_config_file(cmake/hillock-config.cmake.in ${PROJECT_BINARY_DIR}/hillock-config.cmake
                              INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/hillock-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/hillock-config.cmake
              ${PROJECT_BINARY_DIR}/hillock-config-version.cmake DESTINATION ${package})
