if(CMAKE_CUDA_COMPILER)
  add_executable(bench_auto ${CMAKE_CURRENT_LIST_DIR}/auto.cu)
  target_link_libraries(bench_auto PRIVATE hillock_solver CUDA::cudart_static)
endif()
