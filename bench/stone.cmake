# bench_stone: NeuroGPU's segment method against its branch method.
if(CMAKE_CUDA_COMPILER)
  add_executable(bench_stone ${CMAKE_CURRENT_LIST_DIR}/stone.cu)
  target_link_libraries(bench_stone PRIVATE hillock_solver CUDA::cudart_static)
endif()
