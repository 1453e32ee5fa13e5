# bench_hines_batch: batches of Hines systems, layouts against each other and against the CPU.
if(CMAKE_CUDA_COMPILER)
  add_executable(bench_hines_batch ${CMAKE_CURRENT_LIST_DIR}/hines_batch.cu)
  target_link_libraries(bench_hines_batch PRIVATE hillock_solver OpenMP::OpenMP_CXX
                        CUDA::cudart_static)
  target_compile_options(bench_hines_batch PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fopenmp>)
endif()
