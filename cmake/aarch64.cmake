# Cross-compiles for aarch64 with Debian's g++-aarch64-linux-gnu: --toolchain cmake/aarch64.cmake, and
# HILLOCK_SYSROOT, the folder with that machine's packages (docs/aarch64.md). What the build itself starts goes
# through qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES HILLOCK_SYSROOT)
if(NOT HILLOCK_SYSROOT)
  message(FATAL_ERROR "HILLOCK_SYSROOT: the folder with aarch64's packages")
endif()
set(CMAKE_SYSROOT ${HILLOCK_SYSROOT})
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L ${HILLOCK_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(HDF5_ROOT ${HILLOCK_SYSROOT}/usr/lib/aarch64-linux-gnu/hdf5/serial)  # not what this machine's h5cc says
