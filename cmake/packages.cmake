# The packages that Hillock is made with. HILLOCK_FMT, _YAML, _HDF5, _CRYPTO and _EXPAT are what to link for each; with
# HILLOCK_PORTABLE programs and Python's module hold these, so that they run where none is installed.
find_package(Threads REQUIRED)
find_package(OpenMP QUIET COMPONENTS CXX)  # of the batch solvers alone
find_package(fmt QUIET)
find_package(yaml-cpp QUIET)
find_package(nlohmann_json QUIET)
find_package(CLI11 QUIET)
find_package(OpenSSL QUIET COMPONENTS Crypto)
find_package(HDF5 QUIET COMPONENTS C)
find_package(EXPAT QUIET)
set(missing "")
foreach(package fmt yaml-cpp nlohmann_json CLI11 OpenSSL HDF5 EXPAT)
  if(NOT ${package}_FOUND)
    string(APPEND missing " ${package}")
  endif()
endforeach()
if(missing)
  message(FATAL_ERROR "Not found:${missing}. On Debian: apt-get install libfmt-dev libyaml-cpp-dev libhdf5-dev "
          "nlohmann-json3-dev libcli11-dev libssl-dev libexpat1-dev (./dev build installs what is missing)")
endif()

set(HILLOCK_FMT fmt::fmt)
set(HILLOCK_YAML yaml-cpp)
set(HILLOCK_HDF5 hdf5::hdf5)
set(HILLOCK_CRYPTO OpenSSL::Crypto)
set(HILLOCK_EXPAT EXPAT::EXPAT)
if(HILLOCK_PORTABLE)
  foreach(archive libyaml-cpp.a libhdf5.a libsz.a libaec.a libz.a libcrypto.a libexpat.a)
    find_library(HILLOCK_${archive} ${archive} PATH_SUFFIXES hdf5/serial)
    if(NOT HILLOCK_${archive})
      message(STATUS "Programs will need the packages where they run: there is no ${archive}")
      set(HILLOCK_PORTABLE OFF)
    endif()
  endforeach()
  if(NOT fmt_VERSION VERSION_GREATER_EQUAL 9 OR fmt_VERSION VERSION_GREATER_EQUAL 10 OR NOT CMAKE_OBJCOPY)
    message(STATUS "Programs will need the packages where they run: fmt ${fmt_VERSION} is not 9, or there is no objcopy")
    set(HILLOCK_PORTABLE OFF)
  endif()
endif()

# hillock_holds_packages(TARGET): of a program or module, what it may not ask of the machine. What it holds is its own:
# where a compiler has no shared library of C++, its variables would be those of other modules of the process, too.
function(hillock_holds_packages target)
  target_link_options(${target} PRIVATE -Wl,--exclude-libs,ALL)
  if(HILLOCK_PORTABLE)
    target_link_options(${target} PRIVATE -static-libstdc++
      -Wl,--wrap=arc4random,--wrap=arc4random_buf,-u,__wrap_arc4random)
    target_link_libraries(${target} PRIVATE hillock_portable_names)
  endif()
endfunction()
if(NOT HILLOCK_PORTABLE)
  return()
endif()

# Debian's archives are compiled for programs: in a module the variables of the C library that they name lie out of
# reach. So they are given ones of ours (portable_names.c). HDF5's archive has a network driver, which needs curl;
# nothing asks for it, so it is left out when programs are linked.
add_library(hillock_portable_names STATIC ${CMAKE_CURRENT_LIST_DIR}/portable_names.c)
# packed_archive(NAME TARGET [archive ...]): what TARGET says of how to compile, and these archives.
function(packed_archive name target)
  add_library(hillock_packed_${name} INTERFACE)
  target_include_directories(hillock_packed_${name} SYSTEM INTERFACE
    $<TARGET_PROPERTY:${target},INTERFACE_INCLUDE_DIRECTORIES>)
  target_compile_definitions(hillock_packed_${name} INTERFACE
    $<TARGET_PROPERTY:${target},INTERFACE_COMPILE_DEFINITIONS>)
  foreach(archive ${ARGN})
    set(renamed ${CMAKE_BINARY_DIR}/packed/${archive})
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/packed)
    execute_process(COMMAND ${CMAKE_OBJCOPY} --redefine-sym stderr=hillock_stderr --redefine-sym stdout=hillock_stdout
      --redefine-sym __libc_single_threaded=hillock_single_threaded ${HILLOCK_${archive}} ${renamed}
      COMMAND_ERROR_IS_FATAL ANY)
    target_link_libraries(hillock_packed_${name} INTERFACE ${renamed})
  endforeach()
  target_link_libraries(hillock_packed_${name} INTERFACE hillock_portable_names)
  string(TOUPPER HILLOCK_${name} variable)
  set(${variable} $<BUILD_INTERFACE:hillock_packed_${name}> $<INSTALL_INTERFACE:${target}> PARENT_SCOPE)
endfunction()
packed_archive(yaml yaml-cpp libyaml-cpp.a)
packed_archive(hdf5 hdf5::hdf5 libhdf5.a libsz.a libaec.a libz.a)
packed_archive(crypto OpenSSL::Crypto libcrypto.a)
packed_archive(expat EXPAT::EXPAT libexpat.a)
# There is no archive of fmt's: its functions are compiled here.
add_library(hillock_packed_fmt STATIC ${CMAKE_CURRENT_LIST_DIR}/fmt_functions.cpp)
target_include_directories(hillock_packed_fmt SYSTEM PUBLIC $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
target_compile_features(hillock_packed_fmt PUBLIC cxx_std_20)
set(HILLOCK_FMT $<BUILD_INTERFACE:hillock_packed_fmt> $<INSTALL_INTERFACE:fmt::fmt>)
