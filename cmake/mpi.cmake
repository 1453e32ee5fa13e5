# Ranks of MPI are a library of their own for each kind of MPI, which `hillock` loads when one of that kind has started
# it as one of several. MPI is used when it is there, and never required. HILLOCK_MPI_LIBRARIES: those that are built.
if(NOT CMAKE_CROSSCOMPILING)  # whose mpicc would be this machine's
  find_package(MPI QUIET COMPONENTS C)
endif()
# Beside the one that CMake finds: Debian has both at once.
foreach(folder ${MPI_C_INCLUDE_DIRS} ${CMAKE_SYSROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openmpi/include
        ${CMAKE_SYSROOT}/usr/include/${CMAKE_LIBRARY_ARCHITECTURE}/mpich)
  if(EXISTS ${folder}/mpi.h)
    file(STRINGS ${folder}/mpi.h names REGEX "#define +(OPEN_MPI|MPICH_VERSION) ")
    if(names MATCHES "OPEN_MPI")
      set(kind openmpi)
    elseif(names MATCHES "MPICH_VERSION")  # and what descends from it: Intel's, Cray's, MVAPICH
      set(kind mpich)
    else()
      continue()
    endif()
    if(NOT DEFINED mpi_headers_${kind})
      set(mpi_headers_${kind} ${folder})
    endif()
  endif()
endforeach()
set(HILLOCK_MPI_LIBRARIES "")
foreach(kind openmpi mpich)
  if(DEFINED mpi_headers_${kind})
    set(library hillock-mpi-${kind})
    list(APPEND HILLOCK_MPI_LIBRARIES ${library})
    add_library(${library} MODULE network/mpi/mpi_ranks.cpp)
    target_link_libraries(${library} PRIVATE hillock_options)
    hillock_holds_packages(${library})
    target_compile_definitions(${library} PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
    list(FIND MPI_C_INCLUDE_DIRS ${mpi_headers_${kind}} place)
    if(place EQUAL -1 OR HILLOCK_PORTABLE)  # MPI itself is loaded before it, by its name
      target_include_directories(${library} SYSTEM PRIVATE ${mpi_headers_${kind}})
    else()
      target_link_libraries(${library} PRIVATE MPI::MPI_C)
    endif()
  endif()
endforeach()
