# cmake -DSOURCE=… -DTO=commit.cpp -P write_commit.cmake: says which commit is being built.
find_package(Git QUIET)
set(commit "unknown")
if(GIT_FOUND)
  # Sources without a repository of their own may lie in another one.
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE} rev-parse --show-prefix
    OUTPUT_VARIABLE above OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE} describe --always --dirty --abbrev=10
    OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
  if(status EQUAL 0 AND above STREQUAL "")
    set(commit "${found}")
  endif()
endif()
set(text "namespace hillock::bench {\nextern const char* const built_commit;\nconst char* const built_commit = \"${commit}\";\n}\n")
set(old "")
if(EXISTS ${TO})
  file(READ ${TO} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${TO} "${text}")
endif()
