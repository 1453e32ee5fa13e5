# Contraction against the branch solver and one thread a cell; needs CUDA.
if(CMAKE_CUDA_COMPILER)
  add_executable(bench_contraction ${CMAKE_CURRENT_LIST_DIR}/contraction.cu)
  target_link_libraries(bench_contraction PRIVATE hillock_solver CUDA::cudart_static)
endif()
