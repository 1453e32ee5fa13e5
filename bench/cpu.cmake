# bench/cpu/compare.py needs the command and this: ninja bench_second_core.
add_executable(bench_second_core EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/cpu/second_core.cpp)
target_link_libraries(bench_second_core PRIVATE hillock_options Threads::Threads)
