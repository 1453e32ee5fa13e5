# Writes embedded_headers(): the headers named by ENTRIES and all that they include, as texts.
#   cmake -DROOT=source folder -DENTRIES=a.hpp,b.hpp -DOUT=file.cpp -DDEPFILE=file.d -P embed_headers.cmake
cmake_minimum_required(VERSION 3.25)
string(REPLACE "," ";" waiting "${ENTRIES}")
set(names)
set(texts "")
while(waiting)
  list(POP_FRONT waiting name)
  if(name IN_LIST names)
    continue()
  endif()
  list(APPEND names ${name})
  file(READ ${ROOT}/${name} text)
  string(APPEND texts "    {\"${name}\", R\"header_text(${text})header_text\"},\n")
  string(REGEX MATCHALL "#include \"[^\"]+\"" includes "${text}")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE "#include \"([^\"]+)\"" "\\1" include "${include}")
    list(APPEND waiting ${include})
  endforeach()
endwhile()
file(WRITE ${OUT} "// Written by mechanisms/load/embed_headers.cmake.
#include \"mechanisms/load/embedded_headers.hpp\"

namespace hillock::mechanisms {

std::span<const EmbeddedHeader> embedded_headers() {
  static constexpr EmbeddedHeader all[] = {
${texts}  };
  return all;
}

}  // namespace hillock::mechanisms
")
list(TRANSFORM names PREPEND "${ROOT}/")
list(JOIN names " " names)
file(WRITE ${DEPFILE} "${OUT}: ${names}\n")
