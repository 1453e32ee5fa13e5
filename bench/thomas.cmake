# Batches of tridiagonal systems against cuSPARSE; needs CUDA.
if(TARGET CUDA::cusparse)
  add_executable(bench_thomas ${CMAKE_CURRENT_LIST_DIR}/thomas.cu)
  target_link_libraries(bench_thomas PRIVATE hillock_solver CUDA::cusparse CUDA::cudart_static)
endif()
