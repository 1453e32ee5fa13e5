# The fine-grained solver against one thread a cell on random trees; needs CUDA.
if(CMAKE_CUDA_COMPILER)
  add_executable(bench_branch ${CMAKE_CURRENT_LIST_DIR}/branch.cu)
  target_link_libraries(bench_branch PRIVATE hillock_solver CUDA::cudart_static)
endif()
