# bench/cpu/compare.py needs the command and this.
add_executable(bench_second_core ${CMAKE_CURRENT_LIST_DIR}/cpu/second_core.cpp)
target_link_libraries(bench_second_core PRIVATE hillock_options Threads::Threads)
